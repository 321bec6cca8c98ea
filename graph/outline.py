"""What is in a file or a class: one line for each symbol, in the order of the file."""

from __future__ import annotations

from graph.lookup import NODE_COLUMNS, GraphReader, node_from_row
from graph.model import Node, NodeKind

__all__ = ["clipped", "members", "outline_lines"]

_LEFT_OUT = (NodeKind.FILE, NodeKind.MODULE, NodeKind.VARIABLE, NodeKind.MARKER)
"""Variables would drown the rest; `source` shows them."""

_CALLED = frozenset({NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.MACRO})


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
