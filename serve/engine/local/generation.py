"""One answer as a course of steps: it yields what is to be evaluated and goes on when that is done.

So one thread can run several answers in turn, or their steps in one batch, without this module knowing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from serve.engine.local.context import Aborted, Context, Lane, Work
from serve.engine.local.guide import Guide
from serve.engine.local.logprobs import logprob_of
from serve.engine.local.native import NativeModel
from serve.engine.local.prefixes import Prefixes
from serve.engine.local.prompt import Prompt, Prompter
from serve.engine.local.sampler import Defaults, Sampler
from serve.engine.local.schedule import PREFILL_STEP
from serve.events import Event, Finished, FinishReason, Heartbeat, Started, Text, TokenLogprob, Usage
from serve.prompt.answer import AnswerReader
from serve.prompt.thinking import CLOSE_TAG, OPEN_TAG
from serve.turns import GenerationRequest, ReasoningEffort

__all__ = ["Emit", "Generation", "Parts", "Steps", "prefill"]

Emit: TypeAlias = Callable[[Sequence[Event]], None]
Steps: TypeAlias = Generator[Work, int, None]
"""Yields work, is sent the place of its logits, and has them until it yields again."""
_NEVER = -1e9
"""A logit bias that no logit outweighs."""
_SPENT = "\n\nNo more thinking: I answer now."
"""A thought that breaks off in mid-sentence is often begun again in the answer; one that ends is not."""


class Parts(Struct, frozen=True, kw_only=True):
    """What all answers of a model share."""

    name: str
    model: NativeModel
    context: Context
    prompter: Prompter
    prefixes: Prefixes
    defaults: Defaults
    window_tokens: int


def prefill(
    parts: Parts, lane: Lane, prompt: Prompt, emit: Emit, *, keeps_whole: bool = True
) -> Generator[Work, int, tuple[int, int]]:
    """Evaluate what a lane lacks of a prompt; return the tokens snapshotted, and where the last logits are.

    `keeps_whole` false leaves the state of the whole prompt to the caller.
    """
    total = len(prompt.tokens)
    at = start = len(lane.tokens)
    kept, place = start, -1
    emit([Heartbeat(start, total)])
    for end in parts.prefixes.ends_after(lane, prompt):
        if parts.context.is_aborted:
            raise Aborted
        place = yield Work(lane, prompt.tokens[at:end])
        at = end
        if keeps_whole or end < total:
            kept = parts.prefixes.keep(lane, prompt) or kept
        emit([Heartbeat(end, total)])
    return kept - start, place


class Generation:
    """The answer to one request.

    Raises:
        BadRequestError: the format asked for cannot be held.
    """

    def __init__(
        self, parts: Parts, request: GenerationRequest, prompt: Prompt, emit: Emit, note: Callable[[str], None]
    ) -> None:
        self._parts = parts
        self._request = request
        self._prompt = prompt
        self._emit = emit
        self._vocabulary = parts.model.vocabulary
        self._reader = AnswerReader(request, opens_thinking=prompt.opens_thinking)
        self._guide = Guide(self._vocabulary, request, parts.prompter.conversation.dialect, note)
        self._forced = parts.prompter.forced(request)
        self._budget = parts.window_tokens - len(prompt.tokens)
        if request.sampling.max_tokens is not None:
            self._budget = min(self._budget, request.sampling.max_tokens)
        self._made = 0
        self._thought = 0
        self._undecided = 0
        self._most_thought = 0 if request.reasoning is ReasoningEffort.NONE else request.reasoning_budget
        self._logprobs: list[TokenLogprob] = []

    def run(self, lane: Lane) -> Steps:
        """Answer in a lane that `Prefixes.take` returned. The last event is Finished."""
        self._emit([Started(self._parts.name, self._request.mode, self._prompt.tool_detail)])
        cached = len(lane.tokens)
        sampler = self._sampler()
        try:
            kept, place = yield from prefill(self._parts, lane, self._prompt, self._emit, keeps_whole=False)
            whole, reason = yield from self._after_first_word(self._decode(lane, sampler, place), lane)
        finally:
            sampler.close()
            self._guide.close()
        usage = Usage(
            prompt_tokens=len(self._prompt.tokens),
            completion_tokens=self._made,
            reasoning_tokens=self._thought,
            cached_tokens=cached,
            cache_creation_tokens=whole - cached if whole else kept,
        )
        rest = self._reader.end()
        ended = self._reader.reason(reason)
        if self._guide.was_cut and ended is not FinishReason.STOP_SEQUENCE:
            ended = FinishReason.LENGTH  # the document is whole, what it says may not be
        last = Finished(reason=ended, usage=usage, stop_sequence=self._reader.stop_sequence)
        self._send(rest)
        self._emit([last])

    def _after_first_word(
        self, course: Generator[Work, int, FinishReason], lane: Lane
    ) -> Generator[Work, int, tuple[int, FinishReason]]:
        """Run a course; keep the state of the prompt when its first word is out, before anything else is evaluated."""
        kept = -1
        place: int | None = None
        while True:
            try:
                work = next(course) if place is None else course.send(place)
            except StopIteration as end:
                return (self._parts.prefixes.keep(lane, self._prompt) if kept < 0 else kept), end.value
            if kept < 0:
                kept = self._parts.prefixes.keep(lane, self._prompt)
            place = yield work

    def _decode(self, lane: Lane, sampler: Sampler, place: int) -> Generator[Work, int, FinishReason]:
        """Draw tokens until the answer ends; return why."""
        reader, guide, context = self._reader, self._guide, self._parts.context
        if self._thinks_first():
            place = yield from self._say(lane, OPEN_TAG + "\n", place)
        place = yield from self._end_thought(lane, place)
        if not reader.is_thinking:
            place = yield from self._say(lane, self._take_forced(), place)
        guide.begin(is_thinking=reader.is_thinking)
        guide.follow(reader)
        while self._made < self._budget:
            left = self._budget - self._made
            token = sampler.draw(context.handle, place, guide.grammar, guide.ending, left)
            guide.took(token)
            self._made += 1
            if self._vocabulary.is_end(token):
                return FinishReason.STOP
            self._read(token, place)
            if reader.is_complete:
                return FinishReason.STOP
            if context.is_aborted:
                raise Aborted
            if self._made < self._budget:
                place = yield Work(lane, [token])
                place = yield from self._end_thought(lane, place)
                if self._forced and reader.is_answering:
                    place = yield from self._say(lane, self._take_forced(), place)
            guide.follow(reader)
        return FinishReason.STOP if guide.is_whole else FinishReason.LENGTH

    def _read(self, token: int, place: int) -> None:
        """Tell of a token what is decided by it."""
        was_thinking = self._reader.is_thinking
        top = self._request.sampling.top_logprobs
        events = self._reader.feed(self._vocabulary.piece(token))
        is_thinking = was_thinking or self._reader.is_thinking
        self._count(is_thinking=is_thinking)
        if top is not None and not is_thinking and self._reader.call is None:
            handle = self._parts.context.handle
            self._logprobs.append(logprob_of(handle, place, self._vocabulary, token, top))
        self._send(events)

    def _count(self, *, is_thinking: bool) -> None:
        """Count a token where it landed; those that may yet be the tag of a block wait for the one that decides."""
        if is_thinking:
            self._thought += 1 + self._undecided
        is_open = not is_thinking and not self._reader.is_answering
        self._undecided = self._undecided + 1 if is_open else 0

    def _send(self, events: Sequence[Event]) -> None:
        """Emit events, the log probabilities that are due with the first text among them."""
        sent: list[Event] = []
        for event in events:
            if isinstance(event, Text) and self._logprobs:
                sent.append(replace(event, logprobs=tuple(self._logprobs)))
                self._logprobs.clear()
            else:
                sent.append(event)
        if sent:
            self._emit(sent)

    def _say(self, lane: Lane, text: str, place: int) -> Generator[Work, int, int]:
        """Put words into the model's mouth: they count as generated. Return where the logits are then."""
        tokens = self._vocabulary.tokenize(text, control=True)
        if not tokens or self._made + len(tokens) >= self._budget:
            return place
        self._made += len(tokens)
        was_thinking = self._reader.is_thinking
        self._send(self._reader.feed_text(text))
        self._thought += len(tokens) if was_thinking or self._reader.is_thinking else 0
        for at in range(0, len(tokens), PREFILL_STEP):
            place = yield Work(lane, tokens[at : at + PREFILL_STEP])
        return place

    def _end_thought(self, lane: Lane, place: int) -> Generator[Work, int, int]:
        """Close the block of a thought whose budget is spent, in the model's own words. Return where the logits are."""
        reader, most = self._reader, self._most_thought
        if most is None or not reader.is_thinking or self._thought < most or not reader.is_between_characters:
            return place
        made = self._made
        for words in (_SPENT, "") if self._thought else ("",):  # what is left may hold the tag and not the sentence
            if self._made == made:
                place = yield from self._say(lane, f"{words}\n{CLOSE_TAG}\n\n", place)
        return place

    def _take_forced(self) -> str:
        forced, self._forced = self._forced, ""
        return forced

    def _thinks_first(self) -> bool:
        """Say whether a bound answer comes after thinking that the model itself would have to begin."""
        request = self._request
        is_bound = request.format is not None or bool(self._forced)
        wants = request.reasoning not in {None, ReasoningEffort.NONE}
        return is_bound and wants and self._parts.prompter.thinks and not self._prompt.opens_thinking

    def _sampler(self) -> Sampler:
        request = self._request
        banned = tuple((token, _NEVER) for token in self._parts.prompter.banned(request))
        sampling = replace(request.sampling, logit_bias=request.sampling.logit_bias + banned)
        return Sampler(sampling, request.mode, self._parts.defaults, self._vocabulary.size)
