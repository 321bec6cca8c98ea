"""One writer at a time: an advisory lock on a file, released by the system when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from graph.errors import StoreError

if sys.platform != "win32":
    import fcntl

__all__ = ["held"]

_POLL_S = 0.05


@contextmanager
def held(path: Path, *, wait_s: float, on_wait: Callable[[], None] | None = None) -> Generator[None]:
    """Hold the lock for the block; `on_wait` is called once when somebody else holds it.

    Raises:
        StoreError: it is still held after `wait_s`.

    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        _acquire(handle, path, wait_s, on_wait)
        yield
    finally:
        os.close(handle)  # closing releases it


def _acquire(handle: int, path: Path, wait_s: float, on_wait: Callable[[], None] | None) -> None:
    give_up = time.monotonic() + wait_s
    told = False
    while not _try(handle):
        if time.monotonic() >= give_up:
            raise StoreError(
                f"another Roteiro is indexing this repository (it holds {path}). Wait for it, or end it and try again."
            )
        if on_wait is not None and not told:
            told = True
            on_wait()
        time.sleep(_POLL_S)


def _try(handle: int) -> bool:
    if sys.platform == "win32":
        return True  # SQLite's own write lock is what is left there
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
