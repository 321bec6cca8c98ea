"""The markers that people leave where work is owed, each with the symbol around it."""

from __future__ import annotations

import re

from msgspec import Struct

from graph.errors import ArgumentError
from graph.lookup import GraphReader
from graph.paging import below, next_cursor, page_offset

__all__ = ["CATEGORIES", "DebtList", "DebtMarker", "debt"]

CATEGORIES = ("FIXME", "HACK", "TODO", "XXX")


class DebtMarker(Struct, frozen=True, kw_only=True):
    """One marker; `key` and `name` are of the smallest symbol around it, of the file where there is none."""

    path: str
    start_line: int
    end_line: int
    key: str
    name: str
    category: str
    text: str


class DebtList(Struct, frozen=True, kw_only=True):
    """The markers of some categories, by path and line."""

    categories: tuple[str, ...]
    path: str
    markers: tuple[DebtMarker, ...]
    total: int
    counts: dict[str, int]
    """How many there are of every category below `path`, the most first."""
    offset: int = 0
    cursor: str = ""


def debt(store: GraphReader, categories: str = "", *, path: str = "", limit: int = 50, cursor: str = "") -> DebtList:
    """Return the markers of some categories, separated by commas (empty means all of them), below a path.

    Raises:
        ArgumentError: there is no such category.
    """
    offset, wanted = page_offset(cursor), _checked(categories)
    where, values = below(path)
    counts = _counts(store, where, values)
    marks = ",".join("?" * len(wanted))
    rows = store.read().execute(
        f"SELECT f.id, f.path, m.category, m.line, m.text FROM marker AS m JOIN file AS f ON f.id = m.file "  # noqa: S608 (constant conditions)
        f"WHERE f.project = ?{where} AND m.category IN ({marks}) "
        "ORDER BY f.path, m.line, m.category, m.text LIMIT ? OFFSET ?",
        (store.project_id, *values, *wanted, limit, offset),
    )
    markers = tuple(_marker(store, *row) for row in rows.fetchall())
    total = sum(count for category, count in counts.items() if category in wanted)
    return DebtList(
        categories=wanted,
        path=path,
        markers=markers,
        total=total,
        counts=counts,
        offset=offset,
        cursor=next_cursor(offset, len(markers), total),
    )


def _checked(written: str) -> tuple[str, ...]:
    wanted = {part.upper() for part in re.split(r"[,\s]+", written) if part}
    unknown = sorted(wanted.difference(CATEGORIES))
    if unknown:
        raise ArgumentError(
            "categories",
            f"`categories`: there is no category {unknown[0]!r}. The categories are: {', '.join(CATEGORIES)}.",
        )
    return tuple(sorted(wanted)) or CATEGORIES


def _counts(store: GraphReader, where: str, values: tuple[str, ...]) -> dict[str, int]:
    rows = store.read().execute(
        f"SELECT m.category, COUNT(*) FROM marker AS m JOIN file AS f ON f.id = m.file WHERE f.project = ?{where} "  # noqa: S608 (a constant condition)
        "GROUP BY m.category ORDER BY 2 DESC, 1",
        (store.project_id, *values),
    )
    return {str(category): int(count) for category, count in rows}


def _marker(store: GraphReader, file_id: int, path: str, category: str, line: int, text: str) -> DebtMarker:
    """Return a marker with the smallest symbol around its line; a file begins at line 0 and holds them all."""
    row = (
        store.read()
        .execute(
            "SELECT key, qualname FROM node WHERE file = ? AND start_line <= ? AND end_line >= ? "
            "ORDER BY kind = 'file', end_line - start_line, start_line DESC, key LIMIT 1",
            (file_id, line, line),
        )
        .fetchone()
    )
    key, name = row if row is not None else (f"file:{path}", path)
    return DebtMarker(path=path, start_line=line, end_line=line, key=key, name=name, category=category, text=text)
