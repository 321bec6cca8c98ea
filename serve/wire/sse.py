"""Server-sent events as bytes, and back: framing only, no meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

__all__ = ["DONE", "PING", "data_lines", "frame"]

PING = b": ping\n\n"
"""A comment: keeps proxies and sockets alive, invisible to every parser."""

DONE = b"data: [DONE]\n\n"


def frame(payload: object, name: str | None = None) -> bytes:
    """Return one event whose data is the payload as one line of JSON (which never holds a raw line break)."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + msgspec.json.encode(payload) + b"\n\n"


def data_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the data of each event; comments, names and `[DONE]` are skipped. Lines may or may not end in a newline."""
    pending: list[str] = []
    for line in lines:
        bare = line.rstrip("\r\n")
        if bare.startswith("data:"):
            pending.append(bare[5:].removeprefix(" "))
        elif not bare and pending:
            data, pending = "\n".join(pending), []
            if data != "[DONE]":
                yield data
