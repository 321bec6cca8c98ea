"""What is in a file, a class or a folder: one line for each symbol, in the order of the file."""

from __future__ import annotations

from msgspec import Struct

from graph.lookup import NODE_COLUMNS, GraphReader, Symbol, file_row, find_node, node_from_row, symbol_of
from graph.model import Node, NodeKind
from graph.paging import below, next_cursor, page_offset

__all__ = ["Outline", "OutlineEntry", "clipped", "members", "outline", "outline_lines"]

_LEFT_OUT = (NodeKind.FILE, NodeKind.MODULE, NodeKind.VARIABLE, NodeKind.MARKER)
"""Variables would drown the rest; `source` shows them."""

_CALLED = frozenset({NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.MACRO})


class OutlineEntry(Symbol, frozen=True, kw_only=True):
    """A symbol and how deep it stands in what was asked for; of a folder a file, with how much it holds."""

    depth: int = 0
    symbols: int = 0
    """Of a file: the symbols in it."""


class Outline(Struct, frozen=True, kw_only=True):
    """The symbols of a file or a class, or the files of a folder, a page of them."""

    path: str
    of: Symbol | None
    """None for a folder."""
    entries: tuple[OutlineEntry, ...]
    total: int
    offset: int = 0
    cursor: str = ""


def outline(store: GraphReader, path: str, *, limit: int = 100, cursor: str = "") -> Outline:
    """Return the symbols of a file, or of the class that `path#Class` names, in order; of a folder its files.

    Raises:
        PathError, KeyNotFoundError: nothing is indexed there.
        ArgumentError: the cursor is none.
    """
    offset, written = page_offset(cursor), path.strip().removeprefix("file:").removeprefix("./").rstrip("/")
    node = None
    entries = [] if "#" in written or file_row(store, written) is not None else _files(store, written)
    if not entries:
        node = find_node(store, written, argument="path")
        entries = _entries(store, node)
    shown = tuple(entries[offset : offset + limit])
    return Outline(
        path=written or "." if node is None else node.path,
        of=None if node is None else symbol_of(node),
        entries=shown,
        total=len(entries),
        offset=offset,
        cursor=next_cursor(offset, len(shown), len(entries)),
    )


def members(store: GraphReader, node: Node) -> tuple[Node, ...]:
    """Return the symbols inside a file or a type, functions inside functions left out."""
    marks = ",".join("?" * len(_LEFT_OUT))
    rows = store.read().execute(
        f"SELECT {NODE_COLUMNS} FROM node AS n JOIN file AS f ON f.id = n.file "  # noqa: S608 (constants only)
        f"WHERE n.project = ? AND f.path = ? AND f.project = n.project AND n.start_line >= ? AND n.end_line <= ? "
        f"AND n.key <> ? AND n.kind NOT IN ({marks}) ORDER BY n.start_line, n.end_line DESC, n.key",
        (store.project_id, node.path, node.start_line, node.end_line, node.key, *(kind.value for kind in _LEFT_OUT)),
    )
    found: dict[str, Node] = {}
    for row in rows:
        inner = node_from_row(row)
        parent = found.get(inner.parent or "")
        # A parent that is not in the list is the asked node itself, or a function whose inner parts are left out.
        if inner.parent == node.key or (parent is not None and parent.kind not in _CALLED):
            found[inner.key] = inner
    return tuple(found.values())


def clipped(signature: str, most: int = 140) -> str:
    """Return a signature short enough for a list; the parameters at its end matter least there."""
    return signature if len(signature) <= most else signature[: most - 1].rstrip() + "…"


def outline_lines(store: GraphReader, node: Node) -> tuple[str, ...]:
    """Return `start-end: signature` for each member, indented by its depth."""
    depth = {node.key: -1}
    lines: list[str] = []
    for inner in members(store, node):
        depth[inner.key] = depth.get(inner.parent or "", -1) + 1
        title = clipped(inner.signature) or f"{inner.kind.value} {inner.name}"
        lines.append(f"{'    ' * depth[inner.key]}{inner.start_line}-{inner.end_line}: {title}")
    return tuple(lines)


def _entries(store: GraphReader, node: Node) -> list[OutlineEntry]:
    depth = {node.key: -1}
    entries: list[OutlineEntry] = []
    for inner in members(store, node):
        depth[inner.key] = depth.get(inner.parent or "", -1) + 1
        entries.append(_entry(inner, depth=depth[inner.key]))
    return entries


def _files(store: GraphReader, folder: str) -> list[OutlineEntry]:
    """Return the indexed files below a folder, by path; none where it is no folder."""
    where, values = below(folder)
    rows = store.read().execute(
        f"SELECT {NODE_COLUMNS}, (SELECT COUNT(*) FROM node AS i WHERE i.file = n.file AND i.kind <> 'file') "  # noqa: S608 (constants only)
        f"FROM node AS n JOIN file AS f ON f.id = n.file WHERE n.project = ? AND n.kind = 'file'{where} "
        "ORDER BY f.path",
        (store.project_id, *values),
    )
    return [_entry(node_from_row(row[:-1]), symbols=int(row[-1])) for row in rows]


def _entry(node: Node, *, depth: int = 0, symbols: int = 0) -> OutlineEntry:
    symbol = symbol_of(node)
    return OutlineEntry(
        path=symbol.path,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        key=symbol.key,
        name=symbol.name,
        qualname=symbol.qualname,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        is_test=symbol.is_test,
        depth=depth,
        symbols=symbols,
    )
