"""Ask: a question in, the events of a grounded answer out. What a small model is weak at, this does for it.

Search first and show the model what was found; refuse when that is too little; let it call tools within bounds; then
decide in the server which places the answer rests on. The graph is read in threads, so that the event loop never waits.

The rule that must stay true: the stream ends in exactly one Finished or Failed, and Cited comes before Finished.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from msgspec.structs import replace

from graph.errors import GraphError
from graph.repository import Repository
from serve.ask.budgets import evidence_tokens, result_bytes
from serve.ask.conversation import head_request, naming, question_of, with_evidence, with_results, without_calls
from serve.ask.grounding import NamesChecked, attribute, check_names, named_place
from serve.ask.priming import Primed, prime
from serve.ask.refusal import PREFIX, refusal
from serve.ask.result import collect
from serve.ask.retrieval import MIN_CONFIDENCE
from serve.ask.rounds import MAX_CALLS_A_ROUND, ToolRounds
from serve.engine.base import Engine
from serve.errors import ServeError
from serve.events import (
    CallMade,
    Cited,
    Event,
    Failed,
    Finished,
    FinishReason,
    Heartbeat,
    Queued,
    Reasoning,
    Started,
    Step,
    Text,
    Usage,
)
from serve.settings import AskSettings
from serve.turns import GenerationRequest, Mode, ToolCall

__all__ = ["AskLoop"]


class AskLoop:
    """Answers questions about one repository with one engine. Any number of questions at once; it keeps no state."""

    def __init__(self, engine: Engine, repository: Repository, settings: AskSettings) -> None:
        self._engine = engine
        self._repository = repository
        self._settings = settings

    async def warm(self) -> None:
        """Prefill the head that all questions share."""
        await self._engine.warm(head_request(self._engine.describe().model))

    async def run(self, request: GenerationRequest) -> AsyncGenerator[Event, None]:
        """Yield the events of an answer. Nothing is raised: what goes wrong is one Failed that says so."""
        try:
            async with aclosing(self._answer(request)) as events:
                async for event in events:
                    yield event
        except ServeError as error:
            yield Failed(
                status=error.status, kind=error.kind, message=error.message, param=error.param, code=error.code
            )
        except GraphError as error:
            yield Failed(status=503, kind="server_error", message=str(error), code="graph_unavailable")
        except sqlite3.Error as error:
            message = f"The index cannot be read ({error}). `roteiro sync --rebuild` makes it anew."
            yield Failed(status=503, kind="server_error", message=message, code="graph_unavailable")

    async def _answer(self, request: GenerationRequest) -> AsyncGenerator[Event, None]:
        question = question_of(request)
        info = self._engine.describe()
        yield Started(info.model, Mode.ASK)
        primed = Primed()
        if self._settings.prime:
            budget = evidence_tokens(self._settings, info, is_follow_up=bool(question.previous))
            primed = await asyncio.to_thread(prime, self._repository, question, budget, self._settings.evidence_items)
            yield primed.step
            if primed.confidence < (self._settings.min_score or MIN_CONFIDENCE):
                yield Text(refusal(question, primed.found))
                yield Cited((), is_refusal=True)
                yield Finished(reason=FinishReason.STOP)
                return
        first = with_evidence(request, primed.text, self._settings.max_tokens)
        rounds = _Rounds(self._engine, self._repository, self._settings, primed)
        async with aclosing(rounds.events(first)) as events:
            async for event in events:
                yield event


class _Rounds:
    """The generations of one answer, and what they have said, shown and cost so far."""

    def __init__(self, engine: Engine, repository: Repository, settings: AskSettings, primed: Primed) -> None:
        self._engine = engine
        self._repository = repository
        self._rounds = max(1, settings.rounds)
        self._tools = ToolRounds(repository, result_bytes(settings, engine.describe()))
        self._shown = list(primed.shown)
        self._steps = 1 if primed.text else 0
        self._said: list[str] = []
        self._usage = Usage()

    async def events(self, request: GenerationRequest) -> AsyncGenerator[Event, None]:
        """Yield the text and the steps of every round, then citations and the end."""
        for left in reversed(range(self._rounds)):
            if left == 0:
                request = without_calls(request)
            said, calls, end = "", list[ToolCall](), None
            async with _closed_after(self._engine.generate(request)) as generated:
                async for event in generated:
                    match event:
                        case Text():
                            said += event.text
                            yield event
                        case CallMade():
                            calls.append(event.call)
                        case Finished() | Failed():
                            end = event
                        case Queued():
                            yield Heartbeat()  # the stream has started: waiting for the engine is waiting
                        case Heartbeat() | Reasoning():
                            yield event
                        case _:
                            pass  # Started was said, and the pieces of a call are ours to read whole
            self._said.append(said)
            if not isinstance(end, Finished):
                yield end or _BROKEN_OFF
                return
            self._usage = _added(self._usage, end.usage)
            if not calls or left == 0:
                async for event in self._ending(request, end):
                    yield event
                return
            results: list[tuple[ToolCall, str, bool]] = []
            for call in calls[:MAX_CALLS_A_ROUND]:
                self._steps += 1
                ran = await asyncio.to_thread(self._tools.run, call, self._steps)
                self._shown.extend(ran.shown)
                results.append((call, ran.text, ran.is_error))
                yield ran.step
            request = with_results(request, said, results)

    async def _named(self, request: GenerationRequest, answer: str) -> AsyncGenerator[Event, None]:
        """Ask for the name of the symbol where the answer named none, and say it: a second's work, seldom needed."""
        if not self._shown:
            return
        cited = await asyncio.to_thread(attribute, self._repository.store, answer, self._shown)
        if any(citation.supports for citation in cited):
            return
        async with _closed_after(self._engine.generate(naming(request, self._said[-1]))) as generated:
            result = await collect(generated)
        self._usage = _added(self._usage, result.usage)
        place = named_place(result.answer, self._shown)
        if place is not None:
            text = f" See `{place.name}`."
            self._said.append(text)
            yield Text(text)

    async def _ending(self, request: GenerationRequest, end: Finished) -> AsyncGenerator[Event, None]:
        answer = "".join(self._said)
        if answer.strip() and end.reason is FinishReason.STOP:
            async for event in self._named(request, answer):
                yield event
            answer = "".join(self._said)
        if not answer.strip():
            text = f"{PREFIX}the model ended without an answer. Ask again in other words, or with another model."
            yield Text(text)
            yield Cited((), is_refusal=True)
        else:
            store = self._repository.store
            names = await asyncio.to_thread(check_names, store, answer, self._shown)
            if names.known or names.unknown:
                yield _names_step(self._steps + 1, names)
            yield Cited(await asyncio.to_thread(attribute, store, answer, self._shown))
        yield replace(end, usage=self._usage)


_BROKEN_OFF = Failed(
    status=503, kind="server_error", message="The engine broke off. Ask again.", code="engine_broke_off"
)


@asynccontextmanager
async def _closed_after(generated: AsyncIterator[Event]) -> AsyncGenerator[AsyncIterator[Event]]:
    """Give the iterator, and close it whatever happens: that is what stops an engine when a client leaves."""
    try:
        yield generated
    finally:
        if isinstance(generated, AsyncGenerator):
            await generated.aclose()


def _names_step(number: int, names: NamesChecked) -> Step:
    total = len(names.known) + len(names.unknown)
    told = f"; not found: {', '.join(names.unknown)}" if names.unknown else ""
    return Step(
        number=number,
        tool="names",
        arguments=json.dumps({"names": [*names.known, *names.unknown]}),
        summary=f"{len(names.known)} of {total} names in the answer are in what was shown or in the index{told}",
    )


def _added(one: Usage, other: Usage) -> Usage:
    return Usage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        reasoning_tokens=one.reasoning_tokens + other.reasoning_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        cache_creation_tokens=one.cache_creation_tokens + other.cache_creation_tokens,
    )
