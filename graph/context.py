"""A bounded reading list for one symbol: its code, then what stands around it, as much as a budget holds.

The order is the order of use: the symbol, its container and bases, who calls it, what it calls, the prose about it, its
tests. The rule that must stay true: what does not fit is counted and named, never dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from graph.candidates import TYPES
from graph.lookup import GraphReader, Symbol, find_node, node_by_key, node_id, nodes_by_id, symbol_of
from graph.model import Node, NodeKind
from graph.outline import clipped, outline_lines
from graph.query import Call, callees, callers

__all__ = ["Context", "ContextItem", "ReadLines", "reading_list"]

ReadLines = Callable[[str, int, int], str]
"""`(path, start, end)` -> the text of those lines of the work tree."""

_CHARACTERS_A_TOKEN = 4
_OWN_SHARE = 0.6
"""The symbol's own code gets at most this share of the budget, so that its surroundings are never crowded out."""
_HOLDERS = TYPES | {NodeKind.FILE}
_OUTLINED_FROM = 1.5
"""How many times its room a file or type must be to be shown as its outline."""
_LOOKED_AT = 12
"""Neighbours of each role that are considered; a budget holds fewer."""
_MENTION_LINES = 6


class ContextItem(Struct, frozen=True, kw_only=True):
    """One thing to read.

    `role`: symbol (its code) or outline (its members), then container, base, caller, callee, doc, test.
    """

    role: str
    path: str
    start_line: int
    """Of `text`, where `text` is part of the symbol."""
    end_line: int
    key: str
    name: str
    kind: str
    text: str
    why: str = ""


class Context(Struct, frozen=True, kw_only=True):
    """The list, what it costs, and what is not in it."""

    of: Symbol
    items: tuple[ContextItem, ...]
    budget_tokens: int
    used_tokens: int
    left_out: tuple[str, ...] = ()
    """In words, with the tool that shows the rest."""


def reading_list(store: GraphReader, read_lines: ReadLines, key: str, *, budget_tokens: int = 1_500) -> Context:
    """Return what to read about a symbol within a budget, at four characters a token.

    Raises:
        KeyNotFoundError, PathError, ArgumentError: see `find_node`.
    """
    node = find_node(store, key)
    budget = budget_tokens * _CHARACTERS_A_TOKEN
    own, own_left_out = _own_code(store, read_lines, node, int(budget * _OWN_SHARE))
    items, left_out, used = [own], own_left_out, len(own.text)
    for role, candidates, total, tool in _surroundings(store, read_lines, node):
        taken = 0
        for item in candidates:
            if used + _cost(item) > budget:
                break
            items.append(item)
            used += _cost(item)
            taken += 1
        if taken < total:
            left_out.append(f"{total - taken} of {total} {role}{'s' if total > 1 else ''}{tool}")
    return Context(
        of=symbol_of(node),
        items=tuple(items),
        budget_tokens=budget_tokens,
        used_tokens=-(-used // _CHARACTERS_A_TOKEN),
        left_out=tuple(left_out),
    )


def _own_code(store: GraphReader, read_lines: ReadLines, node: Node, room: int) -> tuple[ContextItem, list[str]]:
    """Return the symbol's code, cut to whole lines that fit; a long docstring goes before any line of code does.

    A file or type far larger than its room is shown as its outline instead: its first lines would say little.
    """
    start = max(1, node.start_line)
    lines = read_lines(node.path, start, max(start, node.end_line)).splitlines()
    if _fitting(lines, room) < len(lines):
        shortened = _with_short_docstring(lines)
        if _fitting(shortened, room) == len(shortened):
            item = _item("symbol", node, "\n".join(shortened), start, max(start, node.end_line))
            return item, [f"{len(lines) - len(shortened)} lines of its docstring (`source`)"]
    if node.kind in _HOLDERS and sum(len(line) + 1 for line in lines) > _OUTLINED_FROM * room:
        return _outlined(store, node, room)
    kept = _fitting(lines, room)
    end = start + max(0, kept - 1)
    item = _item("symbol", node, "\n".join(lines[:kept]), start, end)
    if kept == len(lines):
        return item, []
    rest = f"`source` with path {node.path} and lines {end + 1}-{node.end_line}"
    return item, [f"{len(lines) - kept} of its {len(lines)} lines ({rest})"]


def _outlined(store: GraphReader, node: Node, room: int) -> tuple[ContextItem, list[str]]:
    symbol = symbol_of(node)
    head = [line for line in (symbol.signature, f"    {symbol.doc}" if symbol.doc else "") if line]
    lines = [*head, *outline_lines(store, node)]
    kept = _fitting(lines, room)
    item = _item("outline", node, "\n".join(lines[:kept]), max(1, node.start_line), node.end_line)
    left_out = ["its code (`source`)"]
    if kept < len(lines):
        left_out.append(f"{len(lines) - kept} of its {len(lines) - len(head)} members")
    return item, left_out


def _with_short_docstring(lines: Sequence[str]) -> list[str]:
    """Return the lines of a Python definition with its docstring cut to the first paragraph."""
    first = next((index for index, line in enumerate(lines) if re.match(r"\s*[rRuU]?(\"{3}|'{3})", line)), None)
    if first is None:
        return list(lines)
    quotes = '"""' if '"""' in lines[first] else "'''"
    last = next((index for index in range(first + 1, len(lines)) if quotes in lines[index]), None)
    blank = next((index for index in range(first, last or first) if not lines[index].strip()), None)
    if last is None or blank is None or lines[first].count(quotes) > 1:
        return list(lines)
    return [*lines[:blank], f"{_indent(lines[last])}[...]{quotes}", *lines[last + 1 :]]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _fitting(lines: Sequence[str], room: int) -> int:
    used = 0
    for index, line in enumerate(lines):
        used += len(line) + 1
        if used > room:
            return max(1, index)
    return len(lines)


def _surroundings(
    store: GraphReader, read_lines: ReadLines, node: Node
) -> Iterable[tuple[str, list[ContextItem], int, str]]:
    """Return (role, items in order, how many there are in all, how to see the rest) for each role."""
    yield from _above(store, node)
    calling = callers(store, node.key, limit=200)
    sources = [call for call in calling.calls if not call.is_test]
    tests = [call for call in calling.calls if call.is_test]
    beyond = calling.total - len(calling.calls)
    yield (
        "caller",
        [_call_item("caller", call, read_lines) for call in sources[:_LOOKED_AT]],
        len(sources) + beyond,
        " (`callers`)",
    )
    called = callees(store, node.key, limit=_LOOKED_AT)
    yield "callee", [_callee_item(call) for call in called.calls], called.total, " (`callees`)"
    yield from _prose(store, read_lines, node)
    yield (
        "test",
        [_call_item("test", call, read_lines) for call in tests[: _LOOKED_AT // 2]],
        len(tests),
        " (`callers`)",
    )


def _above(store: GraphReader, node: Node) -> Iterable[tuple[str, list[ContextItem], int, str]]:
    """Return the container and the bases as their headlines."""
    container = node_by_key(store, node.parent) if node.parent else None
    if container is not None and container.kind is not NodeKind.FILE:
        yield "container", [_headline("container", container)], 1, ""
    bases = _linked(store, node, "e.src", "e.dst", ("inherits", "implements", "overrides"))
    if bases:
        yield "base", [_headline("base", base) for base in bases[:_LOOKED_AT]], len(bases), ""


def _prose(store: GraphReader, read_lines: ReadLines, node: Node) -> Iterable[tuple[str, list[ContextItem], int, str]]:
    """Return the sections of documents that mention or document the symbol, as their first lines."""
    sections = _linked(store, node, "e.dst", "e.src", ("documents", "mentions"))
    if not sections:
        return
    items: list[ContextItem] = []
    for section in sections[:_LOOKED_AT]:
        start = max(1, section.start_line)
        end = min(section.end_line, start + _MENTION_LINES - 1)
        text = read_lines(section.path, start, end).rstrip()
        items.append(_item("doc", section, text, start, start + text.count("\n")))
    yield "doc", items, len(sections), ""


def _linked(store: GraphReader, node: Node, here: str, there: str, kinds: tuple[str, ...]) -> list[Node]:
    marks = ",".join("?" * len(kinds))
    rows = store.read().execute(
        f"SELECT DISTINCT {there} FROM edge AS e WHERE {here} = ? AND e.kind IN ({marks}) "  # noqa: S608 (column names of this module)
        "AND e.provenance <> 'inferred'",
        (node_id(store, node.key), *kinds),
    )
    found = nodes_by_id(store, [int(id_) for (id_,) in rows])
    return sorted(found.values(), key=lambda other: (other.path, other.start_line, other.key))


def _headline(role: str, node: Node) -> ContextItem:
    symbol = symbol_of(node)
    text = clipped(symbol.signature) or f"{symbol.kind} {symbol.qualname}"
    return _item(role, node, f"{text}\n    {symbol.doc}" if symbol.doc else text, node.start_line, node.end_line)


def _call_item(role: str, call: Call, read_lines: ReadLines) -> ContextItem:
    """Return a caller as its signature and the lines that call."""
    sites = [f"{line}: {read_lines(call.path, line, line).strip()[:160]}" for line in call.lines[:2]]
    title = "at module level" if call.kind == "file" else clipped(call.signature) or f"{call.kind} {call.qualname}"
    item = _of_call(role, call, "\n".join([title, *(f"    {site}" for site in sites)]))
    if call.kind == "file" and call.lines:
        return replace(item, start_line=call.lines[0], end_line=call.lines[-1])
    return item


def _callee_item(call: Call) -> ContextItem:
    text = clipped(call.signature) or f"{call.kind} {call.qualname}"
    return _of_call("callee", call, f"{text}\n    {call.doc}" if call.doc else text)


def _of_call(role: str, call: Call, text: str) -> ContextItem:
    return ContextItem(
        role=role,
        path=call.path,
        start_line=call.start_line,
        end_line=call.end_line,
        key=call.key,
        name=call.qualname,
        kind=call.kind,
        text=text,
    )


def _item(role: str, node: Node, text: str, start: int, end: int) -> ContextItem:
    return ContextItem(
        role=role,
        path=node.path,
        start_line=start,
        end_line=end,
        key=node.key,
        name=node.qualname,
        kind=node.kind.value,
        text=text,
    )


def _cost(item: ContextItem) -> int:
    return len(item.text) + len(item.path) + len(item.name) + 24
