"""First come, first served: who is next at an engine that answers a few requests at a time."""

from __future__ import annotations

import asyncio

from serve.errors import QueueFullError

__all__ = ["Line", "Turn"]

_RETRY_AFTER_S = 10


class Line:
    """A bounded queue within one event loop."""

    def __init__(self, limit: int, width: int = 1) -> None:
        self._limit = limit
        self.width = width
        """How many are served at a time."""
        self._turns: list[Turn] = []

    @property
    def waiting(self) -> int:
        """How many wait, without those being served."""
        return max(0, len(self._turns) - self.width)

    def join(self) -> Turn:
        """Return a place at the end of the line; leave it when done.

        Raises:
            QueueFullError: as many wait as may.
        """
        if len(self._turns) >= self._limit + self.width:
            raise QueueFullError(self.waiting, _RETRY_AFTER_S)
        turn = Turn(self)
        self._turns.append(turn)
        return turn

    def position_of(self, turn: Turn) -> int:
        """Return the place of a turn among those that wait, from 1; 0 when it is served."""
        return max(0, self._turns.index(turn) - self.width + 1)

    def remove(self, turn: Turn) -> None:
        """Take a turn out and tell those behind it."""
        if turn in self._turns:
            at = self._turns.index(turn)
            del self._turns[at]
            for later in self._turns[at:]:
                later.has_moved.set()


class Turn:
    """One place in the line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.has_moved = asyncio.Event()

    @property
    def position(self) -> int:
        """Its place among those that wait, from 1; 0 when it is served."""
        return self._line.position_of(self)

    async def move(self) -> None:
        """Wait until the position is another."""
        await self.has_moved.wait()
        self.has_moved.clear()

    def leave(self) -> None:
        """Give the place up; the next one is served. Twice is no error."""
        self._line.remove(self)
