"""Calls of parameters by what other files hand over: `run(job)` here, `def run(task): task()` there.

The edge from `run` to `job` belongs to neither file alone: its source stands in one, and only the other one gives it.
So each file keeps what it hands over, and the edges are made anew from all of that at the end of a sync. Such an edge
is told by its file, which is not the one of its source; where the function's own file gives the same edge, that stands.
"""

from __future__ import annotations

import sqlite3

from graph.resolve.handing import handed_edges

__all__ = ["settle", "take_back"]


def take_back(connection: sqlite3.Connection, project: int) -> None:
    """Delete the edges that were made of what files hand over, before any of these files is resolved again."""
    pairs = connection.execute("SELECT DISTINCT src, dst FROM handed WHERE project = ?", (project,)).fetchall()
    connection.executemany(
        "DELETE FROM edge WHERE src = ? AND kind = 'calls' AND dst = ? AND provenance = 'derived' "
        "AND file != (SELECT n.file FROM node AS n WHERE n.id = edge.src)",
        pairs,
    )


def settle(connection: sqlite3.Connection, project: int) -> None:
    """Make the edges of what all files hand over now."""
    rows = connection.execute(
        "SELECT h.src, h.dst, f.path, h.file FROM handed AS h JOIN file AS f ON f.id = h.file WHERE h.project = ?",
        (project,),
    ).fetchall()
    files = {path: file_id for _, _, path, file_id in rows}
    made = handed_edges((src, dst, path) for src, dst, path, _ in rows)
    connection.executemany(
        "INSERT OR IGNORE INTO edge(project, src, dst, kind, file, provenance, confidence, lines) "
        "VALUES (?, ?, ?, 'calls', ?, 'derived', 1.0, '')",
        [(project, src, dst, files[path]) for src, dst, path in made],
    )
