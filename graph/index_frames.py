"""How a sync and its worker processes talk: msgpack messages behind a four-byte length, over pipes."""

from __future__ import annotations

from typing import BinaryIO, TypeVar

import msgspec
from msgspec import Struct

from graph.index_work import Done, Job, Task

__all__ = ["Batch", "Results", "receive", "send"]

_Message = TypeVar("_Message")


class Batch(Struct, frozen=True):
    """Files for a worker."""

    tasks: tuple[Task, ...]


class Results(Struct, frozen=True):
    """What became of them, in order; or an error that concerns every file, as its class and its text."""

    done: tuple[Done, ...] = ()
    error: tuple[str, str] | None = None


def send(stream: BinaryIO, message: Job | Batch | Results) -> None:
    """Write one message."""
    data = msgspec.msgpack.encode(message)
    stream.write(len(data).to_bytes(4, "big"))
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO, expected: type[_Message]) -> _Message | None:
    """Return the next message; None at the end of the stream, also in the middle of a message (the other end died)."""
    length = int.from_bytes(head, "big") if len(head := stream.read(4)) == 4 else -1
    if length < 0:
        return None
    data = stream.read(length)
    return msgspec.msgpack.decode(data, type=expected) if len(data) == length else None
