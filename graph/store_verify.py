"""Whether a store agrees with itself, and its rows in a form that two stores can be compared by."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.store import Store  # the store calls us

__all__ = ["problems", "snapshot"]

_RULES: tuple[tuple[str, str], ...] = (
    (
        "nodes whose parent is no node of the same file",
        (
            "SELECT count(*) FROM node AS n LEFT JOIN node AS p ON p.project = n.project AND p.key = n.parent "
            "WHERE n.project = :p AND n.parent IS NOT NULL AND (p.id IS NULL OR p.file != n.file)"
        ),
    ),
    (
        "nodes of files that are not indexed",
        "SELECT count(*) FROM node AS n JOIN file AS f ON f.id = n.file WHERE n.project = :p AND f.status != 'indexed'",
    ),
    (
        "indexed files without a node",
        (
            "SELECT count(*) FROM file AS f WHERE f.project = :p AND f.status = 'indexed' "
            "AND NOT EXISTS (SELECT 1 FROM node AS n WHERE n.file = f.id)"
        ),
    ),
    (
        "edges whose source is not in the file that they were resolved from",
        (
            "SELECT count(*) FROM edge AS e JOIN node AS n ON n.id = e.src WHERE e.project = :p AND n.file != e.file "
            "AND NOT EXISTS (SELECT 1 FROM handed AS h WHERE h.src = e.src AND h.dst = e.dst AND h.file = e.file)"
        ),
    ),
    (
        "edges with an impossible confidence or provenance",
        (
            "SELECT count(*) FROM edge WHERE project = :p AND (confidence <= 0 OR confidence > 1 "
            "OR provenance NOT IN ('derived', 'authored', 'inferred'))"
        ),
    ),
    (
        "edges that are not of the files that give them",
        (
            "SELECT count(*) FROM edge AS e LEFT JOIN file AS f ON f.id = e.file AND f.project = e.project "
            "WHERE e.project = :p AND f.id IS NULL"
        ),
    ),
    (
        "indexed files that search does not know",
        (
            "SELECT count(*) FROM file AS f WHERE f.project = :p AND f.status = 'indexed' "
            "AND NOT EXISTS (SELECT 1 FROM search_file AS s WHERE s.file = f.id)"
        ),
    ),
    (
        "search documents of files or nodes that are gone",
        (
            "SELECT count(*) FROM search_document AS d LEFT JOIN node AS n ON n.id = d.node AND n.file = d.file "
            "WHERE n.id IS NULL"
        ),
    ),
    (
        "vectors that are not those of the documents of their file",
        (
            "SELECT count(*) FROM search_vector AS v WHERE length(v.vectors) / 512 != (SELECT count(*) "
            "FROM search_document AS d WHERE d.file = v.file AND d.id >= v.first_document)"
        ),
    ),
    (
        "texts of files that are gone",
        "SELECT count(*) FROM search_file AS s LEFT JOIN file AS f ON f.id = s.file WHERE f.id IS NULL",
    ),
)

_ROWS: tuple[tuple[str, str], ...] = (
    ("project", "SELECT name, built_commit, versions FROM project WHERE id = :p"),
    (
        "file",
        (
            "SELECT path, language, blob, size, status, reason, line_count, error_count, interface, doc "
            "FROM file WHERE project = :p"
        ),
    ),
    (
        "node",
        (
            "SELECT f.path, n.key, n.kind, n.name, n.qualname, n.start_line, n.end_line, n.name_line, n.signature, "
            "n.doc, coalesce(n.parent, ''), n.is_test, n.is_exported FROM node AS n JOIN file AS f ON f.id = n.file "
            "WHERE n.project = :p"
        ),
    ),
    (
        "edge",
        (
            "SELECT s.key, d.key, e.kind, f.path, e.provenance, e.confidence, e.lines FROM edge AS e "
            "JOIN node AS s ON s.id = e.src JOIN node AS d ON d.id = e.dst JOIN file AS f ON f.id = e.file "
            "WHERE e.project = :p"
        ),
    ),
    (
        "unresolved",
        (
            "SELECT f.path, n.key, u.name, u.line FROM unresolved AS u JOIN file AS f ON f.id = u.file "
            "JOIN node AS n ON n.id = u.src WHERE u.project = :p"
        ),
    ),
    (
        "handed",
        (
            "SELECT s.key, d.key, f.path FROM handed AS h JOIN file AS f ON f.id = h.file "
            "JOIN node AS s ON s.id = h.src JOIN node AS d ON d.id = h.dst WHERE h.project = :p"
        ),
    ),
    (
        "dependency",
        "SELECT f.path, d.on_path FROM dependency AS d JOIN file AS f ON f.id = d.file WHERE f.project = :p",
    ),
    ("interface", "SELECT f.path, i.parts FROM interface AS i JOIN file AS f ON f.id = i.file WHERE f.project = :p"),
    ("asked", "SELECT f.path, a.names FROM asked AS a JOIN file AS f ON f.id = a.file WHERE f.project = :p"),
    (
        "marker",
        (
            "SELECT f.path, m.category, m.line, m.text FROM marker AS m JOIN file AS f ON f.id = m.file "
            "WHERE f.project = :p"
        ),
    ),
    (
        "search_file",
        "SELECT f.path, s.text FROM search_file AS s JOIN file AS f ON f.id = s.file WHERE f.project = :p",
    ),
    (
        "search_document",
        (
            "SELECT f.path, n.key FROM search_document AS d JOIN file AS f ON f.id = d.file "
            "JOIN node AS n ON n.id = d.node WHERE f.project = :p"
        ),
    ),
    (
        "search_vector",
        (
            "SELECT f.path, v.embedding, v.vectors FROM search_vector AS v JOIN file AS f ON f.id = v.file "
            "WHERE f.project = :p"
        ),
    ),
    ("search_term", "SELECT term, doc, cnt FROM search_term"),
)


def problems(connection: sqlite3.Connection, project_id: int) -> list[str]:
    """Return what is wrong in sentences: the file format, foreign keys, then the rules of the graph itself."""
    found = [f"SQLite: {row[0]}" for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    if found:
        return found  # the rules would only repeat the damage
    found += [f"a row of {row[0]} names a row of {row[2]} that is gone" for row in _dangling(connection)]
    for what, query in _RULES:
        count = connection.execute(query, {"p": project_id}).fetchone()[0]
        if count:
            found.append(f"{count} {what}")
    return found


def snapshot(store: Store) -> list[tuple[object, ...]]:
    """Return every row of a project with ids replaced by keys and paths, sorted.

    An incremental build and a cold one of the same files give equal lists. Times and inodes are left out.
    """
    connection = store.read()
    return [
        (table, *row)
        for table, query in _ROWS
        for row in sorted(connection.execute(query, {"p": store.project_id}).fetchall())
    ]


def _dangling(connection: sqlite3.Connection) -> Iterator[tuple[str, int, str, int]]:
    yield from connection.execute("PRAGMA foreign_key_check").fetchmany(20)
