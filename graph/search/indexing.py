"""The write side of search: the rows of the text index for the nodes of some files.

An indexed file leaves one row in `search_file` (its text and what was indexed of it, compressed), one in
`search_document` for each node, and one in the inverted index `search_text` for each document. `search_text` is a
contentless FTS5 table: it holds no text, which halves it, and a document is deleted by giving the same columns again.
They are derived from `search_file` alone, so deletion never depends on rows that the caller has already changed.

The rule that must stay true: the rows of a file depend on that file only (its nodes and its bytes), so an incremental
index equals one built anew. What depends on other files (callers, references) is read from edges at query time.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from graph.errors import PathError
from graph.search.analyzer import analyzed

__all__ = ["SEARCH_VERSION", "Document", "read_file", "remove", "update"]

SEARCH_VERSION = 1
"""Raise it whenever the rows of any file change: the analyzer, the vocabulary, the columns."""

MAX_BODY = 20_000
"""Characters of a body that are indexed; past it a body is data, and BM25 discounts it anyway."""

_COLUMNS = "name, parts, path, signature, doc, body"
_INSERT = f"INSERT INTO search_text(rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - constants only
_DELETE = (
    f"INSERT INTO search_text(search_text, rowid, {_COLUMNS}) "  # noqa: S608 - constants only
    "VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)"
)


class Document(Struct, frozen=True, array_like=True):
    """What is indexed of one node, before analysis; `lines` are the spans of its body without its children's."""

    id: int
    name: str
    qualname: str
    path: str
    signature: str
    doc: str
    lines: tuple[tuple[int, int], ...]
    members: str
    """The names of the nodes directly in it: they stand for a class or a file as a whole."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Document, ...])


def update(
    connection: sqlite3.Connection, project_id: int, file_ids: Sequence[int], read_bytes: Callable[[str], bytes]
) -> None:
    """Index the nodes of these files as they stand in `node` now, in place of what was indexed of them before.

    Runs inside the caller's transaction, after the nodes are written. One file is in memory at a time. A file that
    `read_bytes` cannot give any more is indexed by its nodes alone.
    """
    remove(connection, project_id, file_ids)
    next_id = _first_free_id(connection)
    for file_id, path in _paths(connection, project_id, file_ids):
        text = _read_text(read_bytes, path)
        rows = _nodes(connection, file_id)
        documents = tuple(_documents(rows, path, text.count("\n") + 1, next_id))
        next_id += len(documents)
        connection.executemany(
            "INSERT INTO search_document(id, file, node) VALUES (?, ?, ?)",
            [(document.id, file_id, row[0]) for document, row in zip(documents, rows, strict=True)],
        )
        connection.executemany(_INSERT, _columns(documents, text))
        connection.execute(
            "INSERT INTO search_file(file, text, documents) VALUES (?, ?, ?)",
            (file_id, zlib.compress(text.encode(), 4), zlib.compress(_encoder.encode(documents), 4)),
        )


def remove(connection: sqlite3.Connection, project_id: int, file_ids: Sequence[int]) -> None:
    """Take these files out of the index; files that are not in it are passed over. Safe before or after their nodes."""
    del project_id  # file ids are unique across projects
    for file_id in file_ids:
        found = read_file(connection, file_id)
        if found is None:
            continue
        text, documents = found
        connection.executemany(_DELETE, _columns(documents, text))
        connection.execute("DELETE FROM search_document WHERE file = ?", (file_id,))
        connection.execute("DELETE FROM search_file WHERE file = ?", (file_id,))
        connection.execute("DELETE FROM search_vector WHERE file = ?", (file_id,))


def read_file(connection: sqlite3.Connection, file_id: int) -> tuple[str, tuple[Document, ...]] | None:
    """Return the text of a file as it was indexed, and its documents; None when it is not in the index."""
    row = connection.execute("SELECT text, documents FROM search_file WHERE file = ?", (file_id,)).fetchone()
    if row is None:
        return None
    return zlib.decompress(row[0]).decode(), _decoder.decode(zlib.decompress(row[1]))


def _first_free_id(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(id), 0) + 1 FROM search_document").fetchone()[0])


def _paths(connection: sqlite3.Connection, project_id: int, file_ids: Sequence[int]) -> Iterator[tuple[int, str]]:
    for file_id in file_ids:
        row = connection.execute("SELECT path FROM file WHERE id = ? AND project = ?", (file_id, project_id)).fetchone()
        if row is not None:
            yield file_id, row[0]


def _read_text(read_bytes: Callable[[str], bytes], path: str) -> str:
    try:
        return read_bytes(path).decode("utf-8", "replace")
    except (OSError, PathError):  # gone since the listing; the next sync takes its nodes away too
        return ""


def _nodes(connection: sqlite3.Connection, file_id: int) -> list[tuple[int, str, str, str, str, str, str, int, int]]:
    return connection.execute(
        "SELECT id, key, kind, name, qualname, signature, doc, start_line, end_line FROM node "
        "WHERE file = ? ORDER BY start_line, end_line DESC, key",
        (file_id,),
    ).fetchall()


def _documents(
    rows: Sequence[tuple[int, str, str, str, str, str, str, int, int]], path: str, line_count: int, first_id: int
) -> Iterator[Document]:
    spans = [(max(row[7], 1), row[8] if row[2] != "file" else line_count) for row in rows]
    for offset, row in enumerate(rows):
        children = _children(spans, offset)
        yield Document(
            id=first_id + offset,
            name=row[3],
            qualname=row[4],
            path=path,
            signature=row[5],
            doc=row[6],
            lines=tuple(_without(spans[offset], [spans[child] for child in children])),
            members=" ".join(rows[child][3] for child in children),
        )


def _children(spans: Sequence[tuple[int, int]], parent: int) -> list[int]:
    """Return the outermost nodes inside a node; the spans are in order, parents before children."""
    start, end = spans[parent]
    found: list[int] = []
    past = start - 1
    for index in range(parent + 1, len(spans)):
        if spans[index][0] > end:
            break
        if spans[index][0] > past and spans[index] != (start, end):
            found.append(index)
            past = spans[index][1]
    return found


def _without(span: tuple[int, int], holes: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    line = span[0]
    for start, end in holes:
        if start > line:
            yield line, start - 1
        line = end + 1
    if line <= span[1]:
        yield line, span[1]


def _columns(documents: Sequence[Document], text: str) -> Iterator[tuple[int, str, str, str, str, str, str]]:
    lines = text.split("\n")
    for document in documents:
        body = "\n".join("\n".join(lines[start - 1 : end]) for start, end in document.lines)
        yield (
            document.id,
            analyzed(document.name),
            analyzed(document.qualname),
            analyzed(document.path),
            analyzed(document.signature),
            analyzed(document.doc),
            analyzed(f"{document.members}\n{body[:MAX_BODY]}"),
        )
