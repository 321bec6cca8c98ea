"""How long work on a model file tells of itself."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "no_progress"]


class Progress(Protocol):
    """Told what is being done, and how many of how many bytes are done."""

    def __call__(self, activity: str, done: int, total: int, /) -> None:
        """Show it."""
        ...


def no_progress(activity: str, done: int, total: int, /) -> None:
    """Show nothing."""
