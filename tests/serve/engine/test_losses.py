"""Workers that are killed, models that give way: a clear end for those inside, and the next one is served."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from serve.engine.local import LocalEngine
from serve.engine.residency import Residency
from serve.events import Failed, Finished, Heartbeat, Started, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

pytestmark = pytest.mark.native
LONG_S = 60
"""Ten times what any of these needs on a busy machine."""


def ask(text="hello", *, max_tokens=8):
    turns = (Message(role=Role.USER, content=text),)
    sampling = Sampling(max_tokens=max_tokens, logit_bias=((2, -100.0), (4, -100.0)))
    return GenerationRequest(id="r", model="m", mode=Mode.ASK, messages=turns, sampling=sampling)


@asynccontextmanager
async def running(path, residency=None, *, is_lazy=False, **settings):
    chosen = EngineSettings(threads=1, prefix_cache_disk_mb=0, **settings)
    engine = LocalEngine(path, path.stem, chosen, residency=residency, is_lazy=is_lazy)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.close()


async def events(engine, request):
    return [event async for event in engine.generate(request)]


async def begun(engine, request, kind):
    """Return a stream that has told its first event of a kind."""
    stream = engine.generate(request)
    async for event in stream:
        if isinstance(event, kind) and not (isinstance(event, Heartbeat) and not event.done):
            return stream
    raise AssertionError("the answer ended")


async def rest(stream):
    return [event async for event in stream][-1]


@pytest.mark.parametrize(("text", "kind"), [("x" * 7_000, Heartbeat), ("x", Text)], ids=["prefill", "decode"])
async def test_killed_in_prefill_and_in_decode_is_a_clear_error_and_the_next_is_served(tiny_model, text, kind):
    """503 with what to do, and a new process."""
    async with running(tiny_model("attention")) as engine, asyncio.timeout(LONG_S):
        stream = await begun(engine, ask(text, max_tokens=4_000), kind)
        first = engine.worker_pid
        os.kill(first, signal.SIGKILL)
        last = await rest(stream)
        assert isinstance(last, Failed)
        assert (last.status, last.code) == (503, "engine_lost")
        assert "send the request again" in last.message
        assert isinstance((await events(engine, ask()))[-1], Finished)
        assert engine.worker_pid != first


async def test_killed_while_idle_is_noticed_by_nobody(tiny_model):
    """However soon the next request comes: it had not begun, so it begins in the new process."""
    async with running(tiny_model("attention")) as engine, asyncio.timeout(LONG_S):
        for _ in range(3):
            os.kill(engine.worker_pid, signal.SIGKILL)
            found = await events(engine, ask())
            assert isinstance(found[0], Started)
            assert isinstance(found[-1], Finished)


async def test_killed_while_four_decode_ends_all_four_and_the_next_four_are_served(tiny_model):
    """Each with the same clear error; one crash, not four."""
    async with running(tiny_model("attention"), slots=4) as engine, asyncio.timeout(LONG_S):
        streams = [await begun(engine, ask(f"{number}", max_tokens=4_000), Text) for number in range(4)]
        os.kill(engine.worker_pid, signal.SIGKILL)
        ends = await asyncio.gather(*map(rest, streams))
        assert [(end.status, end.code) for end in ends] == [(503, "engine_lost")] * 4
        assert engine._crashes == 1
        again = await asyncio.gather(*(events(engine, ask(f"{number}")) for number in range(4)))
        assert all(isinstance(one[-1], Finished) for one in again)


async def test_a_worker_that_dies_again_and_again_is_replaced_with_back_off(tiny_model):
    """At once, then after one second, then two; an answer that ends well forgets it."""
    async with running(tiny_model("attention")) as engine, asyncio.timeout(LONG_S):
        waits = []
        for _ in range(3):
            stream = await begun(engine, ask(max_tokens=4_000), Text)
            os.kill(engine.worker_pid, signal.SIGKILL)
            assert isinstance(await rest(stream), Failed)
            waits.append(engine._not_before - asyncio.get_running_loop().time())
        assert waits[0] <= 0 < waits[1] <= 1 < waits[2] <= 2
        assert isinstance((await events(engine, ask()))[-1], Finished)
        assert engine._crashes == 0


async def test_a_budget_holds_the_models_that_fit_and_the_least_recently_used_gives_way(tiny_model):
    """Three models, room for two."""
    paths = [tiny_model(kind) for kind in ("attention", "hybrid", "recurrent")]
    sizes = [path.stat().st_size for path in paths]
    residency = Residency(sum(sizes) - min(sizes))
    async with AsyncExitStack() as stack, asyncio.timeout(LONG_S):
        engines = [await stack.enter_async_context(running(path, residency, is_lazy=True)) for path in paths]
        for at, held in ((0, "100"), (1, "110"), (0, "110"), (2, "101"), (1, "011")):
            assert isinstance((await events(engines[at], ask()))[-1], Finished)
            assert "".join(str(int(engine.is_loaded)) for engine in engines) == held


async def test_a_model_in_demand_does_not_keep_another_waiting(tiny_model):
    """Those inside finish, those who come later wait until the other had its turn."""
    residency = Residency(0)
    async with AsyncExitStack() as stack, asyncio.timeout(LONG_S):
        busy, other = [
            await stack.enter_async_context(running(tiny_model(kind), residency, is_lazy=True, slots=2))
            for kind in ("attention", "hybrid")
        ]
        order = []

        async def told(engine, name, max_tokens):
            assert isinstance((await events(engine, ask(max_tokens=max_tokens)))[-1], Finished)
            order.append(name)

        inside = await begun(busy, ask(max_tokens=300), Text)
        waiting = asyncio.create_task(told(other, "other", 4))
        while busy._occupancy._door.is_set():  # noqa: ASYNC110 - until the other asks for its room
            await asyncio.sleep(0)
        late = [asyncio.create_task(told(busy, "late", 4)) for _ in range(3)]
        assert isinstance(await rest(inside), Finished)
        await asyncio.gather(waiting, *late)
        assert order == ["other", "late", "late", "late"]


async def test_a_model_that_dies_while_another_waits_for_its_room_keeps_nobody_waiting(tiny_model):
    """Nobody waits for the memory of a process that is gone."""
    residency = Residency(0)
    async with AsyncExitStack() as stack, asyncio.timeout(LONG_S):
        first, other = [
            await stack.enter_async_context(running(tiny_model(kind), residency, is_lazy=True, slots=2))
            for kind in ("attention", "hybrid")
        ]
        inside = await begun(first, ask(max_tokens=4_000), Text)
        waiting = asyncio.create_task(events(other, ask()))
        while first._occupancy._door.is_set():  # noqa: ASYNC110 - until the other asks for its room
            await asyncio.sleep(0)
        os.kill(first.worker_pid, signal.SIGKILL)
        assert isinstance(await rest(inside), Failed)
        assert isinstance((await waiting)[-1], Finished)
        assert isinstance((await events(first, ask()))[-1], Finished)


async def test_who_gives_up_waiting_for_room_opens_the_door_again(tiny_model):
    """The model in memory stays, and serves those who came meanwhile."""
    residency = Residency(0)
    async with AsyncExitStack() as stack, asyncio.timeout(LONG_S):
        first, other = [
            await stack.enter_async_context(running(tiny_model(kind), residency, is_lazy=True, slots=2))
            for kind in ("attention", "hybrid")
        ]
        inside = await begun(first, ask(max_tokens=4_000), Text)
        waiting = asyncio.create_task(events(other, ask()))
        while first._occupancy._door.is_set():  # noqa: ASYNC110 - until the other asks for its room
            await asyncio.sleep(0)
        late = asyncio.create_task(events(first, ask()))
        waiting.cancel()
        assert isinstance((await late)[-1], Finished)
        await inside.aclose()
        assert first.is_loaded
