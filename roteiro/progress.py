"""Showing work that takes a while: a bar on a terminal, a line now and then elsewhere. Always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from roteiro.terminal import say

__all__ = ["Show", "showing"]

_LINE_EVERY_S = 5.0
_NOTHING_BEFORE_S = 0.5
"""Work that is done sooner shows nothing: a flash of a bar is noise."""


class Show(Protocol):
    """Told what is being done and how much of it; a total of 0 means unknown."""

    def __call__(self, activity: str, done: int, total: int, /) -> None:
        """Show it."""
        ...

    def pause(self) -> None:
        """Take what is shown off the screen until the next call, because a question is coming."""
        ...


@contextmanager
def showing(*, is_bytes: bool = False) -> Generator[Show]:
    """Yield a function that shows progress until the block ends."""
    if not sys.stderr.isatty():
        yield _Lines(is_bytes=is_bytes)
        return
    bar = _Bar(is_bytes=is_bytes)
    try:
        yield bar
    finally:
        bar.pause()


class _Lines:
    """Progress as lines, for logs: the first after a moment, then one every few seconds."""

    def __init__(self, *, is_bytes: bool) -> None:
        self._is_bytes = is_bytes
        self._next = time.monotonic() + _NOTHING_BEFORE_S

    def __call__(self, activity: str, done: int, total: int, /) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _LINE_EVERY_S
        say(f"{activity}: {_amount(done, total, is_bytes=self._is_bytes)}")

    def pause(self) -> None:
        """Do nothing: lines stay where they are."""


class _Bar:
    """Progress as a bar of rich, which is only loaded when there is something to show."""

    def __init__(self, *, is_bytes: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}"))
        self._is_bytes = is_bytes
        # What moves files may be silent for long after its first word, so it is shown at once.
        self._begin = time.monotonic() + (0.0 if is_bytes else _NOTHING_BEFORE_S)
        self._progress = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("", total=None, amount="")
        self._is_running = False

    def __call__(self, activity: str, done: int, total: int, /) -> None:
        if not self._is_running:
            if time.monotonic() < self._begin:
                return
            self._progress.start()
            self._is_running = True
        amount = _amount(done, total, is_bytes=self._is_bytes)
        self._progress.update(self._task, description=activity, completed=done, total=total or None, amount=amount)

    def pause(self) -> None:
        """Take the bar off the screen until the next call."""
        if self._is_running:
            self._progress.stop()
            self._is_running = False


def _amount(done: int, total: int, *, is_bytes: bool) -> str:
    if is_bytes:
        return f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB" if total else f"{done / 1e6:,.0f} MB"
    return f"{done:,} of {total:,}" if total else f"{done:,}"
