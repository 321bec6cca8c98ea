"""The server that may already run on this machine, and whether it is ours and about this repository.

Standard library only: this is asked before anything heavy is loaded.
"""

from __future__ import annotations

import http.client
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from roteiro.config.address import split_address
from roteiro.errors import RoteiroError

__all__ = ["RunningServer", "find_running", "posted"]

_LOOK_TIMEOUT_S = 1.0
_ANSWER_TIMEOUT_S = 600.0
"""Between two lines of a stream; the server sends a comment every few seconds while it computes."""


class RunningServer(Struct, frozen=True):
    """What `/health` of a Roteiro says."""

    name: str = ""
    version: str = ""
    status: str = ""
    root: str = ""
    project: str = ""
    model: str | None = None


def find_running(address: str, root: Path) -> RunningServer | None:
    """Return the Roteiro that serves this root at the address; None when there is none, or it serves another."""
    found = _health(address)
    return found if found and found.name == "roteiro" and found.root == str(root) else None


def _health(address: str) -> RunningServer | None:
    host, port = split_address(address)
    connection = http.client.HTTPConnection(host, port, timeout=_LOOK_TIMEOUT_S)
    try:
        connection.request("GET", "/health")
        return msgspec.json.decode(connection.getresponse().read(65_536), type=RunningServer)
    except (OSError, http.client.HTTPException, msgspec.DecodeError):
        return None
    finally:
        connection.close()


@contextmanager
def posted(address: str, path: str, body: bytes) -> Generator[Iterator[str]]:
    """Post JSON to the running server and yield the lines of what it streams back.

    Raises:
        RoteiroError: the server refused, in its own words.

    """
    host, port = split_address(address)
    connection = http.client.HTTPConnection(host, port, timeout=_ANSWER_TIMEOUT_S)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", "Accept": "text/event-stream"})
        response = connection.getresponse()
        if response.status != http.client.OK:
            raise RoteiroError(f"the server at {address} said: {_refusal(response.read(65_536))}")
        yield (line.decode(errors="replace").rstrip("\r\n") for line in response)
    finally:
        connection.close()


def _refusal(body: bytes) -> str:
    try:
        message: object = msgspec.json.decode(body)["error"]["message"]
    except (msgspec.DecodeError, KeyError, TypeError):
        return body.decode(errors="replace")[:500]
    return str(message)
