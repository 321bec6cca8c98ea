"""What a sync and its worker processes say to each other: msgpack messages behind a four-byte length, over pipes."""

from __future__ import annotations

from typing import BinaryIO, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

__all__ = ["UNREAD", "Batch", "Done", "Job", "NodeRow", "Results", "Task", "failed", "receive", "send"]

UNREAD = "-"
"""Stands for the blob id of a file whose bytes could not be read or worked on."""

NodeRow: TypeAlias = tuple[str, str, str, str, int, int, int, str, str, str | None, int, int]
"""key, kind, name, qualname, start_line, end_line, name_line, signature, doc, parent, is_test, is_exported."""


class Job(Struct, frozen=True):
    """What holds for all files of a sync."""

    root: str
    cache: str
    """The path of the facts cache."""
    max_file_bytes: int
    ignore_cache: bool = False


class Task(Struct, frozen=True, array_like=True):
    """One file to look at; the blob and the language it had when it was indexed, if nothing but these can matter."""

    path: str
    known_blob: str = ""
    known_language: str = ""


class Done(Struct, frozen=True, array_like=True):
    """What became of a file: the columns of its row, its nodes and markers."""

    path: str
    status: str
    """`indexed`, `skipped`, `other`; `same` when the bytes are the known ones and nothing else is filled in."""
    language: str = ""
    blob: str = ""
    reason: str = ""
    line_count: int = 0
    error_count: int = 0
    interface: str = ""
    doc: str = ""
    nodes: tuple[NodeRow, ...] = ()
    markers: tuple[tuple[str, int, str], ...] = ()
    parts: bytes = b""
    """What others can see of it by name (`graph.resolve.interface_parts`); empty where only `interface` tells."""
    facts: bytes = b""
    """The encoded facts, empty when they came from the cache."""


_Message = TypeVar("_Message")


class Batch(Struct, frozen=True):
    """Files for a worker."""

    tasks: tuple[Task, ...]


class Results(Struct, frozen=True):
    """What became of them, in order; or an error that concerns every file, as its class and its text."""

    done: tuple[Done, ...] = ()
    error: tuple[str, str] | None = None


def failed(path: str, reason: str) -> Done:
    """Return the result for a file that was given up; it is tried again when its stat changes."""
    return Done(path, "skipped", blob=UNREAD, reason=reason)


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
