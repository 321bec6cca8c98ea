"""One symbol with its neighbourhood: every edge at it, by kind and direction, with provenance, confidence and lines.

The rule that must stay true: nothing is left out in silence. A group shows a part of its edges and says how many there
are; candidates by name are counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from graph.candidates import count_unresolved_callees, count_unresolved_callers
from graph.lookup import GraphReader, Symbol, find_node, node_id, nodes_by_id, symbol_of
from graph.model import Node, Provenance
from graph.paging import next_cursor, page_offset
from graph.query import split_lines

__all__ = ["Explanation", "Neighbour", "NeighbourGroup", "explain"]

_ORDER: tuple[tuple[str, Literal["out", "in"]], ...] = (
    ("contains", "in"),
    ("inherits", "out"),
    ("implements", "out"),
    ("overrides", "out"),
    ("contains", "out"),
    ("calls", "in"),
    ("calls", "out"),
    ("references", "in"),
    ("references", "out"),
    ("inherits", "in"),
    ("implements", "in"),
    ("overrides", "in"),
    ("imports", "out"),
    ("imports", "in"),
    ("tests", "in"),
    ("tests", "out"),
    ("documents", "in"),
    ("documents", "out"),
    ("mentions", "in"),
    ("mentions", "out"),
)
"""What a reader wants first: where it stands, what it is made of, who uses it, what it uses."""


class Neighbour(Symbol, frozen=True, kw_only=True):
    """The other end of an edge."""

    lines: tuple[int, ...] = ()
    """Where the edge stands, in `site_path`."""
    site_path: str = ""
    provenance: str = "derived"
    confidence: float = 1.0


class NeighbourGroup(Struct, frozen=True, kw_only=True):
    """The edges of one kind in one direction: `out` reads from the asked symbol, `in` towards it."""

    kind: str
    direction: Literal["out", "in"]
    total: int
    neighbours: tuple[Neighbour, ...]


class Explanation(Struct, frozen=True, kw_only=True):
    """A node and what is around it."""

    of: Symbol
    language: str
    doc: str
    """The whole doc comment, as far as the graph keeps it."""
    is_exported: bool
    groups: tuple[NeighbourGroup, ...]
    unresolved_callers: int
    """Calls of that name that no rule resolved; not among the neighbours."""
    unresolved_callees: int
    offset: int = 0
    cursor: str = ""
    """What to send for the next part of every group that has one; empty when all is shown."""


def explain(store: GraphReader, key: str, *, limit: int = 8, cursor: str = "") -> Explanation:
    """Return a node with at most `limit` neighbours of each kind and direction, from the cursor on.

    Raises:
        KeyNotFoundError, PathError, ArgumentError: see `find_node`.
    """
    node = find_node(store, key)
    offset = page_offset(cursor)
    id_ = node_id(store, node.key)
    groups = [
        group
        for kind, direction in _ORDER
        if (group := _group(store, node, id_, kind, direction, (offset, limit))) is not None
    ]
    most = max((group.total for group in groups), default=0)
    return Explanation(
        of=symbol_of(node),
        language=node.language,
        doc=node.doc,
        is_exported=node.is_exported,
        groups=tuple(groups),
        unresolved_callers=count_unresolved_callers(store, node),
        unresolved_callees=count_unresolved_callees(store, [id_]),
        offset=offset,
        cursor=next_cursor(offset, limit, most),
    )


def _group(
    store: GraphReader, node: Node, id_: int, kind: str, direction: Literal["out", "in"], page: tuple[int, int]
) -> NeighbourGroup | None:
    """Return one group; None when there is no such edge."""
    here, there = ("src", "dst") if direction == "out" else ("dst", "src")
    total = int(
        store.read().execute(f"SELECT COUNT(*) FROM edge WHERE {here} = ? AND kind = ?", (id_, kind)).fetchone()[0]  # noqa: S608 (column names above)
    )
    if not total:
        return None
    rows = (
        store.read()
        .execute(
            f"SELECT e.{there}, e.provenance, e.confidence, e.lines FROM edge AS e "  # noqa: S608
            f"JOIN node AS n ON n.id = e.{there} JOIN file AS f ON f.id = n.file WHERE e.{here} = ? AND e.kind = ? "
            "ORDER BY e.provenance = ?, n.is_test, f.path, n.start_line, n.key, e.provenance LIMIT ? OFFSET ?",
            (id_, kind, Provenance.INFERRED.value, page[1], page[0]),
        )
        .fetchall()
    )
    nodes = nodes_by_id(store, [int(row[0]) for row in rows])
    neighbours = tuple(_neighbour(nodes[int(row[0])], node, direction, row) for row in rows)
    return NeighbourGroup(kind=kind, direction=direction, total=total, neighbours=neighbours)


def _neighbour(other: Node, asked: Node, direction: str, row: Sequence[object]) -> Neighbour:
    symbol = symbol_of(other)
    return Neighbour(
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
        lines=split_lines(str(row[3])),
        site_path=(asked if direction == "out" else other).path,
        provenance=str(row[1]),
        confidence=round(float(str(row[2])), 3),
    )
