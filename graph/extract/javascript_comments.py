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

_GAP_LIMIT = 200
"""Bytes of white space between a comment and the code below that still belong together."""

DOC_LIMIT = 2000
"""Characters of a doc comment that are kept; it is the bound of `Node.doc`."""


class Comments(Struct):
    """The comments of one file."""

    blocks: dict[int, str]
    """By the line of the code below: a `/** */` comment, or a run of `//` lines right above it, as written."""
    all: tuple[str, ...] = ()
    """Every block comment, as written: types may be defined in any."""
    markers: tuple[Marker, ...] = ()
    head: str = ""
    """The doc comment of the file itself: the first one, when a blank line follows it."""

    def raw_above(self, line: int) -> str:
        """Return the comment above the code that begins on a line, as written; empty when there is none."""
        return self.blocks.get(line, "")

    def doc_above(self, line: int) -> str:
        """Return the text of the comment above the code that begins on a line, without stars and slashes."""
        raw = self.blocks.get(line)
        return plain_text(raw) if raw else ""


def read_comments(root: Node, data: bytes, query: Query) -> Comments:
    """Return the comments below `root`; `query` captures them as `comment`."""
    if b"//" not in data and b"/*" not in data:
        return Comments({})
    nodes = QueryCursor(query).captures(root).get("comment", [])
    reader = _CommentReader(data)
    for node in sorted(nodes, key=lambda node: node.start_byte):
        reader.read(node)
    return Comments(reader.blocks, tuple(reader.block_comments), tuple(reader.markers), reader.head)


class _CommentReader:
    """Attaches comments to the code below them, in one pass."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.blocks: dict[int, str] = {}
        self.block_comments: list[str] = []
        self.markers: list[Marker] = []
        self.head = ""

    def read(self, node: Node) -> None:
        text = self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.markers += _markers(text, first)
        gap = self._data[node.end_byte : node.end_byte + _GAP_LIMIT]
        space = gap[: len(gap) - len(gap.lstrip())]
        below = last + space.count(b"\n")
        above = self.blocks.pop(first, "")
        if text.startswith("/*"):
            is_at_top = node.start_byte < _GAP_LIMIT and _is_blank(self._data[: node.start_byte])
            self._block(text, below, is_apart=is_at_top and space.count(b"\n") > 1)
        elif above.startswith("/*") or _DIRECTIVE.match(text):
            self.blocks[below] = above  # a remark between a doc comment and what it describes
        elif _stands_alone(self._data, node.start_byte) and below == last + 1:
            self.blocks[below] = f"{above}\n{text}" if above and len(above) < DOC_LIMIT * 2 else text

    def _block(self, text: str, below: int, *, is_apart: bool) -> None:
        if text.startswith("/**"):
            self.block_comments.append(text)
            if is_apart:
                self.head = plain_text(text)
                return
        if not _DIRECTIVE.match(text):
            self.blocks[below] = text


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


def _is_blank(head: bytes) -> bool:
    """Whether nothing but white space and a `#!` line stands there."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return not any(line.strip() for line in lines if not line.startswith(b"#!"))


def _stands_alone(data: bytes, start: int) -> bool:
    line_start = data.rfind(b"\n", 0, start) + 1
    # A minified line can be megabytes long: only its beginning decides.
    return start - line_start < 200 and not data[line_start:start].strip()
