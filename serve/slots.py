"""The queue in front of one engine, whatever its kind: shared by all wires, first come, first served, and bounded.

It is the only one: engines run what they are given. A place in it is a `Ticket`. Whoever leaves, for whatever reason,
makes room at once; the engine's generator is closed before its slot is handed on.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

from serve.errors import QueueFullError
from serve.events import Event, Queued

__all__ = ["Slots", "Ticket"]

_FIRST_GUESS_S = 10.0
"""How long a generation takes before any was seen; later it is a running mean."""


class Slots:
    """`slots` requests run at once, `queue` more may wait; the next is refused with QueueFullError."""

    def __init__(self, slots: int, queue: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._slots = slots
        self._queue = queue
        self._clock = clock
        self._running: set[Ticket] = set()
        self._waiting: list[Ticket] = []
        self._mean_s = _FIRST_GUESS_S
        self._is_guess = True

    @property
    def running(self) -> int:
        """How many requests have a slot."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """How many requests wait for one."""
        return len(self._waiting)

    def enter(self) -> Ticket:
        """Return a place; raises QueueFullError, which says when to come back."""
        ticket = Ticket(self)
        if len(self._running) < self._slots and not self._waiting:
            self._start(ticket)
        elif len(self._waiting) < self._queue:
            self._waiting.append(ticket)
        else:
            raise QueueFullError(len(self._waiting), self._wait_s())
        return ticket

    def _wait_s(self) -> int:
        return max(1, math.ceil(self._mean_s * (len(self._waiting) + 1) / self._slots))

    def position(self, ticket: Ticket) -> int:
        """Return 0 for a ticket that has a slot, else its place among those who wait, from 1."""
        return self._waiting.index(ticket) + 1 if ticket in self._waiting else 0

    def leave(self, ticket: Ticket) -> None:
        """Give the place back; a second time does nothing."""
        if ticket in self._running:
            self._running.remove(ticket)
            took_s = self._clock() - ticket.started_s
            self._mean_s = took_s if self._is_guess else self._mean_s + (took_s - self._mean_s) / 4
            self._is_guess = False
        elif ticket in self._waiting:
            self._waiting.remove(ticket)
        else:
            return
        while self._waiting and len(self._running) < self._slots:
            self._start(self._waiting.pop(0))
        for other in self._waiting:
            other.moved.set()

    def _start(self, ticket: Ticket) -> None:
        ticket.started_s = self._clock()
        self._running.add(ticket)
        ticket.moved.set()


class Ticket:
    """A place in the queue or in a slot."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self.moved = asyncio.Event()
        self.started_s = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait for a slot, and hold it while the block runs; the place is given back."""
        try:
            while self._slots.position(self):
                await self.moved.wait()
                self.moved.clear()
            yield
        finally:
            self.leave()

    async def events(self, run: Callable[[], AsyncIterator[Event]]) -> AsyncGenerator[Event, None]:
        """Yield the place in the queue each time it changes, then the events of `run`; the place is given back."""
        try:
            told = 0
            while position := self._slots.position(self):
                if position != told:
                    told = position
                    yield Queued(position)
                await self.moved.wait()
                self.moved.clear()
            source = run()
            try:
                async for event in source:
                    yield event
            finally:
                await _close(source)
        finally:
            self.leave()

    def leave(self) -> None:
        """Give the place back, also when `events` was never begun."""
        self._slots.leave(self)


async def _close(source: AsyncIterator[Event]) -> None:
    """Close a generator where it stands; other iterators have nothing to close."""
    if isinstance(source, AsyncGenerator):
        await source.aclose()
