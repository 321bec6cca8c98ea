"""Where generated tokens are not used again, an answer is evaluated as the next turn shows it, while nobody waits."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from serve.engine.local import LocalEngine
from serve.engine.local.following import Told
from serve.events import CallMade, Finished, FinishReason, Reasoning, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling, ToolCall

SYSTEM = "Answer from what you are given. " * 12
DEADLINE_S = 60


def ask(*turns, tokens=40):
    roles = (Role.SYSTEM, *(Role.USER, Role.ASSISTANT) * len(turns))
    return GenerationRequest(
        id="r",
        model="m",
        mode=Mode.GENERAL,
        messages=tuple(Message(role=role, content=text) for role, text in zip(roles, (SYSTEM, *turns), strict=False)),
        sampling=Sampling(max_tokens=tokens, temperature=0.0, top_logprobs=20),
    )


@asynccontextmanager
async def worker(path, **settings):
    engine = LocalEngine(path, "tiny", EngineSettings(threads=1, **{"cache_mode": "strict", **settings}))
    await engine.start()
    try:
        yield engine
    finally:
        await engine.close()


async def said(engine, request):
    events = [event async for event in engine.generate(request)]
    assert isinstance(events[-1], Finished)
    told = [one for event in events if isinstance(event, Text) for one in event.logprobs]
    return "".join(event.text for event in events if isinstance(event, Text)), told, events[-1].usage


async def second_turn(engine, settled):
    """Return the second answer of a dialogue, its bits, what was cached of its prompt, and the first prompt's size."""
    first, _, before = await said(engine, ask("first question"))
    await settled(engine)
    _, told, usage = await said(engine, ask("first question", first, "and what then?", tokens=8))
    return told, usage.cached_tokens, before.prompt_tokens


async def evaluated(engine):
    """Wait until the worker kept a state more than the answer left."""
    async with asyncio.timeout(DEADLINE_S):
        before = engine.stats().entries
        while engine.stats().entries <= before:
            await engine.warm(ask("never mind"))
            await asyncio.sleep(1.0)


@pytest.mark.native
@pytest.mark.parametrize("kind", ["attention", "hybrid", "linear", "recurrent"])
async def test_a_second_turn_finds_the_answer_before_it(tiny_model, kind):
    """And says the same, to the bit, as where the answer was not evaluated ahead."""
    path = tiny_model(kind)
    async with worker(path) as engine:
        told, cached, first = await second_turn(engine, evaluated)
        assert cached > first
    async with worker(path, prefix_cache_mb=0) as engine:
        alone, _, _ = await second_turn(engine, lambda _: asyncio.sleep(0))
    assert told == alone


@pytest.mark.native
async def test_who_comes_meanwhile_is_served_and_served_right(tiny_model):
    """Whatever moment a request comes at, its answer is that of a worker that did nothing ahead."""
    path = tiny_model("hybrid")
    async with worker(path) as engine:
        alone = (await said(engine, ask("another question")))[1]
    async with worker(path) as engine:
        for wait_ms in (0, 100, 195, 200, 205, 220, 260, 400):
            async with asyncio.timeout(DEADLINE_S):
                await said(engine, ask("a question " * wait_ms))
                await asyncio.sleep(wait_ms / 1000)
                assert (await said(engine, ask("another question")))[1] == alone


@pytest.mark.native
async def test_where_answers_serve_as_generated_nothing_is_evaluated_ahead(tiny_model):
    """A model that goes on from its own tokens has no use for it."""
    async with worker(tiny_model("attention"), cache_mode="fast") as engine:
        await said(engine, ask("first question"))
        kept = engine.stats().entries
        await asyncio.sleep(1.0)
        await engine.warm(ask("never mind"))
        assert engine.stats().entries == kept


def test_what_a_client_sends_back_is_what_it_saw() -> None:
    """Text and calls without thoughts, and after a call comes its result."""
    told = Told(ask("question"))
    call = ToolCall(id="c1", name="search", arguments="{}")
    told.hear([Reasoning("hm"), Text("I "), Text("look.")])
    assert told.conversation() is None
    told.hear([CallMade(0, call), Finished(reason=FinishReason.TOOL_CALLS)])
    following = told.conversation()
    assert following is not None
    answer, result = following.messages[-2:]
    assert (answer.role, answer.content, answer.tool_calls) == (Role.ASSISTANT, "I look.", (call,))
    assert (result.role, result.tool_call_id) == (Role.TOOL, "c1")


def test_half_an_answer_is_followed_by_nothing() -> None:
    """Who cancelled does not go on from there."""
    told = Told(ask("question"))
    told.hear([Text("I "), Finished(reason=FinishReason.CANCELLED)])
    assert told.conversation() is None
