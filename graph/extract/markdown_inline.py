"""What stands inside a line of Markdown: code spans, links, comments, and the text that a reader sees.

Everything here runs in linear time on any text: backticks are paired by their counts, never by backtracking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["anchor_slug", "comments_in", "mentions_in", "plain_text"]

_TICKS = re.compile(r"`+")
_IDENTIFIER = re.compile(r"^[@#./~]*[\w$][\w$.#/:@~\\*-]*(?:\(\)|\(\.\.\.\))?$")
_TARGET = re.compile(
    r"\]\(\s*<?([^)\s>]+)|^\s{0,3}\[[^\]\n]{1,200}\]:\s*<?([^\s>]+)|\b(?:href|src)=[\"']([^\"'\s>]+)", re.MULTILINE
)
_AUTHORED = re.compile(r"\[\[([^\[\]\n|]{1,300})(?:\|[^\[\]\n]{0,200})?\]\]")
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|#|\?)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)|\{/\*(.*?)(?:\*/\}|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()\n]*\)|\[[^\[\]\n]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>")
_EMPHASIS = re.compile(r"(?<!\\)(?:(?:\*{1,3}|~~)(?=\S)|(?<=\S)(?:\*{1,3}|~~)|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w))")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")

_TEXT_LIMIT = 20_000
"""Characters of one block that are read for its text; a summary shows 500."""


def mentions_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield identifiers in backticks and paths that links lead to, each with the line it stands on, counted from 0."""
    found: list[tuple[int, str]] = []
    for start, code in _code_spans(text):
        name = code.strip()
        if len(name) <= 200 and _IDENTIFIER.match(name):
            found.append((start, name.removesuffix("()").removesuffix("(...)")))
    for match in _TARGET.finditer(text):
        target = match[1] or match[2] or match[3]
        if not _SCHEME.match(target) and len(target) <= 400:
            found.append((match.start(), target.split("?", 1)[0].removeprefix("./")))
    found.extend((match.start(), match[1].strip()) for match in _AUTHORED.finditer(text))
    line, position = 0, 0
    for start, name in sorted(found):
        line += text.count("\n", position, start)
        position = start
        if name:
            yield name, line


def _code_spans(text: str) -> Iterator[tuple[int, str]]:
    """Yield (start, content) of code spans: a run of backticks closes at the next run of the same length."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    closing = [-1] * len(runs)
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closing[index] = latest.get(length, -1)
        latest[length] = index
    index = 0
    while index < len(runs):
        end = closing[index]
        if end >= 0:
            yield runs[index][0], text[runs[index][1] : runs[end][0]]
            index = end
        index += 1


def comments_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield the comments of a block, each with its line counted from 0."""
    if "<!--" not in text and "{/*" not in text:
        return
    for match in _COMMENT.finditer(text):
        yield match[1] or match[2] or "", text.count("\n", 0, match.start())


def plain_text(text: str) -> str:
    """Return what a reader sees, on one line: without emphasis, images, link targets, tags and comments."""
    text = text[:_TEXT_LIMIT]
    if "<!--" in text or "{/*" in text:
        text = _COMMENT.sub(" ", text)
    text = re.sub(r"^\s*>\s?", "", text, flags=re.MULTILINE)
    pieces: list[str] = []
    position = 0
    for start, code in _code_spans(text):
        ticks = text.index(code, start) - start if code else 0
        pieces += (_without_markup(text[position:start]), code.strip())
        position = start + 2 * ticks + len(code)
    pieces.append(_without_markup(text[position:]))
    return " ".join("".join(pieces).split())


def _without_markup(text: str) -> str:
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))  # in this order: badges are images inside links
    text = _TAG.sub("", text)
    text = _EMPHASIS.sub("", text)
    return _ESCAPE.sub(r"\1", text)


def anchor_slug(title: str) -> str:
    """Return the anchor of a heading on code hosts: lower case, spaces to hyphens, other punctuation left out."""
    return _NOT_IN_SLUG.sub("", title.lower()).replace(" ", "-")
