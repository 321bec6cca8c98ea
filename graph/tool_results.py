"""The answers of tools that are not already a struct of the query that made them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from graph.lookup import Symbol

ChangeStatus: TypeAlias = Literal["added", "removed", "changed", "moved"]

__all__ = ["Change", "ChangeStatus", "ChangesAnswer", "SearchAnswer", "SearchHit", "SourceAnswer"]


class SearchHit(Symbol, frozen=True, kw_only=True):
    """A ranked symbol, file or section."""

    lines: tuple[tuple[int, str], ...] = ()
    """The lines of its body with the most words of the query."""
    why: str = ""
    score: float = 0.0


class SearchAnswer(Struct, frozen=True, kw_only=True):
    """One page of hits."""

    query: str
    hits: tuple[SearchHit, ...]
    total: int
    offset: int = 0
    cursor: str = ""
    note: str = ""


class SourceAnswer(Struct, frozen=True, kw_only=True):
    """The exact text of some lines of a file."""

    path: str
    start_line: int
    end_line: int
    key: str
    name: str
    text: str
    line_count: int
    """Lines in the file."""
    asked_end_line: int
    """The last line that was asked for; `end_line` is smaller where the file ends before it."""


class Change(Symbol, frozen=True, kw_only=True):
    """A symbol that differs; the place of a removed one is where it was in the revision."""

    status: ChangeStatus
    was: str = ""
    """The key before, for a moved symbol; the signature before, where it changed."""


class ChangesAnswer(Struct, frozen=True, kw_only=True):
    """One page of what differs from a revision, by path and line."""

    base: str
    commit: str
    """What `base` names."""
    changes: tuple[Change, ...]
    total: int
    counts: dict[str, int]
    """Symbols by status."""
    files: int
    """Files with such symbols."""
    offset: int = 0
    cursor: str = ""
    notes: tuple[str, ...] = ()
