"""The queue in front of an engine."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.errors import QueueFullError
from serve.events import Queued, Text
from serve.slots import Slots
from tests.requirements import requirement


class _Source:
    """An engine's answer that waits until it is let go, and knows whether it was closed."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.closed = False

    async def events(self):
        try:
            yield Text("a")
            await self.go.wait()
            yield Text("b")
        finally:
            self.closed = True


async def _next(stream):
    return await asyncio.wait_for(anext(stream), 10)


async def test_first_come_first_served_with_positions():
    """Those who wait are told their place, and again each time it changes."""
    slots = Slots(1, 4)
    sources = [_Source() for _ in range(3)]
    tickets = [slots.enter() for _ in sources]
    streams = [ticket.events(source.events) for ticket, source in zip(tickets, sources, strict=True)]
    assert await _next(streams[0]) == Text("a")
    assert await _next(streams[1]) == Queued(1)
    assert await _next(streams[2]) == Queued(2)
    sources[0].go.set()
    assert [event async for event in streams[0]] == [Text("b")]
    assert await _next(streams[2]) == Queued(1)
    assert await _next(streams[1]) == Text("a")
    assert (slots.running, slots.waiting) == (1, 1)
    for stream in streams[1:]:
        await stream.aclose()
    assert (slots.running, slots.waiting) == (0, 0)


async def test_closing_closes_the_engine_before_the_slot_is_handed_on():
    """The next one never meets a busy engine."""
    slots = Slots(1, 4)
    first, second = _Source(), _Source()
    one = slots.enter().events(first.events)
    await _next(one)
    two = slots.enter().events(second.events)
    assert await _next(two) == Queued(1)
    await one.aclose()
    assert first.closed
    assert await _next(two) == Text("a")
    await two.aclose()


@requirement("slots.full-is-429")
async def test_a_full_queue_refuses_and_says_when_to_come_back():
    """The bound is on those who wait."""
    slots = Slots(1, 1)
    slots.enter()
    slots.enter()
    with pytest.raises(QueueFullError) as caught:
        slots.enter()
    assert caught.value.waiting == 1
    assert caught.value.retry_after_s >= 1


async def test_the_wait_follows_what_generations_took():
    """A running mean of the past replaces the first guess."""
    now = 0.0
    slots = Slots(1, 0, clock=lambda: now)
    for _ in range(40):
        ticket = slots.enter()
        now += 100.0
        ticket.leave()
    slots.enter()
    with pytest.raises(QueueFullError) as caught:
        slots.enter()
    assert 95 <= caught.value.retry_after_s <= 100


async def test_leaving_twice_frees_one_place():
    """A second leave does nothing."""
    slots = Slots(2, 0)
    one, _two = slots.enter(), slots.enter()
    one.leave()
    one.leave()
    assert slots.running == 1


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 7)), max_size=40))
def test_no_order_of_coming_and_going_leaks_a_place(steps):
    """Whoever comes and goes in whatever order: at most two run, and an empty house is empty."""

    async def play() -> None:
        slots = Slots(2, 3)
        inside = []
        for comes, which in steps:
            if comes:
                try:
                    inside.append(slots.enter())
                except QueueFullError:
                    assert len(inside) == 5
            elif inside:
                inside.pop(which % len(inside)).leave()
            assert slots.running == min(2, len(inside))
            assert slots.running + slots.waiting == len(inside)
            waiting = [ticket for ticket in inside if slots.position(ticket)]
            assert [slots.position(ticket) for ticket in waiting] == list(range(1, len(waiting) + 1))
        for ticket in inside:
            ticket.leave()
        assert (slots.running, slots.waiting) == (0, 0)

    asyncio.run(play())


async def test_the_first_measured_answer_takes_the_place_of_the_guess():
    """A model that answers in a second does not send callers away for ten."""
    now = 0.0
    slots = Slots(1, 0, clock=lambda: now)
    ticket = slots.enter()
    now += 1.0
    ticket.leave()
    slots.enter()
    with pytest.raises(QueueFullError) as caught:
        slots.enter()
    assert caught.value.retry_after_s == 1
