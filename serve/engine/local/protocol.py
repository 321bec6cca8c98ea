"""What the server and a worker say to each other: length-prefixed msgpack over a socket pair.

A request travels as JSON inside, since its tool schemas are raw JSON. Every `Ask...` is answered by exactly one message
of the same `id` that ends it: Done, Counted, Warmed or Refused.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

import msgspec
from msgspec import Struct, field

from serve.engine.cache_stats import CacheStats
from serve.events import Event
from serve.settings import EngineSettings

__all__ = [
    "FAULT",
    "HEADER_BYTES",
    "AskCancel",
    "AskCount",
    "AskGenerate",
    "AskLoad",
    "AskWarm",
    "Counted",
    "Done",
    "Emitted",
    "FromWorker",
    "Ready",
    "Refused",
    "ToWorker",
    "Warmed",
    "frame",
    "from_worker",
    "payload_bytes",
    "to_worker",
]

HEADER_BYTES = 4
FAULT = "engine_failed"
"""The code of a refusal for a mistake of ours."""
_MAX_PAYLOAD_BYTES = 256 * 1024 * 1024
"""Far above any request (16 MiB); a larger number is a broken stream."""


class AskLoad(Struct, frozen=True, kw_only=True, tag="load"):
    """Load a model; the first message, answered by Ready or Refused."""

    path: str
    model: str
    settings: EngineSettings
    soft_tool_tokens: int
    hard_tool_tokens: int
    snapshot_folder: str = ""
    """Where snapshots outlive the worker; empty keeps them in memory only."""


class AskGenerate(Struct, frozen=True, tag="generate"):
    """Answer a request; as many at a time as there are slots."""

    id: str
    request: bytes


class AskWarm(Struct, frozen=True, tag="warm"):
    """Evaluate a request's preamble."""

    id: str
    request: bytes


class AskCount(Struct, frozen=True, tag="count"):
    """Count a request's prompt tokens; answered at once, also beside a generation."""

    id: str
    request: bytes


class AskCancel(Struct, frozen=True, tag="cancel"):
    """Stop the generation or warming of this id, if it still runs."""

    id: str


class Ready(Struct, frozen=True, kw_only=True, tag="ready"):
    """The model is loaded."""

    detail: str
    window_tokens: int
    prefill_tokens_per_s: float
    slots: int = 1


class Emitted(Struct, frozen=True, tag="emitted"):
    """Events of a generation."""

    id: str
    events: tuple[Event, ...]


class Done(Struct, frozen=True, tag="done"):
    """A generation ended; its last event was sent. The rate is the last one measured, 0 for none."""

    id: str
    prefill_tokens_per_s: float = 0.0
    stats: CacheStats = field(default_factory=CacheStats)
    notes: tuple[str, ...] = ()
    """What the log should say of it."""


class Counted(Struct, frozen=True, tag="counted"):
    """The prompt tokens of a request."""

    id: str
    tokens: int


class Warmed(Struct, frozen=True, tag="warmed"):
    """A preamble is evaluated, at this rate."""

    id: str
    prefill_tokens_per_s: float = 0.0
    stats: CacheStats = field(default_factory=CacheStats)


class Refused(Struct, frozen=True, kw_only=True, tag="refused"):
    """What was asked failed, in the words of `serve.errors`."""

    id: str = ""
    status: int
    kind: str
    message: str
    param: str | None = None
    code: str | None = None


ToWorker: TypeAlias = AskLoad | AskGenerate | AskWarm | AskCount | AskCancel
FromWorker: TypeAlias = Ready | Emitted | Done | Counted | Warmed | Refused

_encoder = msgspec.msgpack.Encoder()
_to_worker: msgspec.msgpack.Decoder[ToWorker] = msgspec.msgpack.Decoder(ToWorker)
_from_worker: msgspec.msgpack.Decoder[FromWorker] = msgspec.msgpack.Decoder(FromWorker)


def frame(message: ToWorker | FromWorker) -> bytes:
    """Return a message as it goes over the socket."""
    payload = _encoder.encode(message)
    return struct.pack(">I", len(payload)) + payload


def payload_bytes(header: bytes) -> int:
    """Return the length that a header announces; ValueError when no message is that long."""
    (length,) = struct.unpack(">I", header)
    if length > _MAX_PAYLOAD_BYTES:
        raise ValueError(f"a message of {length} bytes")
    return int(length)


def to_worker(payload: bytes) -> ToWorker:
    """Decode what a worker receives."""
    return _to_worker.decode(payload)


def from_worker(payload: bytes) -> FromWorker:
    """Decode what a worker sent."""
    return _from_worker.decode(payload)
