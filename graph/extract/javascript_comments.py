"""Comments of JavaScript and TypeScript: doc comments by the line they stand above, and debt markers.

Comments are found by one native query over the tree, not by walking it. What a doc comment says of types is read in
`javascript_jsdoc`.
"""

from __future__ import annotations

import re

from msgspec import Struct
from tree_sitter import Node, Query, QueryCursor

from graph.extract.facts import Marker

__all__ = ["Comments", "read_comments"]

_MARKER = re.compile(r"\b(TODO|FIXME|HACK|XXX)\b(?:\([^)\n]{0,80}\))?[:\s-]*([^\n]*)")
_DIRECTIVE = re.compile(r"^/[/*]+\s*(?:eslint|tslint|prettier|biome|istanbul|c8|v8|@ts-|ts-|jshint|global|#|!)")
_LEADING_STARS = re.compile(r"^\s*(?:/\*\*?|//+|\*(?!/))\s?|\s*\*/\s*$")
_TAG = re.compile(r"^\s*@\w")

DOC_LIMIT = 2000
"""Characters of a doc comment that are kept; it is the bound of `Node.doc`."""


class Comments(Struct):
    """The comments of one file."""

    blocks: dict[int, str]
    """By the line on which they end: `/** */` comments, and runs of `//` lines that stand alone, as written."""
    markers: tuple[Marker, ...] = ()
    head: str = ""
    """The doc comment of the file itself: the first one, when nothing but a blank line follows it."""

    def raw_above(self, line: int) -> str:
        """Return the comment that ends right above a line, or on it, as written; empty when there is none."""
        return self.blocks.get(line - 1) or self.blocks.get(line, "")

    def doc_above(self, line: int) -> str:
        """Return the text of the comment right above a line, without stars and slashes."""
        raw = self.raw_above(line)
        return plain_text(raw) if raw else ""


def read_comments(root: Node, data: bytes, query: Query) -> Comments:
    """Return the comments below `root`; `query` captures them as `comment`."""
    if b"//" not in data and b"/*" not in data:
        return Comments({})
    nodes = QueryCursor(query).captures(root).get("comment", [])
    blocks: dict[int, str] = {}
    markers: list[Marker] = []
    head = ""
    run_start = -1
    for node in sorted(nodes, key=lambda node: node.start_byte):
        text = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        markers += _markers(text, first)
        if _DIRECTIVE.match(text):
            continue
        if text.startswith("/*"):
            blocks[last] = text
        elif _stands_alone(data, node.start_byte):
            previous = blocks.pop(first - 1, "") if run_start >= 0 else ""
            if previous.startswith("/*"):
                blocks[first - 1], previous = previous, ""
            blocks[first] = f"{previous}\n{text}" if previous and len(previous) < DOC_LIMIT * 2 else text
            run_start = first
        if not head and text.startswith("/**") and _blank_follows(data, node.end_byte):
            head = plain_text(text)
    return Comments(blocks, tuple(markers), head)


def plain_text(raw: str) -> str:
    """Return what a comment says, cut to `DOC_LIMIT` characters."""
    lines = [_LEADING_STARS.sub("", line).rstrip() for line in raw[: DOC_LIMIT * 2].split("\n")]
    return "\n".join(lines).strip()[:DOC_LIMIT]


def _markers(text: str, first_line: int) -> list[Marker]:
    if "TODO" not in text and "FIXME" not in text and "HACK" not in text and "XXX" not in text:
        return []
    found: list[Marker] = []
    for offset, line in enumerate(text.split("\n")):
        if match := _MARKER.search(line[:2000]):
            said = match[2].removesuffix("*/").strip()
            found.append(Marker(match[1], said[:300], first_line + offset))
    return found


def _stands_alone(data: bytes, start: int) -> bool:
    line_start = data.rfind(b"\n", 0, start) + 1
    # A minified line can be megabytes long: only its beginning decides.
    return start - line_start < 200 and not data[line_start:start].strip()


def _blank_follows(data: bytes, end: int) -> bool:
    return data[end : end + 40].replace(b"\r", b"").startswith(b"\n\n") or not data[end : end + 40].strip()
