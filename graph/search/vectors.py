"""The vectors of the index: a row for each indexed file, with a vector for each of its documents.

Written after the text index and from what that keeps, so a file's vectors depend on that file only. Half-precision
numbers: 512 bytes a document. A query is compared with all of them at once (54,000 take some 20 ms), from a copy in
memory that is read again when the table has changed.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from graph.search.embedding import DIMENSIONS, Embedder
from graph.search.indexing import Document, read_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Likeness", "drop", "due", "has_vectors", "likeness", "put"]

_BODY = 500
"""Characters of a body that count: its beginning says what it does, and more of it drowns the name."""
_DOC = 400
_KEPT_TABLES = 2


class Likeness(Struct, frozen=True):
    """How near each document is to a text, by document id: cosines from -1 to 1."""

    documents: NDArray[np.int64]
    cosines: NDArray[np.float32]

    def of(self, documents: Sequence[int]) -> dict[int, float]:
        """Return the cosines of some documents; those without a vector are left out."""
        import numpy as np

        if not len(self.documents):
            return {}
        wanted = np.asarray(documents, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.documents, wanted), len(self.documents) - 1)
        there = self.documents[at] == wanted
        return {int(d): float(c) for d, c in zip(wanted[there], self.cosines[at[there]], strict=True)}

    def nearest(self, count: int, least: float) -> list[int]:
        """Return the documents nearest to the text, best first, of at least this cosine; equal ones by id."""
        import numpy as np

        near = np.flatnonzero(self.cosines >= least)
        if len(near) > count:  # those as near as the last one kept are sorted too, so that ties go by id
            border = np.partition(self.cosines[near], len(near) - count)[len(near) - count]
            near = near[self.cosines[near] >= border]
        order = near[np.lexsort((self.documents[near], -self.cosines[near]))][:count]
        return [int(document) for document in self.documents[order]]


class _Table(Struct, frozen=True):
    """All vectors of a database as they were at a state of its table."""

    state: tuple[int, int]
    documents: NDArray[np.int64]
    vectors: NDArray[np.float16]


_tables: dict[tuple[str, str], _Table] = {}
_guard = threading.Lock()


def due(connection: sqlite3.Connection, project_id: int, name: str) -> list[int]:
    """Return the indexed files of a project without vectors of this name, in the order of their paths."""
    rows = connection.execute(
        "SELECT f.id FROM file f JOIN search_file s ON s.file = f.id "
        "LEFT JOIN search_vector v ON v.file = f.id AND v.embedding = ? "
        "WHERE f.project = ? AND v.id IS NULL ORDER BY f.path",
        (name, project_id),
    )
    return [row[0] for row in rows]


def put(connection: sqlite3.Connection, file_ids: Sequence[int], embedder: Embedder) -> None:
    """Write the vectors of these files, in place of what was there. Inside the caller's transaction."""
    import numpy as np

    for file_id in file_ids:
        found = read_file(connection, file_id)
        if found is None or not found[1]:
            continue
        text, documents = found
        lines = text.split("\n")
        vectors = np.stack([embedder.embed(_text_of(document, lines)) for document in documents])
        connection.execute("DELETE FROM search_vector WHERE file = ?", (file_id,))
        connection.execute(
            "INSERT INTO search_vector(file, first_document, embedding, vectors) VALUES (?, ?, ?, ?)",
            (file_id, documents[0].id, embedder.name, vectors.astype("<f2").tobytes()),
        )


def drop(connection: sqlite3.Connection, project_id: int) -> None:
    """Forget the vectors of a project."""
    connection.execute("DELETE FROM search_vector WHERE file IN (SELECT id FROM file WHERE project = ?)", (project_id,))


def has_vectors(connection: sqlite3.Connection) -> bool:
    """Whether there is anything to compare with."""
    return connection.execute("SELECT 1 FROM search_vector LIMIT 1").fetchone() is not None


def likeness(connection: sqlite3.Connection, text: str, embedder: Embedder) -> Likeness:
    """Return how near every document with a vector of this embedder is to a text."""
    import numpy as np

    table = _table(connection, embedder.name)
    asked = embedder.embed(text)
    cosines = np.empty(len(table.documents), dtype=np.float32)
    for start in range(0, len(cosines), _AT_ONCE):
        cosines[start : start + _AT_ONCE] = table.vectors[start : start + _AT_ONCE].astype(np.float32) @ asked
    return Likeness(table.documents, cosines)


_AT_ONCE = 1_024
"""Vectors that are made single precision and multiplied at once: 1 MB stays in the cache (20 ms for 60,000, all in one
takes 90)."""


def _text_of(document: Document, lines: Sequence[str]) -> str:
    """Return what stands for a document: its name twice, since what a thing is called says most of what it does."""
    body = "\n".join("\n".join(lines[start - 1 : end]) for start, end in document.lines)[:_BODY]
    name = document.qualname
    return f"{name} {name} {document.signature} {document.doc[:_DOC]} {document.members} {body}"


def _table(connection: sqlite3.Connection, name: str) -> _Table:
    place = (_database(connection), name)
    state = _state(connection)
    with _guard:
        known = _tables.get(place)
        if known is None or known.state != state:
            known = _read(connection, name, state)
            _tables.pop(place, None)
            while len(_tables) >= _KEPT_TABLES:
                _tables.pop(next(iter(_tables)))
            _tables[place] = known
        return known


def _state(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return what changes with every write: ids are never used again, and a row that is gone lowers the count."""
    row = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM search_vector").fetchone()
    return int(row[0]), int(row[1])


def _database(connection: sqlite3.Connection) -> str:
    """Return which database this is: a path, and the file at it, since a rebuild puts another one there."""
    path = str(connection.execute("PRAGMA database_list").fetchone()[2])
    return f"{Path(path).stat().st_ino if path else 0} {path}"


def _read(connection: sqlite3.Connection, name: str, state: tuple[int, int]) -> _Table:
    import numpy as np

    rows = connection.execute(
        "SELECT first_document, vectors FROM search_vector WHERE embedding = ? ORDER BY first_document", (name,)
    ).fetchall()
    if not rows:
        return _Table(state, np.empty(0, dtype=np.int64), np.empty((0, DIMENSIONS), dtype=np.float16))
    blocks = [np.frombuffer(blob, dtype="<f2").reshape(-1, DIMENSIONS) for _, blob in rows]
    ids = [int(first) + index for (first, _), block in zip(rows, blocks, strict=True) for index in range(len(block))]
    return _Table(state, np.asarray(ids, dtype=np.int64), np.concatenate(blocks))
