"""Citations: `path:line` in a text, whether that place exists in the store, and the symbol around it."""

from __future__ import annotations

import re

from msgspec import Struct

from graph.lookup import NODE_COLUMNS, GraphReader, file_row, node_from_row
from graph.model import Node

__all__ = ["Citation", "cited_text", "exists", "parse_citations", "symbol_at"]

_CITATION = re.compile(
    r"""(?<![\w/.@:-])                             # never the tail of a longer path or of a URL
        (?P<path>(?:[\w.@+()\[\]-]+/)*[\w.@+()\[\]-]*\w\.?\w*)
        :(?P<start>[1-9]\d{0,6})
        (?:[-\u2013](?P<end>[1-9]\d{0,6}))?             # `10-12`; u2013: models write the en dash too
        (?![\w:]*\d)""",
    re.VERBOSE,
)


class Citation(Struct, frozen=True, kw_only=True):
    """A place that a text names; lines are 1-based and inclusive."""

    path: str
    start_line: int
    end_line: int
    offset: int = 0
    """Where it stands in the text."""


def parse_citations(text: str) -> tuple[Citation, ...]:
    """Return the places that a text names as `path:line` or `path:line-line`, in the order of the text, each once."""
    found: dict[tuple[str, int, int], Citation] = {}
    for match in _CITATION.finditer(text):
        start = int(match["start"])
        end = int(match["end"] or start)
        path = match["path"].removeprefix("./")
        if end < start or not _is_path(path):
            continue
        found.setdefault(
            (path, start, end), Citation(path=path, start_line=start, end_line=end, offset=match.start("path"))
        )
    return tuple(found.values())


def cited_text(path: str, start_line: int, end_line: int) -> str:
    """Return a place as it is cited: `path:12` or `path:12-20`."""
    return f"{path}:{start_line}" if end_line <= start_line else f"{path}:{start_line}-{end_line}"


def exists(store: GraphReader, path: str, start_line: int, end_line: int) -> bool:
    """Say whether the store holds the file, indexed, with all of these lines."""
    found = file_row(store, path)
    return found is not None and found.status == "indexed" and 1 <= start_line <= end_line <= found.line_count


def symbol_at(store: GraphReader, path: str, line: int) -> Node | None:
    """Return the smallest symbol around a line; the file itself for module-level code, None where nothing is known."""
    row = (
        store.read()
        .execute(
            f"SELECT {NODE_COLUMNS} FROM node AS n JOIN file AS f ON f.id = n.file "  # noqa: S608 (constants only)
            "WHERE f.project = ? AND f.path = ? AND n.start_line <= ? AND n.end_line >= ? "
            "ORDER BY n.end_line - n.start_line, n.start_line DESC, n.key LIMIT 1",
            (store.project_id, path, line, line),
        )
        .fetchone()
    )
    return None if row is None else node_from_row(row)


def _is_path(path: str) -> bool:
    """Say no to times (`12:30`), hosts with ports (`localhost:8017`) and plain words before a number."""
    name = path.rsplit("/", 1)[-1]
    if "/" in path:
        return True
    return re.search(r"[A-Za-z_]\.[A-Za-z]\w*$", name) is not None or name in {"Makefile", "Dockerfile"}
