"""The engine protocol: what the rest of the server knows of a model, whatever runs it.

An engine takes a `GenerationRequest` and yields events; it knows nothing of HTTP, of the graph or of Ask.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from msgspec import Struct

from serve.events import Event
from serve.turns import GenerationRequest

__all__ = ["Engine", "EngineInfo"]


class EngineInfo(Struct, frozen=True, kw_only=True):
    """What an engine says of itself."""

    model: str
    """The id that clients use."""
    kind: str
    """`local`, `upstream` or `scripted`."""
    window_tokens: int | None
    """None when unknown (some upstreams do not say)."""
    is_remote: bool = False
    """Source leaves this machine."""
    prefill_tokens_per_s: float | None = None
    """Measured at start; budgets Ask's evidence."""
    detail: str = ""
    """A sentence for people: file, quantisation, address."""
    can_count: bool = True
    slots: int = 1
    """Answers it gives at the same time; what comes beyond waits in the queue in front of it."""


class Engine(Protocol):
    """One model, ready to generate. At most `slots` requests at a time: who comes next is decided in front of it."""

    def describe(self) -> EngineInfo:
        """Return what this engine is; cheap, never blocks."""
        ...

    async def start(self) -> None:
        """Make ready (load, connect); raises EngineError with what to do. Called once."""
        ...

    async def count(self, request: GenerationRequest) -> int:
        """Return the prompt tokens of a request; raises UnsupportedError without a tokenizer."""
        ...

    def generate(self, request: GenerationRequest) -> AsyncIterator[Event]:
        """Yield events up to Finished or Failed. Closing the iterator cancels within a second."""
        ...

    async def warm(self, request: GenerationRequest) -> None:
        """Prefill what every request of this head shares (the preamble); a no-op where there is nothing to warm."""
        ...

    async def close(self) -> None:
        """End the engine and free its memory."""
        ...
