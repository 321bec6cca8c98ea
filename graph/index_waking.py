"""Which files listen for what changed: by path and signal, and where it is told which names changed, by these too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from graph.index_frames import Done
from graph.index_plan import Known
from graph.resolve.asked import asks_for
from graph.resolve.interface_parts import changed_names

__all__ = ["dependents", "names_altered", "put_parts"]


def put_parts(connection: sqlite3.Connection, file_id: int, parts: bytes) -> bytes:
    """Keep what others can see of a file by name; return what was kept before, empty when nothing was."""
    row = connection.execute("SELECT parts FROM interface WHERE file = ?", (file_id,)).fetchone()
    if parts:
        connection.execute("INSERT OR REPLACE INTO interface(file, parts) VALUES (?, ?)", (file_id, parts))
    elif row is not None:
        connection.execute("DELETE FROM interface WHERE file = ?", (file_id,))
    return bytes(row[0]) if row is not None else b""


def names_altered(before: Known | None, done: Done, parts: bytes) -> frozenset[int] | None:
    """Return the names behind which an indexed file has something else now than before; None where it may be any.

    `parts` are those that were kept of it before.
    """
    if before is None or (before.status, before.language) != (done.status, done.language):
        return None
    return changed_names(done.path, parts, done.parts)


def dependents(
    connection: sqlite3.Connection, signals: Iterable[str], altered: Mapping[str, frozenset[int]]
) -> set[int]:
    """Return the files that listen for these signals: of any project, the caller knows which are its own.

    A path in `altered` wakes only those that asked for one of its names, or of which it is not known what they asked.
    """
    found: set[int] = set()
    for signal in signals:
        names = altered.get(signal)
        if names is None:
            rows = connection.execute("SELECT file FROM dependency WHERE on_path = ?", (signal,))
            found.update(row[0] for row in rows)
        else:
            rows = connection.execute(
                "SELECT d.file, a.names FROM dependency AS d LEFT JOIN asked AS a ON a.file = d.file "
                "WHERE d.on_path = ?",
                (signal,),
            )
            found.update(file_id for file_id, asked in rows if asked is None or asks_for(asked, names))
    return found
