"""Nodes read from the store, and the node that a person or a model means by what they wrote.

A reference may be an exact key, `path#qualname`, `path:line`, a path, a qualified name (with or without its module) or
a simple name. The rule that must stay true: a reference that could mean two things is refused with both keys named;
nothing is picked by chance.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from graph.errors import ArgumentError, KeyNotFoundError, PathError
from graph.model import Node, NodeKind

__all__ = [
    "NODE_COLUMNS",
    "FileRow",
    "GraphReader",
    "Symbol",
    "file_row",
    "find_node",
    "first_sentence",
    "module_name",
    "nearest_names",
    "node_by_key",
    "node_from_row",
    "node_id",
    "nodes_by_id",
    "symbol_of",
]

NODE_COLUMNS = (
    "n.id, n.key, n.kind, n.name, n.qualname, f.path, f.language, n.start_line, n.end_line, n.name_line, "
    "n.signature, n.doc, n.parent, n.is_test, n.is_exported"
)
"""What `node_from_row` reads; the id of the node comes first. `n` is the node, `f` its file."""

_NODE_SELECT = f"SELECT {NODE_COLUMNS} FROM node AS n JOIN file AS f ON f.id = n.file"  # noqa: S608 (constants only)
_NODES_AT_ONCE = 500
"""SQLite takes 32,766 parameters; short statements are prepared once and then come from its cache."""
_CANDIDATES_SHOWN = 8
_PROSE_KINDS = frozenset({NodeKind.SECTION, NodeKind.ADR, NodeKind.MARKER})


class GraphReader(Protocol):
    """What a query needs of a store."""

    @property
    def project_id(self) -> int:
        """The project whose rows are read."""
        ...

    def read(self) -> sqlite3.Connection:
        """Return this thread's connection for reading."""
        ...


class Symbol(Struct, frozen=True, kw_only=True):
    """A node as answers show it."""

    path: str
    start_line: int
    end_line: int
    key: str
    name: str
    qualname: str
    kind: str
    signature: str = ""
    doc: str = ""
    """The first sentence of its doc comment."""
    is_test: bool = False


class FileRow(Struct, frozen=True):
    """What the store knows of a path."""

    id: int
    path: str
    language: str
    status: str
    reason: str
    line_count: int


def symbol_of(node: Node) -> Symbol:
    """Return the short form of a node."""
    return Symbol(
        path=node.path,
        start_line=max(node.start_line, 1),  # a file counts from 0 inside, so that it holds every line
        end_line=node.end_line,
        key=node.key,
        name=node.name,
        qualname=node.qualname,
        kind=node.kind.value,
        signature=node.signature,
        doc=first_sentence(node.doc),
        is_test=node.is_test,
    )


def first_sentence(doc: str) -> str:
    """Return the first sentence of a doc comment on one line, at most 160 characters; empty when there is none."""
    text = re.sub(r"^\s*@(?:module|file|fileoverview|packageDocumentation)\b", "", doc).strip()
    # Tags such as `@param` describe parts, not the whole; everything from the first one on is left out.
    paragraph = " ".join(re.split(r"\n\s*\n|(?:^|\n)\s*@\w", text, maxsplit=1)[0].split())
    end = re.search(r"[.!?](?=\s)", paragraph)
    sentence = paragraph[: end.end()] if end else paragraph
    return sentence if len(sentence) <= 160 else sentence[:159].rstrip() + "…"


def node_from_row(row: Sequence[object]) -> Node:
    """Return the node of a row of `NODE_COLUMNS`."""
    (_, key, kind, name, qualname, path, language, start, end, name_line, signature, doc, parent, test, exported) = row
    return Node(
        key=str(key),
        kind=NodeKind(str(kind)),
        name=str(name),
        qualname=str(qualname),
        path=str(path),
        language=str(language),
        start_line=_integer(start),
        end_line=_integer(end),
        name_line=_integer(name_line),
        signature=str(signature),
        doc=str(doc),
        parent=None if parent is None else str(parent),
        is_test=bool(test),
        is_exported=bool(exported),
    )


def node_by_key(store: GraphReader, key: str) -> Node | None:
    """Return the node with exactly this key, or None."""
    found = _select(store, "n.key = ?", (key,))
    return found[0] if found else None


def node_id(store: GraphReader, key: str) -> int:
    """Return the row id of a node; ids are private to one store and never leave a query.

    Raises:
        KeyNotFoundError: no node has this key.
    """
    row = store.read().execute("SELECT id FROM node WHERE project = ? AND key = ?", (store.project_id, key)).fetchone()
    if row is None:
        raise KeyNotFoundError(key, nearest_names(store, key))
    return int(row[0])


def nodes_by_id(store: GraphReader, ids: Iterable[int]) -> dict[int, Node]:
    """Return the nodes of these row ids; ids that are gone are left out."""
    wanted = list(dict.fromkeys(ids))
    found: dict[int, Node] = {}
    for start in range(0, len(wanted), _NODES_AT_ONCE):
        part = wanted[start : start + _NODES_AT_ONCE]
        marks = ",".join("?" * len(part))
        for row in store.read().execute(f"{_NODE_SELECT} WHERE n.id IN ({marks})", part):
            found[int(row[0])] = node_from_row(row)
    return found


def file_row(store: GraphReader, path: str) -> FileRow | None:
    """Return what the store knows of a path, or None when it was not listed at all."""
    row = (
        store.read()
        .execute(
            "SELECT id, path, language, status, reason, line_count FROM file WHERE project = ? AND path = ?",
            (store.project_id, path),
        )
        .fetchone()
    )
    return None if row is None else FileRow(*row)


def find_node(store: GraphReader, reference: str, *, argument: str = "key") -> Node:
    """Return the node that `reference` means; see the head of this module for what may be written.

    Raises:
        KeyNotFoundError: nothing is called so; carries the nearest keys.
        PathError: the path part names a file that is not indexed; the message says why.
        ArgumentError: it is empty or means several nodes; the message lists their keys.
    """
    written = reference.strip().strip("`").removesuffix("()")
    if not written:
        raise ArgumentError(argument, f"`{argument}` is empty. Give a key, `path#name`, `path:line` or a name.")
    exact = node_by_key(store, written)
    if exact is not None:
        return exact
    candidates = _by_path(store, written) or _by_name(store, written)
    if not candidates:
        raise KeyNotFoundError(reference, nearest_names(store, written))
    return _only_one(candidates, reference, argument)


def module_name(path: str) -> str:
    """Return a path as a dotted module, without suffix and package file: `src/flask/app.py` -> `src.flask.app`."""
    stem = path.rsplit("/", 1)
    name = stem[-1].split(".", 1)[0]
    parts = stem[0].split("/") if len(stem) == 2 else []
    return ".".join(parts if name in {"__init__", "index", "mod"} else [*parts, name])


def nearest_names(store: GraphReader, reference: str, limit: int = 5) -> tuple[str, ...]:
    """Return the keys of the symbols whose names look most like `reference`; reads every name, so for errors only."""
    wanted = re.split(r"[#:./]", reference.removesuffix("()"))[-1].lower() or reference.lower()
    rows = store.read().execute(
        "SELECT DISTINCT name FROM node WHERE project = ? AND kind <> 'file'", (store.project_id,)
    )
    pairs = _pairs(wanted)
    scored = [(_likeness(pairs, wanted, str(name).lower()), str(name)) for (name,) in rows]
    best = [name for score, name in sorted(scored, key=lambda item: (-item[0], item[1]))[:limit] if score >= 0.4]
    keys: list[str] = []
    for name in best:
        keys.extend(node.key for node in sorted(_select(store, "n.name = ?", (name,)), key=lambda node: node.is_test))
    return tuple(keys[:limit])


def _by_path(store: GraphReader, written: str) -> list[Node]:
    """Return the nodes of `path#qualname`, `path:line` or a path."""
    path, hash_mark, qualname = written.partition("#")
    path = re.sub(r"^(?:file:|doc:|sym:[a-z0-9_+]+:)", "", path).removeprefix("./")
    line = re.fullmatch(r"(.+?):(\d+)(?:-\d+)?", path)
    if line and not hash_mark:
        return _at_line(store, line[1], int(line[2]))
    found = file_row(store, path)
    if found is None:
        return []
    if found.status != "indexed":
        raise PathError(f"{path} is not indexed: {found.reason or 'no language that Roteiro reads'}.")
    if hash_mark:
        return _select(store, "n.file = ? AND n.qualname = ?", (found.id, qualname.split("~")[0]))[:1]
    return _select(store, "n.file = ? AND n.kind = 'file'", (found.id,))


def _at_line(store: GraphReader, path: str, line: int) -> list[Node]:
    """Return the smallest node around a line; a file node has start line 0 and holds them all."""
    found = file_row(store, path)
    if found is None:
        return []
    if found.status != "indexed":
        raise PathError(f"{path} is not indexed: {found.reason or 'no language that Roteiro reads'}.")
    around = _select(store, "n.file = ? AND n.start_line <= ? AND n.end_line >= ?", (found.id, line, line))
    if not around:
        message = f"{path} has {found.line_count} lines; line {line} is not one of them."
        raise PathError(message)
    return [min(around, key=lambda node: (node.end_line - node.start_line, -node.start_line, node.key))]


def _by_name(store: GraphReader, written: str) -> list[Node]:
    """Return the nodes whose qualified name, behind its module, ends in what was written."""
    dotted = written.replace("::", ".").replace("#", ".")
    name = dotted.rsplit(".", 1)[-1]
    matches = [node for node in _select(store, "n.name = ?", (name,)) if _is_named(node, dotted)]
    exact = [node for node in matches if node.qualname == dotted]
    return exact or matches


def _is_named(node: Node, dotted: str) -> bool:
    full = f"{module_name(node.path)}.{node.qualname}"
    if full == dotted or full.endswith(f".{dotted}"):
        return True
    # `flask.url_for` for src/flask/helpers.py#url_for: packages re-export, so the package alone is enough.
    package, _, qualname = dotted.partition(".")
    while qualname:
        if qualname == node.qualname and f".{module_name(node.path)}.".find(f".{package}.") >= 0:
            return True
        head, _, qualname = qualname.partition(".")
        package = f"{package}.{head}"
    return False


def _only_one(candidates: list[Node], reference: str, argument: str) -> Node:
    """Return the one that is meant: code before prose, sources before tests, the first of overloads; else refuse."""
    preferences: tuple[Callable[[Node], bool], ...] = (_is_code, _is_outside_tests, _is_no_variable)
    for preferred in preferences:
        candidates = [node for node in candidates if preferred(node)] or candidates
    places = {(node.path, node.qualname) for node in candidates}
    if len(places) == 1:
        return candidates[0]
    shown = ", ".join(node.key for node in candidates[:_CANDIDATES_SHOWN])
    more = f" and {len(candidates) - _CANDIDATES_SHOWN} more" if len(candidates) > _CANDIDATES_SHOWN else ""
    raise ArgumentError(
        argument, f"`{argument}`: {reference!r} means {len(candidates)} symbols. Give one of these keys: {shown}{more}."
    )


def _is_code(node: Node) -> bool:
    return node.kind not in _PROSE_KINDS


def _is_outside_tests(node: Node) -> bool:
    return not node.is_test and not _is_test_path(node.path)


def _is_no_variable(node: Node) -> bool:
    return node.kind is not NodeKind.VARIABLE


def _is_test_path(path: str) -> bool:
    return re.search(r"(^|/)(tests?|__tests__|spec)/|(^|/)test_[^/]*$|\.(test|spec)\.[a-z]+$", path) is not None


def _select(store: GraphReader, where: str, values: tuple[object, ...]) -> list[Node]:
    """Return the nodes of a constant condition, by path and line."""
    statement = f"{_NODE_SELECT} WHERE n.project = ? AND {where} ORDER BY f.path, n.start_line, n.key"
    return [node_from_row(row) for row in store.read().execute(statement, (store.project_id, *values))]


def _pairs(word: str) -> frozenset[str]:
    return frozenset(word[index : index + 2] for index in range(len(word) - 1)) or frozenset({word})


def _likeness(pairs: frozenset[str], wanted: str, name: str) -> float:
    """Dice's coefficient over pairs of letters, with a bonus when one name holds the other."""
    others = _pairs(name)
    score = 2 * len(pairs & others) / (len(pairs) + len(others))
    if wanted.replace("_", "") == name.replace("_", ""):
        return 2.0  # the same name in another spelling
    held = len(wanted) >= 3 and (wanted in name or (len(name) >= 3 and name in wanted))
    return score + (0.25 if held else 0.0)


def _integer(value: object) -> int:
    """Return a column that SQLite declares INTEGER as an int for the type checkers."""
    if not isinstance(value, int):
        message = f"the store holds {value!r} where an integer belongs"
        raise TypeError(message)
    return value
