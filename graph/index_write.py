"""The write side of the graph's own tables. Everything runs inside the transaction of the caller.

The rule that must stay true: a node keeps its row id as long as its key exists. Edges of other files point at ids, so
a changed file whose names stay the same leaves the rest of the graph untouched.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from graph.files import FileStat
from graph.index_frames import Done, NodeRow
from graph.model import Edge

__all__ = ["EdgeWriter", "clear_project", "forget_resolution", "put_file", "put_nodes", "put_stat", "remove_files"]

_NODE_COLUMNS = (
    "key, kind, name, qualname, start_line, end_line, name_line, signature, doc, parent, is_test, is_exported"
)


def put_file(connection: sqlite3.Connection, project: int, done: Done, stat: FileStat) -> int:
    """Write the row of a file and return its id, which an earlier row of that path keeps."""
    row = connection.execute(
        "INSERT INTO file(project, path, language, blob, size, mtime_ns, ctime_ns, inode, status, reason, line_count, "
        "error_count, interface, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (project, path) DO UPDATE SET language = excluded.language, blob = excluded.blob, "
        "size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns, inode = excluded.inode, "
        "status = excluded.status, reason = excluded.reason, line_count = excluded.line_count, "
        "error_count = excluded.error_count, interface = excluded.interface, doc = excluded.doc RETURNING id",
        (
            *(project, done.path, done.language, done.blob, stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode),
            *(done.status, done.reason, done.line_count, done.error_count, done.interface, done.doc),
        ),
    )
    return int(row.fetchone()[0])


def put_stat(connection: sqlite3.Connection, file_id: int, stat: FileStat) -> None:
    """Remember the new stat of a file whose bytes are the known ones."""
    connection.execute(
        "UPDATE file SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE id = ?",
        (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, file_id),
    )


def put_nodes(connection: sqlite3.Connection, project: int, file_id: int, done: Done) -> set[int]:
    """Make the nodes and markers of a file those of `done`; return the files with edges to nodes that are gone."""
    old = {
        row[1]: (row[0], row[1:])
        for row in connection.execute(f"SELECT id, {_NODE_COLUMNS} FROM node WHERE file = ?", (file_id,))  # noqa: S608 - constant
    }
    new = {row[0]: row for row in done.nodes}
    gone = [(old[key][0],) for key in old.keys() - new.keys()]
    bereft = _sources_of(connection, (node for (node,) in gone))
    connection.executemany("DELETE FROM node WHERE id = ?", gone)
    connection.executemany(
        "UPDATE node SET kind = ?, name = ?, qualname = ?, start_line = ?, end_line = ?, name_line = ?, signature = ?, "
        "doc = ?, parent = ?, is_test = ?, is_exported = ? WHERE id = ?",
        [(*row[1:], old[key][0]) for key, row in new.items() if key in old and old[key][1] != row],
    )
    _insert_nodes(connection, project, file_id, [row for key, row in new.items() if key not in old])
    connection.execute("DELETE FROM marker WHERE file = ?", (file_id,))
    connection.executemany(
        "INSERT INTO marker(file, category, line, text) VALUES (?, ?, ?, ?)",
        [(file_id, *marker) for marker in done.markers],
    )
    return bereft - {file_id}


def remove_files(connection: sqlite3.Connection, file_ids: Iterable[int]) -> set[int]:
    """Forget files with everything that hangs on them; return the other files with edges into them."""
    ids = set(file_ids)
    bereft: set[int] = set()
    for file_id in ids:
        nodes = [row[0] for row in connection.execute("SELECT id FROM node WHERE file = ?", (file_id,))]
        bereft |= _sources_of(connection, nodes)
        connection.execute("DELETE FROM file WHERE id = ?", (file_id,))
    return bereft - ids


def forget_resolution(connection: sqlite3.Connection, file_ids: Iterable[int]) -> None:
    """Delete what the resolution of these files gave: edges, unresolved calls, dependencies."""
    ids = [(file_id,) for file_id in file_ids]
    for table in ("edge", "unresolved", "dependency", "handed", "asked"):
        connection.executemany(f"DELETE FROM {table} WHERE file = ?", ids)  # noqa: S608 - one of five words


def clear_project(connection: sqlite3.Connection, project: int) -> None:
    """Delete every file of a project with everything that hangs on it."""
    connection.execute("DELETE FROM edge WHERE project = ?", (project,))  # in one go, not node by node
    connection.execute("DELETE FROM file WHERE project = ?", (project,))


class EdgeWriter:
    """Writes the resolution of files; remembers the ids of keys, which must not change meanwhile."""

    def __init__(self, connection: sqlite3.Connection, project: int, *, all_at_once: bool) -> None:
        self._connection = connection
        self._project = project
        self._ids: dict[str, int | None] = {}
        self.dangling = 0
        """Edges whose ends the store does not hold; they are left out. More than none is a fault of a resolver."""
        if all_at_once:
            self._ids.update(connection.execute("SELECT key, id FROM node WHERE project = ?", (project,)))

    def put(
        self,
        file_id: int,
        edges: Iterable[Edge],
        unresolved: Iterable[tuple[str, str, int]],
        depends_on: Iterable[str],
        handed: Iterable[tuple[str, str]] = (),
        asked: bytes | None = None,
    ) -> None:
        """Write the edges, the unresolved calls as (source key, name, line), the paths a file depends on.

        `handed` are the pairs of keys of what it hands to functions of other files (see `graph.index_handed`); `asked`
        is what it asked other files for, None for anything.
        """
        self._connection.executemany(
            "INSERT INTO edge(project, src, dst, kind, file, provenance, confidence, lines) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            self._edge_rows(file_id, edges),
        )
        self._connection.executemany(
            "INSERT INTO unresolved(project, file, src, name, line) VALUES (?, ?, ?, ?, ?)",
            [
                (self._project, file_id, src, name, line)
                for key, name, line in sorted(set(unresolved))
                if (src := self._id(key)) is not None
            ],
        )
        self._connection.executemany(
            "INSERT INTO dependency(file, on_path) VALUES (?, ?)", [(file_id, path) for path in sorted(set(depends_on))]
        )
        if asked is not None:
            self._connection.execute("INSERT INTO asked(file, names) VALUES (?, ?)", (file_id, asked))
        pairs = [(self._id(src), self._id(dst)) for src, dst in handed]
        self._connection.executemany(
            "INSERT INTO handed(project, file, src, dst) VALUES (?, ?, ?, ?)",
            [(self._project, file_id, src, dst) for src, dst in pairs if src is not None and dst is not None],
        )

    def _edge_rows(self, file_id: int, edges: Iterable[Edge]) -> list[tuple[object, ...]]:
        """Return the rows in the order of the table's key; lines of equal edges are united."""
        merged: dict[tuple[int, str, int, str], tuple[float, set[int]]] = {}
        for edge in edges:
            src, dst = self._id(edge.src), self._id(edge.dst)
            if src is None or dst is None:
                self.dangling += 1
                continue
            key = (src, edge.kind.value, dst, edge.provenance.value)
            confidence, lines = merged.get(key, (0.0, set[int]()))
            merged[key] = (max(confidence, edge.confidence), lines.union(edge.lines))
        return [
            (self._project, src, dst, kind, file_id, provenance, confidence, ",".join(map(str, sorted(lines))))
            for (src, kind, dst, provenance), (confidence, lines) in sorted(merged.items())
        ]

    def _id(self, key: str) -> int | None:
        if key not in self._ids:
            row = self._connection.execute(
                "SELECT id FROM node WHERE project = ? AND key = ?", (self._project, key)
            ).fetchone()
            self._ids[key] = row[0] if row is not None else None
        return self._ids[key]


def _insert_nodes(connection: sqlite3.Connection, project: int, file_id: int, rows: Sequence[NodeRow]) -> None:
    connection.executemany(
        f"INSERT INTO node(project, file, {_NODE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - constant
        [(project, file_id, *row) for row in rows],
    )


def _sources_of(connection: sqlite3.Connection, nodes: Iterable[int]) -> set[int]:
    return {
        row[0] for node in nodes for row in connection.execute("SELECT DISTINCT file FROM edge WHERE dst = ?", (node,))
    }
