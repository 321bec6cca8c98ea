"""Which models are in memory: a budget in bytes, and the least recently used ones give way. For one event loop.

An engine asks for room before it loads. Whoever gives way finishes its running answers first.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol

from serve.errors import EngineError

__all__ = ["Residency", "Resident"]

_LONGEST_WAIT_S = 600.0
"""An answer that is waited for may be long, but a caller is not kept for ever."""


class Resident(Protocol):
    """A model that may be in memory."""

    @property
    def size_bytes(self) -> int:
        """What it takes, about: its file."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory now."""
        ...

    async def unload(self) -> bool:
        """Finish what runs and free the memory."""
        ...


class Residency:
    """Keeps loaded models within `budget_bytes`; 0 is one model at a time. A model alone is always let in."""

    def __init__(self, budget_bytes: int = 0) -> None:
        self._budget_bytes = budget_bytes
        self._known: list[Resident] = []  # the least recently used first
        self._admitting = asyncio.Lock()

    def touch(self, model: Resident) -> None:
        """Note that a model is used now."""
        if model in self._known:
            self._known.remove(model)
        self._known.append(model)

    @asynccontextmanager
    async def room(self, model: Resident) -> AsyncGenerator[None]:
        """Make room for a model, which is loaded in the block; one at a time, so that what is being loaded counts.

        Raises:
            EngineError: another model is still answering after a long wait.
        """
        async with self._admitting:
            while (victim := self._victim(model)) is not None:
                try:
                    async with asyncio.timeout(_LONGEST_WAIT_S):
                        await victim.unload()
                except TimeoutError:
                    raise EngineError(
                        "There is no room for this model while another one answers. Ask again later, or set memory_mb.",
                        code="no_room",
                    ) from None
            yield

    def _victim(self, model: Resident) -> Resident | None:
        """Return who gives way next; None when there is room."""
        loaded = [other for other in self._known if other.is_loaded and other is not model]
        needed = model.size_bytes + sum(other.size_bytes for other in loaded)
        return loaded[0] if loaded and needed > self._budget_bytes else None
