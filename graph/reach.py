"""The walk behind `impact`: from some symbols against the edges, step by step, each symbol at its smallest distance.

Followed are calls, uses as a value, subclasses and implementers; a method is also reached through the one it overrides.
What overrides or imports one of the changed symbols is reached too, and an importing file is not followed: who uses the
changed names in it is found by their own edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from graph.lookup import GraphReader
from graph.query import split_lines

__all__ = ["Step", "walked"]

_FOLLOWED = ("calls", "references", "inherits", "implements", "tests")
_OF_CHANGED = ("overrides", "imports")
"""Kinds that count only where they lead to a changed symbol itself."""
_RANK = {kind: rank for rank, kind in enumerate((*_FOLLOWED, *_OF_CHANGED))}
_MOST_REACHED = 5_000
"""A walk stops behind the step that passes this: past it the answer is "nearly everything"."""
_IDS_AT_ONCE = 500


class Step(Struct, frozen=True):
    """How a symbol was reached."""

    id: int
    near: int
    near_key: str
    """Tells equal steps apart without ids, which differ between a full and an incremental build."""
    edge: str
    distance: int
    lines: tuple[int, ...]
    provenance: str
    confidence: float


def walked(store: GraphReader, seeds: Sequence[int], depth: int) -> tuple[list[Step], str]:
    """Return the steps to everything reached, each symbol once at its smallest distance, and why it ended early."""
    seen = set(seeds)
    found: list[Step] = []
    frontier: list[int] = sorted(seen)
    for distance in range(1, depth + 1):
        # A call of the overridden method may run this one: its callers are reached as if they called this one.
        standing_for = _overridden(store, frontier)
        near = sorted({*frontier, *standing_for})
        fresh: dict[int, Step] = {}
        for step in _steps_into(store, near, distance, frozenset(seeds)):
            if step.id not in seen and (step.id not in fresh or _is_better(step, fresh[step.id])):
                fresh[step.id] = step
        found += fresh.values()
        seen |= fresh.keys()
        frontier = sorted(id_ for id_, step in fresh.items() if step.edge != "imports")
        if len(found) > _MOST_REACHED:
            return found, f"Stopped at distance {distance} after {_MOST_REACHED} symbols."
        if not frontier:
            return found, ""
    return found, f"Followed for {depth} steps; a larger depth may show more." if found else ""


def _steps_into(store: GraphReader, near: Sequence[int], distance: int, seeds: frozenset[int]) -> Iterable[Step]:
    kinds = (*_FOLLOWED, *(_OF_CHANGED if distance == 1 else ()))
    marks = ",".join("?" * len(kinds))
    for part in _parts(near):
        statement = (
            "SELECT e.src, e.dst, d.key, e.kind, e.lines, e.provenance, e.confidence FROM edge AS e "  # noqa: S608
            f"JOIN node AS d ON d.id = e.dst WHERE e.dst IN ({','.join('?' * len(part))}) AND e.kind IN ({marks}) "
            "AND e.provenance <> 'inferred'"
        )
        for src, dst, key, kind, lines, provenance, confidence in store.read().execute(statement, (*part, *kinds)):
            # What overrides a changed method is bound to it; what overrides a base of it is not. So with imports.
            if kind not in _OF_CHANGED or dst in seeds:
                yield Step(src, dst, key, kind, distance, split_lines(lines), provenance, confidence)


def _is_better(one: Step, other: Step) -> bool:
    """Say whether a step tells more than another to the same symbol; equal ones are told apart by lines and keys."""
    return _worth(one) < _worth(other)


def _worth(step: Step) -> tuple[bool, int, float, tuple[int, ...], str]:
    return not step.lines, _RANK[step.edge], -step.confidence, step.lines, step.near_key


def _overridden(store: GraphReader, ids: Sequence[int]) -> set[int]:
    """Return the methods that these override, in any number of steps."""
    found: set[int] = set()
    pending = list(ids)
    while pending:
        above: set[int] = set()
        for part in _parts(pending):
            statement = f"SELECT dst FROM edge WHERE kind = 'overrides' AND src IN ({','.join('?' * len(part))})"  # noqa: S608
            above.update(int(id_) for (id_,) in store.read().execute(statement, part))
        pending = sorted(above - found)
        found |= above
    return found


def _parts(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))
