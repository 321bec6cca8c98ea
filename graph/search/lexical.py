"""Candidates: which documents hold the terms of a question, and which symbols have a name like the one asked for.

The only module of the read side that speaks SQL. Every function takes the same `Scope`, so a filter can never be
forgotten on one way in.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from fnmatch import translate

from msgspec import Struct

from graph.search.parsing import Filters

__all__ = [
    "Candidate",
    "Scope",
    "caller_names",
    "candidates",
    "document_counts",
    "documents_in",
    "edges_among",
    "exactly_named",
    "in_degrees",
    "matching_ids",
    "named",
    "scope_of",
]

_COLUMN_WEIGHTS = (4.0, 4.0, 2.0, 1.5, 3.0, 1.0)
"""Of name, parts, path, signature, doc, body in BM25; measured over five repositories."""

_ROW = (
    "d.id, n.id, f.id, f.path, f.language, n.key, n.kind, n.name, n.qualname, n.start_line, n.end_line, n.signature, "
    "n.doc, n.is_test"
)
_JOINS = "JOIN node n ON n.id = d.node JOIN file f ON f.id = n.file"


class Candidate(Struct, frozen=True, kw_only=True):
    """A node that may answer, as the store has it. `document` is its id in the text index."""

    document: int
    node: int
    file: int
    path: str
    language: str
    key: str
    kind: str
    name: str
    qualname: str
    start_line: int
    end_line: int
    signature: str
    doc: str
    is_test: bool
    bm25: float = 0.0
    """Higher is better; 0 for a candidate found by its name."""


class Scope(Struct, frozen=True):
    """A WHERE clause on `n` and `f`, with its values."""

    clause: str
    values: tuple[str | int, ...]
    matches_no_file: bool = False
    """There is a path filter, and no file matches it."""

    @property
    def is_narrow(self) -> bool:
        """There is a filter at all."""
        return len(self.values) > 1 or " AND " in self.clause


def scope_of(connection: sqlite3.Connection, project_id: int, filters: Filters) -> Scope:
    """Return the clause of the filters. Paths are matched here and not in SQL: globs mean what they do in git."""
    clauses = ["n.project = ?"]
    values: list[str | int] = [project_id]
    if filters.kinds:
        clauses.append(f"n.kind IN ({_marks(filters.kinds)})")
        values.extend(filters.kinds)
    if filters.languages:
        clauses.append(f"f.language IN ({_marks(filters.languages)})")
        values.extend(filters.languages)
    if filters.is_test is not None:
        clauses.append("n.is_test = ?")
        values.append(int(filters.is_test))
    matches_no_file = False
    if filters.paths or filters.not_paths:
        wanted = _matching_files(connection, project_id, filters)
        clauses.append(f"f.id IN ({','.join(map(str, wanted))})")  # integers from our own table
        matches_no_file = not wanted
    return Scope(" AND ".join(clauses), tuple(values), matches_no_file)


def candidates(connection: sqlite3.Connection, match: str, scope: Scope, limit: int) -> tuple[list[Candidate], int]:
    """Return the best documents of an FTS5 expression by BM25, and how many there are in all."""
    weights = ", ".join(map(str, _COLUMN_WEIGHTS))
    tables = f"search_text JOIN search_document d ON d.id = search_text.rowid {_JOINS}"
    where = f"search_text MATCH ? AND {scope.clause}"
    rows = connection.execute(
        f"SELECT {_ROW}, -bm25(search_text, {weights}) AS score FROM {tables} WHERE {where} "  # noqa: S608 - constants
        "ORDER BY score DESC, n.key LIMIT ?",
        (match, *scope.values, limit),
    ).fetchall()
    total = len(rows)
    if total == limit:
        count = f"SELECT count(*) FROM {tables} WHERE {where}"  # noqa: S608 - constants and bound values
        total = connection.execute(count, (match, *scope.values)).fetchone()[0]
    return [_candidate(row) for row in rows], total


def documents_in(connection: sqlite3.Connection, documents: Sequence[int], scope: Scope) -> list[Candidate]:
    """Return these documents as candidates, those outside the scope left out, in the order given."""
    if not documents:
        return []
    listed = ",".join(map(str, documents))
    # CROSS JOIN keeps the order: SQLite would rather walk every node of the project (200 ms for 60,000).
    rows = connection.execute(
        f"SELECT {_ROW}, 0.0 FROM search_document d CROSS JOIN node n ON n.id = d.node "  # noqa: S608 - constants and integers of ours
        f"CROSS JOIN file f ON f.id = n.file WHERE d.id IN ({listed}) AND {scope.clause}",
        scope.values,
    ).fetchall()
    place = {document: index for index, document in enumerate(documents)}
    return sorted((_candidate(row) for row in rows), key=lambda found: place[found.document])


def named(connection: sqlite3.Connection, squeezed: str, scope: Scope, limit: int) -> list[Candidate]:
    """Return the symbols whose name holds this one, case and underscores aside, shortest first.

    One pass over the names (8 ms for 54,000): cheaper than keeping a trigram table.
    """
    rows = connection.execute(
        f"SELECT {_ROW}, 0.0 FROM node n JOIN file f ON f.id = n.file "  # noqa: S608 - constants and bound values
        "JOIN search_document d ON d.node = n.id "
        f"WHERE replace(n.name, '_', '') LIKE ? ESCAPE '\\' AND {scope.clause} "
        "ORDER BY length(n.name), n.is_test, n.key LIMIT ?",
        (f"%{_escaped(squeezed)}%", *scope.values, limit),
    ).fetchall()
    return [_candidate(row) for row in rows]


def exactly_named(connection: sqlite3.Connection, names: Sequence[str], scope: Scope) -> list[Candidate]:
    """Return the symbols with one of these names, by key."""
    rows = connection.execute(
        f"SELECT {_ROW}, 0.0 FROM node n JOIN file f ON f.id = n.file "  # noqa: S608 - constants and bound values
        f"JOIN search_document d ON d.node = n.id WHERE n.name IN ({_marks(names)}) AND {scope.clause} ORDER BY n.key",
        (*names, *scope.values),
    ).fetchall()
    return [_candidate(row) for row in rows]


def document_counts(connection: sqlite3.Connection, terms: Iterable[str]) -> tuple[dict[str, int], int]:
    """Return in how many documents each term stands, and how many documents there are."""
    counts: dict[str, int] = {}
    for term in terms:
        row = connection.execute("SELECT doc FROM search_term WHERE term = ?", (term,)).fetchone()
        counts[term] = row[0] if row else 0
    return counts, connection.execute("SELECT count(*) FROM search_document").fetchone()[0]


def matching_ids(connection: sqlite3.Connection, column: str, term: str) -> set[int]:
    """Return the documents that hold a term in one column."""
    rows = connection.execute("SELECT rowid FROM search_text WHERE search_text MATCH ?", (f'{column} : "{term}"',))
    return {row[0] for row in rows}


def caller_names(connection: sqlite3.Connection, node: int, limit: int) -> tuple[str, ...]:
    """Return the names of up to `limit` callers that are known for sure, in the order of their keys."""
    rows = connection.execute(
        "SELECT n.name FROM edge e JOIN node n ON n.id = e.src "
        "WHERE e.dst = ? AND e.kind = 'calls' AND e.provenance != 'inferred' ORDER BY n.key LIMIT ?",
        (node, limit),
    )
    return tuple(row[0] for row in rows)


def in_degrees(connection: sqlite3.Connection, nodes: Sequence[int]) -> dict[int, int]:
    """Return by how many symbols each node is called or referred to for sure; nodes without any are left out."""
    listed = ",".join(map(str, nodes))
    rows = connection.execute(
        f"SELECT dst, count(*) FROM edge WHERE dst IN ({listed}) "  # noqa: S608 - integers from our own table
        "AND kind IN ('calls', 'references', 'inherits', 'imports') AND provenance != 'inferred' GROUP BY dst"
    )
    return dict(rows.fetchall())


def edges_among(
    connection: sqlite3.Connection, nodes: Sequence[int], kinds: Sequence[str]
) -> list[tuple[int, int, str]]:
    """Return the edges of these kinds that are known for sure between these nodes, (source, target, kind)."""
    listed = ",".join(map(str, nodes))
    rows = connection.execute(
        f"SELECT src, dst, kind FROM edge WHERE src IN ({listed}) AND dst IN ({listed}) "  # noqa: S608 - integers from our own table
        f"AND kind IN ({_marks(kinds)}) AND provenance != 'inferred'",
        tuple(kinds),
    )
    return rows.fetchall()


def _candidate(row: tuple[int, int, int, str, str, str, str, str, str, int, int, str, str, int, float]) -> Candidate:
    return Candidate(
        document=row[0],
        node=row[1],
        file=row[2],
        path=row[3],
        language=row[4],
        key=row[5],
        kind=row[6],
        name=row[7],
        qualname=row[8],
        start_line=row[9],
        end_line=row[10],
        signature=row[11],
        doc=row[12],
        is_test=bool(row[13]),
        bm25=row[14],
    )


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def _escaped(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def _matching_files(connection: sqlite3.Connection, project_id: int, filters: Filters) -> list[int]:
    rows = connection.execute("SELECT id, path FROM file WHERE project = ?", (project_id,)).fetchall()
    wanted = [_path_pattern(path) for path in filters.paths]
    unwanted = [_path_pattern(path) for path in filters.not_paths]
    return [
        file_id
        for file_id, path in rows
        if (not wanted or any(pattern.search(path) for pattern in wanted))
        and not any(pattern.search(path) for pattern in unwanted)
    ]


def _path_pattern(value: str) -> re.Pattern[str]:
    """Return a pattern: a glob for the whole path or its end, anything else a run of whole parts (a folder, a file)."""
    if any(mark in value for mark in "*?["):
        return re.compile(rf"(?:^|/){translate(value)}")
    return re.compile(rf"(?:^|/){re.escape(value)}(?:/|$)" if value else "")
