"""The whole graph as plain data: nodes, `imports` edges, and exactly the `calls` edges that callers are answered from.

The rule that must stay true: the calls come from `graph.query.CALL_EDGES` and nothing else, so what is scored is what
is served. Sorted, so the dumps of equal graphs are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from graph.candidates import TYPES
from graph.lookup import GraphReader
from graph.model import NodeKind
from graph.query import CALL_EDGES, split_lines

__all__ = ["Row", "dump"]

Row: TypeAlias = dict[str, object]

_OTHER_EDGES = "SELECT e.src, e.dst, e.provenance, e.confidence, e.lines FROM edge AS e WHERE e.kind = ? "
_CALLABLE = sorted(kind.value for kind in TYPES | {NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.MACRO})
_MOST_MEANINGS = 10
"""As for the tools: a name with more definitions says nothing."""


def dump(store: GraphReader, *, include_inferred: bool = False) -> dict[str, list[Row]]:
    """Return `{"nodes": [...], "edges": [...]}`; an edge stands once for each of its lines.

    With `include_inferred` also candidates: inferred edges, and unresolved calls matched by name, each labelled and
    with its confidence. Everything is in memory at once: some 150 MB for Django.
    """
    keys = _keys(store)
    edges = [*_edges(store, keys, "calls", CALL_EDGES, ())]
    edges += _edges(store, keys, "imports", _OTHER_EDGES + "AND e.provenance <> 'inferred'", ("imports",))
    if include_inferred:
        for kind in ("calls", "imports"):
            edges += _edges(store, keys, kind, _OTHER_EDGES + "AND e.provenance = 'inferred'", (kind,))
        edges += _candidates(store, keys)
    edges.sort(key=lambda edge: [str(edge["kind"]), str(edge["src"]), f"{edge['line']:>8}", str(edge["dst"])])
    return {"nodes": list(_nodes(store)), "edges": edges}


def _keys(store: GraphReader) -> dict[int, str]:
    return dict(store.read().execute("SELECT id, key FROM node WHERE project = ?", (store.project_id,)))


def _nodes(store: GraphReader) -> Iterator[Row]:
    rows = store.read().execute(
        "SELECT n.key, n.kind, n.name, n.qualname, f.path, n.start_line, n.end_line, n.name_line, f.language "
        "FROM node AS n JOIN file AS f ON f.id = n.file WHERE n.project = ? ORDER BY f.path, n.start_line, n.key",
        (store.project_id,),
    )
    for key, kind, name, qualname, path, start, end, name_line, language in rows:
        yield {
            "id": key,
            "kind": kind,
            "name": name,
            "qualname": qualname,
            "file": path,
            "start_line": start,
            "end_line": end,
            "name_line": name_line,
            "language": language,
        }


def _edges(
    store: GraphReader, keys: dict[int, str], kind: str, statement: str, parameters: Sequence[object]
) -> Iterator[Row]:
    rows = store.read().execute(f"{statement} AND e.project = ?", (*parameters, store.project_id))
    for src, dst, provenance, confidence, written in rows:
        for line in split_lines(written) or (0,):
            yield _edge(keys[src], keys[dst], kind, line, provenance, confidence)


def _candidates(store: GraphReader, keys: dict[int, str]) -> Iterator[Row]:
    marks = ",".join("?" * len(_CALLABLE))
    rows = store.read().execute(
        f"SELECT u.src, n.id, u.line, m.meanings FROM unresolved AS u "  # noqa: S608 - marks only
        f"JOIN (SELECT name, count(*) AS meanings FROM node WHERE project = ? AND kind IN ({marks}) GROUP BY name) m "
        f"ON m.name = u.name AND m.meanings <= ? "
        f"JOIN node AS n ON n.project = u.project AND n.name = u.name AND n.kind IN ({marks}) WHERE u.project = ?",
        (store.project_id, *_CALLABLE, _MOST_MEANINGS, *_CALLABLE, store.project_id),
    )
    for src, dst, line, meanings in rows:
        yield _edge(keys[src], keys[dst], "calls", line, "inferred", 1 / meanings)


def _edge(src: str, dst: str, kind: str, line: int, provenance: str, confidence: float) -> Row:
    return {
        "src": src,
        "dst": dst,
        "kind": kind,
        "line": line,
        "provenance": provenance,
        "confidence": round(confidence, 4),
    }
