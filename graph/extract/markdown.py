"""Facts of a Markdown file: sections with the anchors of code hosts, what the prose mentions, debt markers in comments.

Blocks come from the grammar, so a `#` in a fenced code block is no heading. What stands inside a line (code spans,
links) is read in `markdown_inline`. Any bytes give facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import cast

from msgspec import Struct
from tree_sitter import Language, Node, Parser

from graph.extract.facts import Facts, Marker, Section
from graph.extract.markdown_inline import anchor_slug, comments_in, mentions_in, plain_text

__all__ = ["extract_markdown"]

_SUMMARY_LIMIT = 500
_PROSE = frozenset({"paragraph", "pipe_table_cell", "html_block", "link_reference_definition"})
_CONTAINERS = frozenset({"document", "section", "block_quote", "list", "list_item"})
_TABLES = frozenset({"pipe_table", "pipe_table_header", "pipe_table_row"})
_MARKER = re.compile(r"\b(TODO|FIXME|HACK|XXX)\b(?:\([^)\n]{0,80}\))?[:\s-]*([^\n]*)")
_STATUS = re.compile(
    r"^\W*(?:status\W+)?(proposed|accepted|rejected|deprecated|superseded|draft|implemented)\b", re.IGNORECASE
)
_DECISION_HEADINGS = frozenset({"context", "decision", "consequences", "choice", "decision outcome", "alternatives"})
_FRONT_MATTER = re.compile(r"^([A-Za-z_][\w-]*)\s*[:=]\s*(.+?)\s*$", re.MULTILINE)


class _Block(Struct):
    """A heading, or a piece of prose, with the source lines it covers."""

    text: str
    line: int
    level: int = 0
    """Of a heading; 0 for prose."""
    is_paragraph: bool = False


def extract_markdown(data: bytes) -> Facts:
    """Return the facts of a Markdown file; mentions are in source order, each once a line."""
    line_count = data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
    root = Parser(_grammar()).parse(data).root_node
    front: dict[str, str] = {}
    blocks: list[_Block] = []
    for node in _blocks(root):
        if node.type in {"minus_metadata", "plus_metadata"}:
            front = _front_matter(_text(data, node))
        else:
            blocks.append(_block(data, node))
    sections = _sections(blocks, line_count)
    return Facts(
        language="markdown",
        line_count=line_count,
        sections=sections,
        mentions=tuple(_mentions(blocks)),
        markers=tuple(_markers(blocks)),
        doc=_file_doc(front, blocks),
        decision_status=_decision_status(front, blocks, sections),
    )


@cache
def _grammar() -> Language:
    module = import_module("tree_sitter_markdown")
    make = cast("Callable[[], object]", module.language)  # the stub of the wheel leaves the capsule untyped
    return Language(make())


def _text(data: bytes, node: Node) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _blocks(root: Node) -> Iterator[Node]:
    """Yield headings, prose and front matter in source order, without recursion: quotes and lists nest freely."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _CONTAINERS or node.type in _TABLES:
            stack.extend(reversed(node.named_children))
        elif node.type in _PROSE or node.type.endswith(("_heading", "_metadata")):
            yield node


def _block(data: bytes, node: Node) -> _Block:
    text, line = _text(data, node), node.start_point[0] + 1
    if node.type == "atx_heading":
        marker = len(text) - len(text.lstrip("#"))
        title = re.sub(r"(?:^|\s)#+\s*$", "", text.strip().lstrip("#")).strip()
        return _Block(title, line, max(1, min(marker, 6)))
    if node.type == "setext_heading":
        *title_lines, underline = text.rstrip().split("\n")
        return _Block(" ".join(part.strip() for part in title_lines), line, 1 if "=" in underline else 2)
    return _Block(text, line, is_paragraph=node.type == "paragraph")


def _sections(blocks: list[_Block], line_count: int) -> tuple[Section, ...]:
    headings = [(index, block) for index, block in enumerate(blocks) if block.level]
    ends = _ends([block for _, block in headings], line_count)
    used: dict[str, int] = {}
    sections: list[Section] = []
    for (index, block), end_line in zip(headings, ends, strict=True):
        title = plain_text(block.text)
        sections.append(
            Section(
                title=title[:300],
                level=block.level,
                anchor=_unique(anchor_slug(title), used),
                start_line=block.line,
                end_line=end_line,
                summary=_first_paragraph(blocks, index + 1),
            )
        )
    return tuple(sections)


def _ends(headings: list[_Block], line_count: int) -> list[int]:
    """Return the last line of each section: the one before the next heading of its level or above."""
    ends = [line_count] * len(headings)
    open_sections: list[int] = []
    for index, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            ends[open_sections.pop()] = heading.line - 1
        open_sections.append(index)
    return ends


def _unique(slug: str, used: dict[str, int]) -> str:
    """Return the slug, or with `-1`, `-2` behind it when it is taken, as code hosts count."""
    anchor = slug
    while anchor in used:
        used[slug] += 1
        anchor = f"{slug}-{used[slug]}"
    used[anchor] = 0
    return anchor


def _first_paragraph(blocks: list[_Block], start: int) -> str:
    for block in blocks[start : start + 40]:
        if block.level:
            return ""
        if block.is_paragraph and (text := plain_text(block.text)):
            return text[:_SUMMARY_LIMIT]
    return ""


def _mentions(blocks: list[_Block]) -> Iterator[tuple[str, int]]:
    seen: set[tuple[str, int]] = set()
    for block in blocks:
        for text, offset in mentions_in(block.text):
            mention = (text, block.line + offset)
            if mention not in seen:
                seen.add(mention)
                yield mention


def _markers(blocks: list[_Block]) -> Iterator[Marker]:
    for block in blocks:
        for comment, offset in comments_in(block.text):
            for number, line in enumerate(comment.split("\n")):
                if match := _MARKER.search(line[:2000]):
                    yield Marker(match[1], match[2].strip()[:300], block.line + offset + number)


def _front_matter(text: str) -> dict[str, str]:
    """Return the plain `key: value` pairs between the fences; nested values are left out."""
    return {match[1].lower(): match[2].strip("\"'")[:_SUMMARY_LIMIT] for match in _FRONT_MATTER.finditer(text[:20_000])}


def _file_doc(front: dict[str, str], blocks: list[_Block]) -> str:
    """Return what the front matter says the page is, else its first paragraph."""
    described = front.get("description") or front.get("summary")
    if described:
        return described
    paragraphs = (plain_text(block.text) for block in blocks[:40] if block.is_paragraph)
    first = next((text for text in paragraphs if text), "")
    return (first or front.get("title", ""))[:_SUMMARY_LIMIT]


def _decision_status(front: dict[str, str], blocks: list[_Block], sections: tuple[Section, ...]) -> str:
    """Return the status of a decision record, in lower case; `unknown` for one without a status, empty for other prose.

    A record is known by its sections: two of the usual ones (context, decision, consequences, ...).
    """
    titles = {re.sub(r"^[\d.\s]+", "", section.title).lower() for section in sections}
    if len(titles & _DECISION_HEADINGS) < 2:
        return ""
    if match := _STATUS.match(front.get("status", "")):
        return match[1].lower()
    for index, block in enumerate(blocks[:60]):
        follows_heading = index > 0 and blocks[index - 1].level > 0 and "status" in blocks[index - 1].text.lower()
        says_status = block.text.lstrip("*_- >").lower().startswith("status")
        if (follows_heading or says_status) and (match := _STATUS.match(block.text)):
            return match[1].lower()
    return "unknown"
