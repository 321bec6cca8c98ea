"""What a change reaches: from a symbol, or from all that differs from a revision, against the edges, step by step.

What is followed is told in `graph.reach`. The rule that must stay true: every reached symbol names the edge that it was
reached by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from graph.candidates import count_unresolved_callers
from graph.lookup import GraphReader, Symbol, find_node, nodes_by_id, symbol_of
from graph.model import Node
from graph.paging import next_cursor, page_offset
from graph.paths import ids_inside
from graph.query import split_lines
from graph.reach import Step, walked

__all__ = ["Impact", "Reached", "impact_of_key", "impact_of_symbols"]

_IDS_AT_ONCE = 500
_SEEDS_SHOWN = 12


class Reached(Symbol, frozen=True, kw_only=True):
    """A symbol that a change may touch."""

    distance: int
    """Steps from the nearest changed symbol."""
    edge: str
    """The kind of the last step: it `calls`, `references`, `inherits`, ... what was reached before it."""
    through: str
    """The key of what was reached before it."""
    lines: tuple[int, ...] = ()
    """Where that stands, in this symbol's file."""
    provenance: str = "derived"
    confidence: float = 1.0


class Impact(Struct, frozen=True, kw_only=True):
    """One page of what is reached, code first by distance, then tests; and what to know about the whole list."""

    of: tuple[Symbol, ...]
    """The changed symbols, as far as they are shown."""
    changed: int
    """The changed symbols in all; those inside an asked class or file are not counted."""
    reached: tuple[Reached, ...]
    total: int
    files: int
    tests: int
    """Of `total`, how many belong to tests."""
    by_distance: dict[int, int]
    base: str = ""
    candidates: int = 0
    """Unresolved calls of the names that changed; not in the list."""
    offset: int = 0
    cursor: str = ""
    notes: tuple[str, ...] = ()


def impact_of_key(store: GraphReader, key: str, *, depth: int = 3, limit: int = 50, cursor: str = "") -> Impact:
    """Return what a change of one symbol reaches; a class or a file stands for everything in it.

    Raises:
        KeyNotFoundError, PathError, ArgumentError: see `find_node`.
    """
    node = find_node(store, key)
    return _impact(store, [node], ids_inside(store, node), depth=depth, page=(page_offset(cursor), limit))


def impact_of_symbols(
    store: GraphReader,
    keys: Sequence[str],
    *,
    base: str,
    depth: int = 3,
    limit: int = 50,
    cursor: str = "",
    notes: tuple[str, ...] = (),
) -> Impact:
    """Return what changes of these symbols reach; a key that the graph does not hold is passed over."""
    ids = _ids_of(store, keys)
    nodes = nodes_by_id(store, ids)
    seeds = sorted(nodes.values(), key=lambda node: (node.is_test, node.path, node.start_line, node.key))
    return _impact(store, seeds, ids, depth=depth, page=(page_offset(cursor), limit), base=base, notes=notes)


def _impact(
    store: GraphReader,
    seeds: Sequence[Node],
    ids: Sequence[int],
    *,
    depth: int,
    page: tuple[int, int],
    base: str = "",
    notes: tuple[str, ...] = (),
) -> Impact:
    steps, stopped = walked(store, ids, depth)
    places = _places(store, [step.id for step in steps])
    ordered = sorted(steps, key=lambda step: (places[step.id][0], step.distance, *places[step.id][1:]))
    offset, limit = page
    shown = ordered[offset : offset + limit]
    nodes = nodes_by_id(store, [id_ for step in shown for id_ in (step.id, step.near)])
    by_distance: dict[int, int] = {}
    for step in sorted(steps, key=lambda step: step.distance):
        by_distance[step.distance] = by_distance.get(step.distance, 0) + 1
    return Impact(
        of=tuple(symbol_of(node) for node in seeds[:_SEEDS_SHOWN]),
        changed=len(seeds),
        reached=tuple(_reached(store, step, nodes) for step in shown),
        total=len(steps),
        files=len({places[step.id][1] for step in steps}),
        tests=sum(places[step.id][0] for step in steps),
        by_distance=by_distance,
        base=base,
        candidates=sum(count_unresolved_callers(store, node) for node in seeds[:_SEEDS_SHOWN]),
        offset=offset,
        cursor=next_cursor(offset, len(shown), len(steps)),
        notes=(*notes, *([stopped] if stopped else [])),
    )


def _places(store: GraphReader, ids: Sequence[int]) -> Mapping[int, tuple[int, str, int, str]]:
    """Return (is a test, path, line, key) of symbols: what sorts and counts them without loading them."""
    found: dict[int, tuple[int, str, int, str]] = {}
    for part in _parts(ids):
        statement = (
            "SELECT n.id, n.is_test, f.path, n.start_line, n.key FROM node AS n JOIN file AS f ON f.id = n.file "  # noqa: S608
            f"WHERE n.id IN ({','.join('?' * len(part))})"
        )
        found.update(
            {id_: (test, path, line, key) for id_, test, path, line, key in store.read().execute(statement, part)}
        )
    return found


def _ids_of(store: GraphReader, keys: Sequence[str]) -> list[int]:
    found: list[int] = []
    for first in range(0, len(keys), _IDS_AT_ONCE):
        part = keys[first : first + _IDS_AT_ONCE]
        statement = f"SELECT id FROM node WHERE project = ? AND key IN ({','.join('?' * len(part))})"  # noqa: S608
        found += [int(id_) for (id_,) in store.read().execute(statement, (store.project_id, *part))]
    return found


def _reached(store: GraphReader, step: Step, nodes: Mapping[int, Node]) -> Reached:
    symbol = symbol_of(nodes[step.id])
    return Reached(
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
        distance=step.distance,
        edge=step.edge,
        through=nodes[step.near].key,
        lines=step.lines or _line_of_class(store, step.id, nodes[step.near]),
        provenance=step.provenance,
        confidence=round(step.confidence, 3),
    )


def _line_of_class(store: GraphReader, caller: int, called: Node) -> tuple[int, ...]:
    """Return the lines where a constructor is called: they stand on the edge to its class, which is what is written."""
    row = (
        store.read()
        .execute(
            "SELECT e.lines FROM edge AS e JOIN node AS d ON d.id = e.dst "
            "WHERE e.src = ? AND e.kind = 'calls' AND d.project = ? AND d.key = ?",
            (caller, store.project_id, called.parent or ""),
        )
        .fetchone()
    )
    return split_lines(row[0]) if row is not None else ()


def _parts(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))
