"""Who uses a model now, so that it is only unloaded when nobody does, and is when nobody did for long. For one loop.

Whoever comes while it is being given up waits at the door: those inside finish, and a stream of new ones cannot keep
another model waiting for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

__all__ = ["Occupancy"]


class Occupancy:
    """Counts users. After `idle_s` without any, `on_idle` is called; 0 never calls it."""

    def __init__(self, idle_s: float, on_idle: Callable[[], None]) -> None:
        self._idle_s = idle_s
        self._on_idle = on_idle
        self.users = 0
        self._leaving = 0
        self._door = asyncio.Event()
        self._door.set()
        self._changed = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def using(self) -> AsyncGenerator[None]:
        """Be a user while the block runs; wait at the door first where it is closed."""
        await self._door.wait()
        self.users += 1
        self.close()
        try:
            yield
        finally:
            self.users -= 1
            self.note_change()
            if not self.users and self._idle_s > 0:
                self._timer = asyncio.get_running_loop().call_later(self._idle_s, self._on_idle)

    @contextmanager
    def closed_door(self) -> Generator[None]:
        """Let nobody new in while the block runs."""
        self._leaving += 1
        self._door.clear()
        try:
            yield
        finally:
            self._leaving -= 1
            if not self._leaving:
                self._door.set()

    def note_change(self) -> None:
        """Wake whoever waits in `change`."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self) -> None:
        """Wait until a user left, or something else was noted."""
        await self._changed.wait()

    def close(self) -> None:
        """Stop the clock of idleness."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
