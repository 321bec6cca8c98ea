"""Calls that no rule resolved, and what they could mean by name: candidates, never callers unless asked for.

A candidate's confidence is one by the number of callable symbols of its name: a guess, labelled as one.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from graph.lookup import GraphReader
from graph.model import Node, NodeKind

__all__ = [
    "CONSTRUCTORS",
    "TYPES",
    "Found",
    "count_unresolved_callees",
    "count_unresolved_callers",
    "merged",
    "unresolved_callees",
    "unresolved_callers",
]

CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "constructor")
"""Methods that run when a class is called, in the languages that are read so far."""
TYPES = frozenset({NodeKind.CLASS, NodeKind.STRUCT, NodeKind.INTERFACE, NodeKind.ENUM})
"""What is called to make an instance."""
_CALLABLE = frozenset({NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.MACRO}) | TYPES
_MOST_MEANINGS = 10
"""A name with more definitions than this says nothing about which one is called."""


class Found(Struct):
    """The other end of a call, known or possible, before its node is loaded."""

    id: int
    near: int
    """The id of the symbol on the asked side of this call; 0 for a candidate."""
    lines: tuple[int, ...]
    provenance: str
    confidence: float
    depth: int
    order: tuple[object, ...]
    """Sorts the list without any id, so that a full and an incremental build answer alike."""


def merged(one: Found, other: Found) -> Found:
    """Return both as one: the lines of both, the better confidence."""
    one.lines = tuple(sorted({*one.lines, *other.lines}))
    one.near = min(one.near, other.near)
    one.confidence = max(one.confidence, other.confidence)
    one.order = min(one.order, other.order)
    return one


def unresolved_callers(store: GraphReader, node: Node, known: set[tuple[int, int]]) -> list[Found]:
    """Return the calls of that name that no rule resolved, as candidates."""
    if node.kind not in _CALLABLE:
        return []
    confidence = 1 / max(1, _meanings(store, node.name))
    rows = store.read().execute(
        "SELECT u.src, u.line, n.is_test, f.path, n.start_line, n.key FROM unresolved AS u "
        "JOIN node AS n ON n.id = u.src JOIN file AS f ON f.id = n.file WHERE u.project = ? AND u.name = ?",
        (store.project_id, node.name),
    )
    found: dict[int, Found] = {}
    for src, line, test, path, start, key in rows:
        if (src, line) in known:
            continue
        item = Found(src, 0, (line,), "inferred", confidence, 1, (1, test, path, start, key))
        found[src] = merged(found[src], item) if src in found else item
    return list(found.values())


def unresolved_callees(store: GraphReader, seeds: Sequence[int]) -> list[Found]:
    """Return what the unresolved calls in `seeds` could mean by name, where the name has few meanings."""
    marks, kinds = ",".join("?" * len(seeds)), sorted(kind.value for kind in _CALLABLE)
    rows = store.read().execute(
        f"SELECT n.id, u.line, u.name, f.path, n.start_line, n.key FROM unresolved AS u "  # noqa: S608
        f"JOIN node AS n ON n.project = u.project AND n.name = u.name JOIN file AS f ON f.id = n.file "
        f"WHERE u.src IN ({marks}) AND n.kind IN ({','.join('?' * len(kinds))})",
        (*seeds, *kinds),
    )
    found: dict[int, Found] = {}
    meanings: dict[str, int] = {}
    for id_, line, name, path, start, key in rows:
        count = meanings.setdefault(name, _meanings(store, name))
        if count > _MOST_MEANINGS:
            continue
        item = Found(id_, 0, (line,), "inferred", 1 / max(1, count), 1, (1, (line,), path, start, key))
        found[id_] = merged(found[id_], item) if id_ in found else item
    return list(found.values())


def _meanings(store: GraphReader, name: str) -> int:
    kinds = sorted(kind.value for kind in _CALLABLE)
    marks = ",".join("?" * len(kinds))
    statement = f"SELECT COUNT(*) FROM node WHERE project = ? AND name = ? AND kind IN ({marks})"  # noqa: S608
    return int(store.read().execute(statement, (store.project_id, name, *kinds)).fetchone()[0])


def count_unresolved_callers(store: GraphReader, node: Node) -> int:
    """Return how many calls of that name no rule resolved: the places, counted without loading them."""
    if node.kind not in _CALLABLE:
        return 0
    statement = "SELECT COUNT(*) FROM unresolved WHERE project = ? AND name = ?"
    return int(store.read().execute(statement, (store.project_id, node.name)).fetchone()[0])


def count_unresolved_callees(store: GraphReader, seeds: Sequence[int]) -> int:
    """Return how many unresolved calls in `seeds` have a name that some symbol here has."""
    marks = ",".join("?" * len(seeds))
    statement = (
        f"SELECT COUNT(*) FROM unresolved AS u WHERE u.src IN ({marks}) "  # noqa: S608
        "AND EXISTS (SELECT 1 FROM node AS n WHERE n.project = u.project AND n.name = u.name)"
    )
    return int(store.read().execute(statement, tuple(seeds)).fetchone()[0])
