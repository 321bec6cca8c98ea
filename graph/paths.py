"""How two symbols are connected: a shortest path over the edges of the graph, found from both ends at once.

Three questions are asked in turn, and the answer says which one it answers: does A lead to B, does B lead to A, and
failing both, where do they meet. The symbols inside a class or a file count as that class or file, on both ends.
The rule that must stay true: every hop is a row of the store with its provenance; candidates by name are not walked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from graph.lookup import GraphReader, Symbol, find_node, node_id, nodes_by_id, symbol_of
from graph.model import Node

__all__ = ["Hop", "Path", "find_path", "ids_inside"]

_LEADING = ("calls", "inherits", "implements", "references", "imports")
"""Kinds of edges whose start leads to their end."""
_DISPATCHING = ("overrides",)
"""Kinds whose end leads to their start: a call of a method may run the one that overrides it."""
_ALL = ("calls", "overrides", "inherits", "implements", "references", "imports", "contains")
_RANK = {kind: rank for rank, kind in enumerate(_ALL)}
"""Between equally short paths the one with the more telling edges wins."""
_MOST_VISITED = 20_000
"""Symbols looked at on each of the three questions: about 0.3 s on a graph of 50,000 symbols."""
_DEADLINE_S = 3.0
_MOST_INSIDE = 2_000
_IDS_AT_ONCE = 500

Relation = Literal["forward", "backward", "meeting", "none"]


class Hop(Struct, frozen=True, kw_only=True):
    """One edge of the path; `forward` is False where the edge reads against the direction of the path."""

    source: Symbol
    target: Symbol
    kind: str
    forward: bool
    lines: tuple[int, ...]
    """In the file of the edge's own start: `source` when forward, else `target`."""
    provenance: str
    confidence: float
    text: str = ""
    """The source line of the first of `lines`, where a tool read it."""


class Path(Struct, frozen=True, kw_only=True):
    """The answer: the ends as asked, the hops from one to the other, or why there are none."""

    start: Symbol
    end: Symbol
    relation: Relation
    hops: tuple[Hop, ...] = ()
    reason: str = ""
    """Why there is no path; empty when there is one."""


class _Edge(Struct, frozen=True):
    """A step of the search: from `near` to `far`; `forward` when the edge itself reads so."""

    near: int
    far: int
    kind: str
    forward: bool


class _Side(Struct):
    """One of the two searches: what it has reached, by which edges, and how far out it stands."""

    reached: dict[int, tuple[_Edge, ...]]
    frontier: list[int]
    depth: int = 0


def find_path(
    store: GraphReader, start: str, end: str, *, max_hops: int = 8, clock: Callable[[], float] = time.monotonic
) -> Path:
    """Return a shortest path of at most `max_hops` hops; the same one every time for the same graph.

    Raises:
        KeyNotFoundError, PathError, ArgumentError: see `find_node`; the argument is named `from` or `to`.
    """
    one, other = find_node(store, start, argument="from"), find_node(store, end, argument="to")
    asked = Path(start=symbol_of(one), end=symbol_of(other), relation="none")
    if one.key == other.key:
        return replace(asked, reason="`from` and `to` are the same symbol.")
    deadline = clock() + _DEADLINE_S
    here, there = ids_inside(store, one), ids_inside(store, other)
    if set(here) & set(there):
        return replace(asked, relation="meeting", hops=_containment(store, one, other))
    stopped = False
    for relation, starts, goals, bounds in _questions(here, there, lambda: clock() > deadline):
        search = _Search(store, bounds)
        edges = search.run(starts, goals, max_hops)
        stopped = stopped or search.stopped
        if edges:
            return replace(asked, relation=relation, hops=_hops(store, edges))
    return replace(asked, reason=_no_path(max_hops, stopped=stopped))


class _Bounds(Struct, frozen=True, kw_only=True):
    """What a search may walk, and when it must end."""

    along: tuple[str, ...] = _LEADING
    """Kinds walked from start to end."""
    against: tuple[str, ...] = _DISPATCHING
    """Kinds walked from end to start."""
    through_tests: bool = True
    expired: Callable[[], bool]


def _questions(
    here: Sequence[int], there: Sequence[int], expired: Callable[[], bool]
) -> Iterable[tuple[Relation, Sequence[int], Sequence[int], _Bounds]]:
    yield "forward", here, there, _Bounds(expired=expired)
    yield "backward", there, here, _Bounds(expired=expired)
    # The asked symbols alone, not what is in them: the meeting goes by containment anyway, and says so. A test uses
    # everything, so that two symbols meet in one says little: such a meeting is only the last resort.
    for through_tests in (False, True):
        bounds = _Bounds(along=_ALL, against=_ALL, through_tests=through_tests, expired=expired)
        yield "meeting", here[:1], there[:1], bounds


def _no_path(max_hops: int, *, stopped: bool) -> str:
    bound = f"within {max_hops} hop{'s' if max_hops > 1 else ''}"
    cut = " (the search was cut short by its own bounds)" if stopped else ""
    return (
        f"Neither leads to the other, and they do not meet, {bound}{cut} over calls, imports, inheritance, references "
        "and containment. Calls that no rule resolved are not walked; `callers` with `include_inferred` lists those."
    )


class _Search:
    """A breadth-first search from both ends, a level at a time, always the smaller side first."""

    def __init__(self, store: GraphReader, bounds: _Bounds) -> None:
        self._store = store
        self._bounds = bounds
        self.stopped = False

    def run(self, starts: Sequence[int], goals: Sequence[int], max_hops: int) -> list[_Edge]:
        """Return the edges of a shortest path from one of `starts` to one of `goals`, or none."""
        fore = _Side(dict.fromkeys(starts, ()), list(starts))
        back = _Side(dict.fromkeys(goals, ()), list(goals))
        while fore.frontier and back.frontier and fore.depth + back.depth < max_hops:
            if self._bounds.expired() or len(fore.reached) + len(back.reached) > _MOST_VISITED:
                self.stopped = True
                return []
            side, other = (fore, back) if len(fore.frontier) <= len(back.frontier) else (back, fore)
            self._advance(side, is_fore=side is fore)
            meeting = [id_ for id_ in side.frontier if id_ in other.reached]
            if meeting:
                return self._joined(fore, back, meeting)
        return []

    def _advance(self, side: _Side, *, is_fore: bool) -> None:
        """Take the next level; every edge that reaches a new symbol is kept, the choice among them comes later."""
        fresh: dict[int, list[_Edge]] = {}
        for edge in self._edges(side.frontier, is_fore=is_fore):
            if edge.far not in side.reached:
                fresh.setdefault(edge.far, []).append(edge)
        side.reached.update({far: tuple(edges) for far, edges in fresh.items()})
        side.frontier = sorted(fresh)
        side.depth += 1

    def _edges(self, near: Sequence[int], *, is_fore: bool) -> Iterable[_Edge]:
        for along, kinds in ((is_fore, self._bounds.along), (not is_fore, self._bounds.against)):
            here, there = ("src", "dst") if along else ("dst", "src")
            for first in range(0, len(near), _IDS_AT_ONCE):
                part = near[first : first + _IDS_AT_ONCE]
                statement = (
                    f"SELECT e.{here}, e.{there}, e.kind FROM edge AS e JOIN node AS n ON n.id = e.{there} "  # noqa: S608 (column names above)
                    f"WHERE e.{here} IN ({','.join('?' * len(part))}) AND e.kind IN ({','.join('?' * len(kinds))}) "
                    f"AND e.provenance <> 'inferred'{'' if self._bounds.through_tests else ' AND n.is_test = 0'}"
                )
                for nearer, far, kind in self._store.read().execute(statement, (*part, *kinds)):
                    yield _Edge(nearer, far, kind, along)

    def _joined(self, fore: _Side, back: _Side, meeting: Sequence[int]) -> list[_Edge]:
        """Return the path through the best meeting point, by the keys of its symbols so that ids do not matter."""
        names = {id_: node.key for id_, node in nodes_by_id(self._store, self._candidates(fore, back, meeting)).items()}
        paths = [
            [*reversed(_walk_back(fore, id_, names)), *(_turned(edge) for edge in _walk_back(back, id_, names))]
            for id_ in meeting
            if id_ in names
        ]
        return min(paths, key=lambda path: ([_RANK[edge.kind] for edge in path], [names[edge.far] for edge in path]))

    def _candidates(self, fore: _Side, back: _Side, meeting: Sequence[int]) -> set[int]:
        wanted: set[int] = set()
        for side in (fore, back):
            pending = list(meeting)
            while pending:
                id_ = pending.pop()
                for edge in side.reached[id_]:
                    if edge.near not in wanted:
                        wanted.add(edge.near)
                        pending.append(edge.near)
        return wanted | set(meeting)


def _walk_back(side: _Side, id_: int, names: dict[int, str]) -> list[_Edge]:
    """Return the edges from a reached symbol back to where its side began."""
    edges: list[_Edge] = []
    while side.reached[id_]:
        best = min(side.reached[id_], key=lambda edge: (_RANK[edge.kind], names[edge.near], edge.forward))
        edges.append(best)
        id_ = best.near
    return edges


def _turned(edge: _Edge) -> _Edge:
    """Return an edge that the far side walked, as the path walks it."""
    return _Edge(edge.far, edge.near, edge.kind, not edge.forward)


def _hops(store: GraphReader, edges: Sequence[_Edge]) -> tuple[Hop, ...]:
    nodes = nodes_by_id(store, [id_ for edge in edges for id_ in (edge.near, edge.far)])
    return tuple(_hop(store, edge, nodes) for edge in edges)


def _hop(store: GraphReader, edge: _Edge, nodes: dict[int, Node]) -> Hop:
    src, dst = (edge.near, edge.far) if edge.forward else (edge.far, edge.near)
    provenance, confidence, lines = (
        store.read()
        .execute(
            "SELECT provenance, confidence, lines FROM edge WHERE src = ? AND dst = ? AND kind = ? "
            "AND provenance <> 'inferred' ORDER BY confidence DESC, provenance",
            (src, dst, edge.kind),
        )
        .fetchone()
    )
    return Hop(
        source=symbol_of(nodes[edge.near]),
        target=symbol_of(nodes[edge.far]),
        kind=edge.kind,
        forward=edge.forward,
        lines=tuple(int(line) for line in lines.split(",") if line),
        provenance=provenance,
        confidence=confidence,
    )


def ids_inside(store: GraphReader, node: Node) -> list[int]:
    """Return the ids of a symbol and of everything in it, the symbol itself first."""
    found = [node_id(store, node.key)]
    pending = list(found)
    while pending and len(found) < _MOST_INSIDE:
        part, pending = pending[:_IDS_AT_ONCE], pending[_IDS_AT_ONCE:]
        marks = ",".join("?" * len(part))
        statement = f"SELECT dst FROM edge WHERE kind = 'contains' AND src IN ({marks}) ORDER BY dst"  # noqa: S608
        inner = [int(id_) for (id_,) in store.read().execute(statement, part)]
        found += inner
        pending += inner
    return found


def _containment(store: GraphReader, one: Node, other: Node) -> tuple[Hop, ...]:
    """Return the chain of containers between two symbols of which one is inside the other."""
    search = _Search(store, _Bounds(along=("contains",), against=("contains",), expired=lambda: False))
    edges = search.run([node_id(store, one.key)], [node_id(store, other.key)], 12)
    return _hops(store, edges)
