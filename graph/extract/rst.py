"""Facts of a reStructuredText file: sections with their anchors, what the prose mentions, targets, debt markers.

Levels are those of the adornments in the order in which a file introduces them. Blocks come from the grammar, so an
underlined line in a literal block is no heading. Any bytes give facts. Targets (`.. _name:`) above a heading are kept
as exports, (name, anchor): that is what `:ref:` leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter_rst
from msgspec import Struct
from tree_sitter import Language, Node, Parser

from graph.extract.facts import Constant, Facts, Marker, Section
from graph.extract.outline_parse import parse_bounded
from graph.extract.rst_inline import first_path, mentions_in, plain_text, section_anchor
from graph.extract.slash_comments import count_lines

__all__ = ["extract_rst"]

_PARSER = Parser(Language(tree_sitter_rst.language()))

_SUMMARY_LIMIT = 500
_MARKER = re.compile(r"\b(TODO|FIXME|HACK|XXX)\b(?:\([^)\n]{0,80}\))?[:\s-]*([^\n]*)")
_CODE = frozenset({
    "code-block", "code", "sourcecode", "raw", "math", "highlight", "prompt", "parsed-literal", "doctest", "testcode",
    "testsetup", "testoutput", "graphviz", "digraph", "image", "figure", "csv-table", "plot", "ipython", "tabs",
})  # fmt: skip
"""Directives whose content is no prose."""
_PATHS = frozenset({"include", "literalinclude", "image", "figure", "download"})
_NAMING = re.compile(
    r"^(?:(?:py|c|cpp|js|rst):)?(?:auto)?(?:module|currentmodule|class|function|method|attribute|data|exception|decorator"
    r"|property|program)$"
)
_STATUS = re.compile(
    r"^\W*(?:status\W+)?(proposed|accepted|rejected|deprecated|superseded|draft|implemented)\b", re.IGNORECASE
)
_DECISION_HEADINGS = frozenset({"context", "decision", "consequences", "choice", "decision outcome", "alternatives"})
_MAX_BLOCK = 100_000


class _Block(Struct):
    """A heading, a piece of prose, a comment or a name that a directive gives, with its first line."""

    kind: str
    """`heading`, `prose`, `field`, `comment`, `target`, `name`."""
    text: str
    line: int
    level: int = 0


def extract_rst(data: bytes) -> Facts:
    """Return the facts of a reStructuredText file; mentions are in source order, each once a line."""
    tree, notes = parse_bounded(_PARSER, data, nests_comments=False)
    line_count = count_lines(data)
    if tree is None:
        return Facts(language="rst", line_count=line_count, notes=notes)
    blocks = list(_blocks(data, tree.root_node))
    sections = _sections(blocks, line_count)
    return Facts(
        language="rst",
        line_count=line_count,
        sections=sections,
        exports=tuple(_targets(blocks, sections)),
        mentions=tuple(dict.fromkeys(_mentions(blocks))),
        markers=tuple(_markers(blocks)),
        doc=_first_paragraph(blocks, 0, past_headings=True),
        notes=notes,
        decision_status=_decision_status(blocks, sections),
    )


def _blocks(data: bytes, root: Node) -> Iterator[_Block]:
    """Yield what a file is made of in source order, without recursion: lists and quotes nest freely."""
    styles: list[str] = []
    stack = [root]
    while stack:
        node = stack.pop()
        kind = node.type
        if kind == "section":
            yield _heading(data, node, styles)
        elif kind in ("paragraph", "line", "term", "line_block"):
            yield _Block("prose", _text(data, node), node.start_point[0] + 1)
        elif kind == "field":
            yield _Block("field", _text(data, node), node.start_point[0] + 1)
        elif kind == "comment":
            yield _Block("comment", _text(data, node), node.start_point[0] + 1)
        elif kind == "target":
            yield from _target(data, node)
        elif kind == "directive":
            yield from _directive(data, node)
        elif kind not in ("literal_block", "doctest_block", "substitution_definition"):
            stack.extend(reversed(node.named_children))


def _text(data: bytes, node: Node) -> str:
    return data[node.start_byte : min(node.end_byte, node.start_byte + _MAX_BLOCK)].decode("utf-8", "replace")


def _heading(data: bytes, node: Node, styles: list[str]) -> _Block:
    """Read a heading; its adornment, with or without a line above, is a level of the file."""
    title = next((child for child in node.named_children if child.type == "title"), node)
    lines = _text(data, node).strip().splitlines()
    style = lines[-1].strip()[:1] + ("^" if len(lines) > 2 and lines[0].strip()[:1] == lines[-1].strip()[:1] else "")
    if style not in styles:
        styles.append(style)
    return _Block("heading", _text(data, title).strip(), node.start_point[0] + 1, styles.index(style) + 1)


def _target(data: bytes, node: Node) -> Iterator[_Block]:
    name = next((child for child in node.named_children if child.type == "name"), None)
    link = next((child for child in node.named_children if child.type == "link"), None)
    line = node.start_point[0] + 1
    if link is None and name is not None:
        yield _Block("target", _text(data, name).strip().removeprefix("_").rstrip(":").strip("`"), line)
    elif link is not None and (path := first_path(_text(data, link))):
        yield _Block("name", path, line)


def _directive(data: bytes, node: Node) -> Iterator[_Block]:
    parts = {child.type: child for child in node.named_children}
    body = parts.get("body")
    name = _text(data, parts["type"]).strip().lower() if "type" in parts else ""
    inside = {child.type: child for child in body.named_children} if body is not None else {}
    argument = _text(data, inside["arguments"]).strip().split("\n", 1)[0] if "arguments" in inside else ""
    line = node.start_point[0] + 1
    if name in _PATHS:
        if path := first_path(argument):
            yield _Block("name", path, line)
    elif _NAMING.match(name):
        if named := argument.split("(", 1)[0].strip().lstrip("~!"):
            yield _Block("name", named.split(" ")[-1], line)
    elif argument and name not in _CODE:
        yield _Block("prose", argument, line)
    content = inside.get("content")
    if content is None or name in _CODE or name in _PATHS:
        return
    text, start = _text(data, content), content.start_point[0] + 1
    yield from _entries(text, start) if name == "toctree" else [_Block("prose", text, start)]


def _entries(text: str, start: int) -> Iterator[_Block]:
    """Yield the documents that a table of contents lists: `title <path>` or the path itself."""
    for number, line in enumerate(text.split("\n")):
        explicit = re.search(r"<([^<>]+)>\s*$", line)
        path = first_path(explicit[1] if explicit else line)
        if path and path != "self" and not path.startswith(":"):
            yield _Block("name", path if path.endswith(".rst") else f"{path}.rst", start + number)


def _sections(blocks: list[_Block], line_count: int) -> tuple[Section, ...]:
    places = [index for index, block in enumerate(blocks) if block.kind == "heading"]
    ends = [line_count] * len(places)
    open_sections: list[int] = []
    for number, index in enumerate(places):
        while open_sections and blocks[places[open_sections[-1]]].level >= blocks[index].level:
            ends[open_sections.pop()] = max(blocks[index].line - 1, 1)
        open_sections.append(number)
    used: dict[str, int] = {}
    found: list[Section] = []
    for index, end in zip(places, ends, strict=True):
        block = blocks[index]
        title = plain_text(block.text)[:300]
        anchor = _unique(section_anchor(title), used)
        summary = _first_paragraph(blocks, index + 1, past_headings=False)
        found.append(Section(title, block.level, anchor, block.line, max(end, block.line), summary))
    return tuple(found)


def _unique(slug: str, used: dict[str, int]) -> str:
    anchor = slug
    while anchor in used:
        used[slug] += 1
        anchor = f"{slug}-{used[slug]}"
    used[anchor] = 0
    return anchor


def _first_paragraph(blocks: list[_Block], start: int, *, past_headings: bool) -> str:
    for block in blocks[start : start + 40]:
        if block.kind == "heading" and not past_headings:
            return ""
        if block.kind == "prose" and (text := plain_text(block.text)):
            return text[:_SUMMARY_LIMIT]
    return ""


def _targets(blocks: list[_Block], sections: tuple[Section, ...]) -> Iterator[tuple[str, Constant]]:
    waiting: list[str] = []
    number = 0
    for block in blocks:
        if block.kind == "target":
            waiting.append(block.text[:200])
        elif block.kind == "heading":
            for name in waiting:
                yield name, Constant("str", sections[number].anchor)
            number += 1
            waiting = []
        else:
            waiting = []


def _mentions(blocks: list[_Block]) -> Iterator[tuple[str, int]]:
    for block in blocks:
        if block.kind == "name":
            yield block.text[:400], block.line
        elif block.kind in ("prose", "heading", "field"):
            for text, offset in mentions_in(block.text):
                yield text, block.line + offset


def _markers(blocks: list[_Block]) -> Iterator[Marker]:
    for block in blocks:
        if block.kind != "comment":
            continue
        for number, line in enumerate(block.text.split("\n")):
            if match := _MARKER.search(line[:2000]):
                yield Marker(match[1], match[2].strip()[:300], block.line + number)


def _decision_status(blocks: list[_Block], sections: tuple[Section, ...]) -> str:
    """Return the status of a decision record, in lower case; `unknown` for one without, empty for other prose.

    A record is known by its sections: two of the usual ones (context, decision, consequences, ...).
    """
    titles = {re.sub(r"^[\d.\s]+", "", section.title).lower() for section in sections}
    if len(titles & _DECISION_HEADINGS) < 2:
        return ""
    heading = ""
    for block in blocks[:60]:
        text = plain_text(block.text)
        if block.kind == "heading":
            heading = text.lower()
        elif ("status" in heading or text.lower().startswith((":status", "status"))) and (match := _STATUS.match(text)):
            return match[1].lower()
    return "unknown"
