"""The symbols at pasted places: `path:line`, the frames of a stack trace. Paths may be absolute, or a tail of ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graph.search.identifiers import EXACT
from graph.search.lexical import Scope, documents_in
from graph.search.pasted import Frame
from graph.search.ranking import Ranked

__all__ = ["at_places"]

_STEP = 0.01
"""Between frames, so that they keep their order."""


def at_places(connection: sqlite3.Connection, project_id: int, frames: Sequence[Frame], scope: Scope) -> list[Ranked]:
    """Return the smallest symbol around each place that is in the index, in the order given, each once."""
    documents: dict[int, None] = {}
    for frame in frames:
        for file_id in _files(connection, project_id, frame.path):
            row = connection.execute(
                "SELECT d.id FROM node n JOIN search_document d ON d.node = n.id "
                "WHERE n.file = ? AND n.start_line <= ? AND n.end_line >= ? "
                "ORDER BY n.end_line - n.start_line, n.start_line DESC, n.key LIMIT 1",
                (file_id, frame.line, frame.line),
            ).fetchone()
            if row is not None:
                documents.setdefault(int(row[0]))
    found = documents_in(connection, list(documents), scope)
    return [Ranked(candidate, EXACT + 2 - _STEP * rank, ("place",)) for rank, candidate in enumerate(found)]


def _files(connection: sqlite3.Connection, project_id: int, pasted: str) -> list[int]:
    """Return the files that a pasted path means: the longest of ours that it ends in, else those that end in it."""
    parts = [part for part in pasted.split("/") if part not in {"", "."}]
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        row = connection.execute(
            "SELECT id FROM file WHERE project = ? AND path = ? AND status = 'indexed'", (project_id, tail)
        ).fetchone()
        if row is not None:
            return [int(row[0])]
    for start in range(len(parts)):
        tail = "/" + "/".join(parts[start:])
        rows = connection.execute(
            "SELECT id FROM file WHERE project = ? AND substr(path, -?) = ? AND status = 'indexed' "
            "ORDER BY path LIMIT 3",
            (project_id, len(tail), tail),
        ).fetchall()
        if rows:
            return [int(row[0]) for row in rows]
    return []
