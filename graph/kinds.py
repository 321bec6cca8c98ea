"""Every symbol of one kind, below a path, a page at a time."""

from __future__ import annotations

from difflib import get_close_matches

from msgspec import Struct

from graph.errors import ArgumentError
from graph.lookup import NODE_COLUMNS, GraphReader, Symbol, node_from_row, symbol_of
from graph.model import NodeKind
from graph.paging import below, next_cursor, page_offset

__all__ = ["KindList", "list_kind"]

_TEST = "test"
"""Not a kind of its own: the functions and methods of tests whose names begin so."""
_TEST_CONDITION = "n.is_test = 1 AND n.kind IN ('function', 'method') AND LOWER(n.name) LIKE 'test%'"


class KindList(Struct, frozen=True, kw_only=True):
    """The symbols of a kind, by path and line."""

    kind: str
    path: str
    symbols: tuple[Symbol, ...]
    total: int
    counts: dict[str, int]
    """How many there are of every kind below `path`, the most first."""
    offset: int = 0
    cursor: str = ""


def list_kind(store: GraphReader, kind: str, *, path: str = "", limit: int = 50, cursor: str = "") -> KindList:
    """Return the symbols of a kind below a path; `test` lists test functions.

    Raises:
        ArgumentError: there is no such kind; names the nearest.
    """
    offset, wanted = page_offset(cursor), _checked(kind)
    where, values = below(path)
    condition, of_kind = (_TEST_CONDITION, ()) if wanted == _TEST else ("n.kind = ?", (wanted,))
    base = f"FROM node AS n JOIN file AS f ON f.id = n.file WHERE n.project = ? AND {condition}{where}"
    given = (store.project_id, *of_kind, *values)
    counts = _counts(store, path)
    total = counts.get(wanted, 0) if wanted != _TEST else _count(store, base, given)
    rows = store.read().execute(
        f"SELECT {NODE_COLUMNS} {base} ORDER BY f.path, n.start_line, n.key LIMIT ? OFFSET ?",
        (*given, limit, offset),
    )
    symbols = tuple(symbol_of(node_from_row(row)) for row in rows)
    return KindList(
        kind=wanted,
        path=path,
        symbols=symbols,
        total=total,
        counts=counts,
        offset=offset,
        cursor=next_cursor(offset, len(symbols), total),
    )


def _checked(kind: str) -> str:
    """Return a kind as the store writes it: lower case, one of them rather than many."""
    known = (*(known.value for known in NodeKind), _TEST)
    written = kind.strip().lower()
    singular = {"classes": "class", "adrs": "adr"}.get(written, written.removesuffix("s"))
    for spelling in (written, singular):
        if spelling in known:
            return spelling
    near = get_close_matches(written, known, n=1)
    meant = f" Did you mean `{near[0]}`?" if near else ""
    raise ArgumentError("kind", f"`kind`: there is no kind {kind!r}.{meant} The kinds are: {', '.join(known)}.")


def _count(store: GraphReader, base: str, given: tuple[object, ...]) -> int:
    return int(store.read().execute(f"SELECT COUNT(*) {base}", given).fetchone()[0])


def _counts(store: GraphReader, path: str) -> dict[str, int]:
    where, values = below(path)
    rows = store.read().execute(
        f"SELECT n.kind, COUNT(*) FROM node AS n JOIN file AS f ON f.id = n.file WHERE n.project = ?{where} "  # noqa: S608 (a constant condition)
        "GROUP BY n.kind ORDER BY 2 DESC, 1",
        (store.project_id, *values),
    )
    return {str(kind): int(count) for kind, count in rows}
