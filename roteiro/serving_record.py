"""Which servers of ours run on this machine: a small file for each while it serves, and whether it still does.

The rule that must stay true: a file alone proves nothing. A process that was killed leaves its file behind, and another
may have its number by now; only a server that answers for its root is believed, and other files are thrown away.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from roteiro.folders import servers_folder
from roteiro.running import find_running

__all__ = ["find_server", "recorded"]


class _Record(Struct, frozen=True):
    """What a server says of itself while it runs."""

    pid: int
    address: str
    root: str


@contextmanager
def recorded(address: str, root: Path) -> Generator[None]:
    """Let other commands find this process as the server of a root while the block lasts.

    Where the folder cannot be written the server works all the same; only a look at its configured address finds it.
    """
    place = servers_folder() / f"{os.getpid()}.json"
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.parent.chmod(0o700)
        place.write_bytes(msgspec.json.encode(_Record(os.getpid(), address, str(root))))
    try:
        yield
    finally:
        with suppress(OSError):
            place.unlink(missing_ok=True)


def find_server(root: Path, address: str) -> str:
    """Return where a server of this root answers, empty when none does: first looked for at `address`."""
    if find_running(address, root):
        return address
    for place in _files():
        record = _read(place)
        if record is None or not _is_alive(record.pid):
            with suppress(OSError):
                place.unlink()
        elif record.root == str(root) and find_running(record.address, root):
            return record.address
    return ""


def _files() -> list[Path]:
    with suppress(OSError):
        return sorted(servers_folder().glob("*.json"))
    return []


def _read(place: Path) -> _Record | None:
    try:
        return msgspec.json.decode(place.read_bytes(), type=_Record)
    except (OSError, msgspec.DecodeError):
        return None


def _is_alive(pid: int) -> bool:
    """Say whether there is a process of this number; one of another user is none of our servers."""
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return pid > 0
