"""The answers of tools that are not already a struct of the query that made them."""

from __future__ import annotations

from msgspec import Struct

from graph.lookup import Symbol

__all__ = ["SearchAnswer", "SearchHit", "SourceAnswer"]


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
