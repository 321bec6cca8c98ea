"""Comments of languages that write them with `//` and `/* */`: doc comments above a definition, and debt markers.

Read from the text, not from the tree: a comment is looked for only where a definition begins or a marker stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from graph.extract.facts import Marker

__all__ = ["count_errors", "count_lines", "doc_above", "doc_text", "markers_in"]

_MARKER = re.compile(rb"\b(TODO|FIXME|HACK|XXX)\b(?=(?:\([^)\r\n]{0,80}\))?[: \t-]*([^\r\n]{0,300}))")
_STARS = re.compile(r"^\s*(?:/\*[*!]?|//[/!]?|\*(?!/))[ \t]?|\s*\*+/\s*$")
_DIRECTIVE = re.compile(rb"//(?:go:|line |export |nolint|\s*\+build)")
_MAX_DOC = 2000
_MAX_BYTES = 8192
"""A doc comment is read up to here; what is kept of it is shorter."""


def doc_above(data: bytes, start: int) -> str:
    """Return the comment that ends on the line above the one that `start` lies on, without its slashes and stars."""
    end = data.rfind(b"\n", 0, start) + 1
    if data[end:start].strip():
        return ""  # something else stands on this line, so what is above belongs to that
    begin = _comment_begin(data, end)
    return doc_text(data[begin:end].decode("utf-8", "replace"), inner=False) if begin < end else ""


def _comment_begin(data: bytes, end: int) -> int:
    """Return where the comment lines that end at `end` begin; `end` itself when there are none."""
    begin, floor = end, max(0, end - _MAX_BYTES)
    while begin > floor:
        line_start = data.rfind(b"\n", 0, begin - 1) + 1
        line = data[line_start:begin].strip()
        if line.startswith(b"//"):
            begin = line_start
        elif line.endswith(b"*/") and begin == end:
            opened = data.rfind(b"/*", floor, begin)
            alone = opened >= 0 and not data[data.rfind(b"\n", 0, opened) + 1 : opened].strip()
            return opened if alone else end
        else:
            break
    return begin


def doc_text(text: str, *, inner: bool) -> str:
    """Return the words of a comment; `inner` keeps only lines of inner documentation (`//!`)."""
    lines = text.splitlines()
    if inner:
        lines = [line for line in lines if line.lstrip().startswith(("//!", "/*!", "*"))]
    else:
        lines = [line for line in lines if not _DIRECTIVE.match(line.strip().encode())]
        lines = [line for line in lines if not line.lstrip().startswith(("//!", "/*!"))]
    stripped = [_STARS.sub("", line).rstrip() for line in lines]
    return "\n".join(stripped).strip()[:_MAX_DOC]


def markers_in(data: bytes, root: Node, comments: frozenset[str]) -> tuple[Marker, ...]:
    """Return the debt markers that stand in comments; the tree is asked only where the text has one."""
    found: list[Marker] = []
    for match in _MARKER.finditer(data):
        start = match.start(1)
        node = root.descendant_for_byte_range(start, start)
        while node is not None and node.type == "doc_comment":
            node = node.parent
        if node is None or node.type not in comments:
            continue
        line = _line(data, start, node)
        if not found or found[-1].line != line:
            text = data[match.start(2) : min(match.end(2), node.end_byte)].decode("utf-8", "replace").strip(" \t*/")
            found.append(Marker(match.group(1).decode(), text, line))
    return tuple(found)


def _line(data: bytes, start: int, node: Node) -> int:
    """Return the line of a byte inside a node."""
    return node.start_point[0] + 1 + data.count(b"\n", node.start_byte, start)


def count_lines(data: bytes) -> int:
    """Return the number of lines."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def count_errors(root: Node) -> int:
    """Count the places that the parser had to recover from; nothing below a sound node is visited."""
    if not root.has_error:
        return 0
    count = 0
    open_nodes: list[Node] = [root]
    while open_nodes:
        node = open_nodes.pop()
        if node.is_error or node.is_missing:
            count += 1
        open_nodes.extend(_broken(node.children))
    return count


def _broken(nodes: Iterable[Node]) -> list[Node]:
    return [node for node in nodes if node.has_error]
