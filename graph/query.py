"""Who calls what: callers and callees of a symbol, with every call-site line.

The rule that must stay true: what is shown as a call is exactly a row of `CALL_EDGES`, the statement that the dump is
made from too. Candidates by name are counted apart and appear only when they are asked for, labelled `inferred`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from graph.candidates import (
    CONSTRUCTORS,
    TYPES,
    Found,
    count_unresolved_callees,
    count_unresolved_callers,
    merged,
    unresolved_callees,
    unresolved_callers,
)
from graph.lookup import GraphReader, Symbol, find_node, node_id, nodes_by_id, symbol_of
from graph.model import Node
from graph.paging import page_offset

__all__ = ["CALL_EDGES", "Call", "Calls", "Direction", "callees", "callers", "split_lines"]

CALL_EDGES = (
    "SELECT e.src, e.dst, e.provenance, e.confidence, e.lines FROM edge AS e "
    "WHERE e.kind = 'calls' AND e.provenance <> 'inferred'"
)
"""Every call that is known, a row for each pair of caller and callee; append conditions with `AND`."""

Direction = Literal["callers", "callees"]

_MOST_VISITED = 2_000
"""A walk of several levels stops here and says so: past this many nobody reads the list, and a hub reaches half a
repository in three steps."""
_IDS_AT_ONCE = 500


class Call(Symbol, frozen=True, kw_only=True):
    """The other end of a call, and where the call stands."""

    lines: tuple[int, ...]
    """Call sites, in the file of the caller."""
    depth: int = 1
    through: str = ""
    """The key that is called (or calls) on the way to the asked symbol; empty when that is the symbol itself."""
    provenance: str = "derived"
    confidence: float = 1.0
    site_path: str = ""
    """The file that `lines` count in: the caller's."""
    text: str = ""
    """The source line of the first call site, where a tool read it."""


class Calls(Struct, frozen=True, kw_only=True):
    """One page of callers or callees, and what to know about the whole list."""

    direction: Direction
    of: Symbol
    calls: tuple[Call, ...]
    total: int
    sites: int
    """Call-site lines in the whole list."""
    candidates: int = 0
    """Unresolved calls of that name (callers), or in that symbol (callees); not in the list unless asked for."""
    offset: int = 0
    cursor: str = ""
    """What to send for the next page; empty on the last."""
    notes: tuple[str, ...] = ()


def callers(
    store: GraphReader, key: str, *, depth: int = 1, include_inferred: bool = False, limit: int = 20, cursor: str = ""
) -> Calls:
    """Return who calls a symbol: tests last, its own top folder first, by path and line.

    A class includes the callers of its constructor.

    Raises:
        KeyNotFoundError, PathError, ArgumentError: see `find_node`.
    """
    node = find_node(store, key)
    seeds = [node_id(store, node.key), *_constructors(store, node)]
    found, notes = _walk(store, seeds, "callers", depth, node.path)
    notes = [*_caller_notes(store, seeds), *notes]
    if include_inferred:
        found += unresolved_callers(store, node, {(item.id, line) for item in found for line in item.lines})
    candidates = count_unresolved_callers(store, node)
    return _page(store, "callers", node, found, candidates=candidates, limit=limit, cursor=cursor, notes=notes)


def callees(
    store: GraphReader, key: str, *, depth: int = 1, include_inferred: bool = False, limit: int = 20, cursor: str = ""
) -> Calls:
    """Return what a symbol calls, in the order of the calls. A class stands for its body and its constructor.

    Raises:
        KeyNotFoundError, PathError, ArgumentError: see `find_node`.
    """
    node = find_node(store, key)
    constructors = _constructors(store, node)
    seeds = [node_id(store, node.key), *constructors]
    found, notes = _walk(store, seeds, "callees", depth, node.path)
    if node.kind in TYPES:
        body = "its body and its constructor" if constructors else "its body; it has no constructor of its own"
        notes.insert(0, f"Of a {node.kind.value} these are the calls in {body}. Ask for a method to see its calls.")
    unresolved = count_unresolved_callees(store, seeds)
    if include_inferred:
        found += unresolved_callees(store, seeds)
    return _page(store, "callees", node, found, candidates=unresolved, limit=limit, cursor=cursor, notes=notes)


def split_lines(written: str) -> tuple[int, ...]:
    """Return the lines of an edge as the store writes them, comma-separated."""
    return tuple(int(line) for line in written.split(",") if line)


def _walk(
    store: GraphReader, seeds: Sequence[int], direction: Direction, depth: int, home: str
) -> tuple[list[Found], list[str]]:
    """Return the calls level by level; each symbol once, at its smallest depth."""
    found: dict[int, Found] = {}
    frontier, visited = list(seeds), set(seeds)
    for level in range(1, depth + 1):
        reached = _level(store, frontier, direction, level, home)
        # A symbol that calls itself is a true caller of itself, on the first level.
        fresh = {key: item for key, item in reached.items() if level == 1 or key not in visited}
        found |= {key: item for key, item in fresh.items() if key not in found}
        frontier = sorted(key for key in fresh if key not in visited)
        visited.update(frontier)
        if len(found) > _MOST_VISITED:
            return list(found.values()), [f"Stopped at depth {level} with more than {_MOST_VISITED} symbols."]
        if not frontier:
            break
    return list(found.values()), []


def _level(store: GraphReader, near: Sequence[int], direction: Direction, depth: int, home: str) -> dict[int, Found]:
    """Return the calls one step away from `near`, merged by the symbol at the other end."""
    here, there = ("dst", "src") if direction == "callers" else ("src", "dst")
    reached: dict[int, Found] = {}
    for part in _parts(near):
        marks = ",".join("?" * len(part))
        statement = (
            f"SELECT c.{there}, c.{here}, c.provenance, c.confidence, c.lines, n.is_test, f.path, n.start_line, n.key "  # noqa: S608 (column names above)
            f"FROM ({CALL_EDGES} AND e.{here} IN ({marks})) AS c "
            f"JOIN node AS n ON n.id = c.{there} JOIN file AS f ON f.id = n.file"
        )
        for other, nearer, provenance, confidence, written, test, path, line, key in store.read().execute(
            statement, part
        ):
            lines = split_lines(written)
            away = path.partition("/")[0] != home.partition("/")[0]
            order = (
                (depth, test, away, path, line, key) if direction == "callers" else (depth, lines[:1], path, line, key)
            )
            item = Found(other, nearer, lines, provenance, confidence, depth, order)
            reached[other] = merged(reached[other], item) if other in reached else item
    return reached


def _page(  # noqa: PLR0913 (the parts of one answer)
    store: GraphReader,
    direction: Direction,
    node: Node,
    found: list[Found],
    *,
    candidates: int,
    limit: int,
    cursor: str,
    notes: list[str],
) -> Calls:
    """Return the wanted part of the sorted list, with its nodes loaded."""
    offset = page_offset(cursor)
    found.sort(key=lambda item: (item.provenance == "inferred", item.order))
    shown = found[offset : offset + limit]
    nodes = nodes_by_id(store, [id_ for item in shown for id_ in (item.id, item.near)])
    more = offset + len(shown) < len(found)
    return Calls(
        direction=direction,
        of=symbol_of(node),
        calls=tuple(_call(direction, item, nodes, node) for item in shown if item.id in nodes),
        total=len(found),
        sites=sum(len(item.lines) for item in found),
        candidates=candidates,
        offset=offset,
        cursor=str(offset + len(shown)) if more else "",
        notes=tuple(notes),
    )


def _call(direction: Direction, item: Found, nodes: dict[int, Node], asked: Node) -> Call:
    other, near = symbol_of(nodes[item.id]), nodes.get(item.near)
    caller = near if direction == "callees" else nodes[item.id]
    return Call(
        site_path=asked.path if caller is None else caller.path,
        path=other.path,
        start_line=other.start_line,
        end_line=other.end_line,
        key=other.key,
        name=other.name,
        qualname=other.qualname,
        kind=other.kind,
        signature=other.signature,
        doc=other.doc,
        is_test=other.is_test,
        lines=item.lines,
        depth=item.depth,
        through="" if near is None or near.key == asked.key else near.key,
        provenance=item.provenance,
        confidence=round(item.confidence, 3),
    )


def _constructors(store: GraphReader, node: Node) -> list[int]:
    """Return the ids of the methods that run when `node` is called; none when it is not a type."""
    if node.kind not in TYPES:
        return []
    marks = ",".join("?" * len(CONSTRUCTORS))
    # By containment: an index on names would visit every `__init__` of the repository (20 ms on Django).
    rows = store.read().execute(
        "SELECT n.id FROM edge AS e JOIN node AS n ON n.id = e.dst "  # noqa: S608
        f"WHERE e.src = ? AND e.kind = 'contains' AND +n.name IN ({marks}) ORDER BY n.key",
        (node_id(store, node.key), *CONSTRUCTORS),
    )
    return [int(id_) for (id_,) in rows]


def _caller_notes(store: GraphReader, seeds: Sequence[int]) -> list[str]:
    """Say what a reader of the callers should know: constructors, overrides, subclasses, other uses."""
    notes: list[str] = []
    if len(seeds) > 1:
        notes.append("Callers of its constructor are included.")
    for kind, sentence in (
        ("overrides", "Overridden by {names}; calls that reach those are not in this list."),
        ("inherits", "Subclassed by {names}."),
        ("imports", "Imported by {names}."),
        ("references", "Used as a value, without a call that could be followed, by {names}."),
    ):
        names = _neighbours(store, seeds[0], kind, "src")
        if names:
            notes.append(sentence.format(names=_listed(names)))
    if base := _neighbours(store, seeds[0], "overrides", "dst"):
        notes.append(f"Overrides {_listed(base)}; calls through that one may arrive here.")
    return notes


def _neighbours(store: GraphReader, id_: int, kind: str, end: Literal["src", "dst"]) -> list[str]:
    """Return the qualified names at the `end` of the edges of a kind, sorted."""
    other = "dst" if end == "src" else "src"
    statement = (
        f"SELECT n.qualname, f.path, n.kind FROM edge AS e "  # noqa: S608
        f"JOIN node AS n ON n.id = e.{end} JOIN file AS f ON f.id = n.file "
        f"WHERE e.{other} = ? AND e.kind = ? AND e.provenance <> 'inferred' ORDER BY f.path, n.start_line"
    )
    return [
        path if node_kind == "file" else f"{path}#{qualname}"
        for qualname, path, node_kind in store.read().execute(statement, (id_, kind))
    ]


def _listed(names: Sequence[str], most: int = 4) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _parts(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))
