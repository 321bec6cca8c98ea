"""The queue in front of an engine is the same for every kind of engine: places, bound, leaving, nothing left behind."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from serve.engine.local import LocalEngine
from serve.engine.upstream import UpstreamEngine
from serve.errors import QueueFullError
from serve.events import Queued, Started, Text
from serve.http.service import Served, Service
from serve.settings import EngineSettings, ServeSettings, UpstreamSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling
from tests.serving import DEADLINE_S, StandInAsk, live_server, scripted, service_of

ENDLESS = [{"text": ["a", "b"], "piece_delay_ms": 3_600_000}] * 9


@pytest.fixture(params=["scripted", "upstream", pytest.param("local", marks=pytest.mark.native)])
def engine(request, tmp_path):
    """Give an engine of each kind; none of its answers ends by itself in the time of a test."""
    match request.param:
        case "scripted":
            yield scripted(tmp_path, ENDLESS)
        case "upstream":
            behind = scripted(tmp_path, ENDLESS)
            with live_server(service_of(behind), behind) as live:
                yield UpstreamEngine(UpstreamSettings(base_url=f"{live.url}/v1"))
        case _:
            path = request.getfixturevalue("tiny_model")("attention")
            yield LocalEngine(path, "tiny", EngineSettings(threads=1, slots=1, scheduling="exact"))


@asynccontextmanager
async def serving(engine, *, queue=2):
    served = Served(engine, StandInAsk(engine), queue=queue, slots=1)
    service = Service(models=(served,), repository=None, settings=ServeSettings(), version="1")
    await service.start()
    async with asyncio.timeout(DEADLINE_S):
        await service._warming
    try:
        yield service, served.slots, next(iter(service.models))
    finally:
        await service.close()


def asked(model):
    turns = (Message(role=Role.USER, content="x" * 500),)
    sampling = Sampling(max_tokens=7_000, logit_bias=((70, 100.0),))
    return GenerationRequest(id="r", model=model, mode=Mode.GENERAL, messages=turns, sampling=sampling)


async def until(run, kind):
    """Return the next event of a kind."""
    while not isinstance(event := await run.next(DEADLINE_S), kind):
        assert event is not None
    return event


async def left(run):
    run.stop()
    await asyncio.wait([run.task], timeout=DEADLINE_S)
    assert run.task.done()


async def test_places_bound_and_leaving_are_the_same_for_every_engine(engine):
    """One runs, two wait and hear their places, the next is refused; who leaves, waiting or running, makes room."""
    async with serving(engine) as (service, slots, model):
        first = service.run(asked(model))
        await until(first, Text)
        second, third = service.run(asked(model)), service.run(asked(model))
        assert [await until(run, Queued) for run in (second, third)] == [Queued(1), Queued(2)]
        with pytest.raises(QueueFullError):
            service.run(asked(model))
        await left(second)
        assert await until(third, Queued) == Queued(1)
        await left(first)
        await until(third, Text)
        assert (slots.running, slots.waiting) == (1, 0)
        await left(third)
        assert (slots.running, slots.waiting) == (0, 0)
        last = service.run(asked(model))
        await until(last, Text)
        await left(last)


async def test_requests_that_leave_at_any_moment_leave_nothing_behind(engine):
    """Before their first step, in the queue, while the prompt is read, in the answer: the house is empty after."""
    async with serving(engine, queue=9) as (service, slots, model):
        for moments in range(6):
            runs = [service.run(asked(model)) for _ in range(3)]
            for _ in range(moments):
                await asyncio.sleep(0)
            if moments > 3:
                await until(runs[0], Started if moments == 4 else Text)
            await asyncio.gather(*(left(run) for run in runs))
            assert (slots.running, slots.waiting) == (0, 0)
        last = service.run(asked(model))
        await until(last, Text)
        await left(last)


async def test_warming_waits_its_turn_and_gives_it_back(engine):
    """A question that comes meanwhile is told its place."""
    async with serving(engine) as (service, slots, model):
        go = asyncio.Event()
        service.models[model].ask.warm = go.wait
        warming = asyncio.create_task(service._warm())
        await asyncio.sleep(0)
        run = service.run(asked(model))
        assert await until(run, Queued) == Queued(1)
        go.set()
        await warming
        await until(run, Text)
        await left(run)
        assert (slots.running, slots.waiting) == (0, 0)
