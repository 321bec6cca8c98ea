"""What a sync says while it runs, and at its end."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

__all__ = ["Phase", "Progress", "ProgressListener", "SyncReport", "silent"]


class Phase(StrEnum):
    """The stages of a sync, in order; one without work is passed over."""

    WAITING = "waiting"
    """Another process is indexing this repository; `path` is the lock that it holds."""
    LISTING = "listing"
    EXTRACTING = "extracting"
    RESOLVING = "resolving"
    SEARCH = "search"


class Progress(Struct, frozen=True):
    """`done` of `total` files of a phase; both 0 while the total is not known. `path` is the latest file."""

    phase: Phase
    done: int = 0
    total: int = 0
    path: str = ""


class SyncReport(Struct, frozen=True, kw_only=True):
    """What a sync found and did; counts are files."""

    files: int
    indexed: int
    skipped: int
    changed: int
    """New, changed or worked on again."""
    removed: int
    resolved: int
    dangling_edges: int
    seconds: float
    commit: str
    store: str
    """The database."""
    elsewhere: str = ""
    """Why the store is not beside the repository; empty when it is."""


ProgressListener: TypeAlias = Callable[[Progress], None]
"""Called on the thread that syncs, some times a second; must not block."""


def silent(progress: Progress) -> None:
    """Listen to nothing."""
    del progress
