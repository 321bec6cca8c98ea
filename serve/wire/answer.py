"""How an answer is written: the circumstances that every encoder needs, and the protocol that the server drives."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from serve.events import Event, Failed
from serve.turns import GenerationRequest
from serve.wire.public import Public

__all__ = ["Encoder", "Occasion", "public_of"]


class Occasion(Struct, frozen=True, kw_only=True):
    """What an answer says of itself besides its content."""

    generation: GenerationRequest
    created_at: int
    """Seconds; encoders hold no clock."""
    base_url: str = ""
    exposes_reasoning: bool = False
    version: str = ""


def public_of(occasion: Occasion) -> Public:
    """Return the rule of what clients see, for one answer."""
    return Public(
        exposes_reasoning=occasion.exposes_reasoning,
        base_url=occasion.base_url,
        max_tokens=occasion.generation.sampling.max_tokens,
    )


class Encoder(Protocol):
    """Writes one answer: `begin`, then every event, `ping` when it has been silent; the last event ends it.

    A whole answer is written by the same object: feed it all events, then take `whole`.
    """

    def begin(self) -> bytes:
        """Return what opens the stream, before anything is known."""
        ...

    def encode(self, event: Event) -> bytes:
        """Return the bytes of an event, empty when it shows nothing. Finished and Failed bring the end."""
        ...

    def ping(self) -> bytes:
        """Return something that keeps the client waiting."""
        ...

    def whole(self) -> bytes:
        """Return the body of the answer, after its last event; not to be called when that was Failed."""
        ...

    @property
    def failure(self) -> Failed | None:
        """The failure that ended the answer."""
        ...
