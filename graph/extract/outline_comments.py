"""Doc comments of languages that write them in several ways: above a definition, and at the head of a file.

Read from the text, not from the tree: a comment is looked for only where a definition begins.
"""

from __future__ import annotations

import re

from msgspec import Struct

from graph.extract.slash_comments import doc_above

__all__ = ["DASHES", "HASHES", "SLASHES", "SLASHES_WITH_TAGS", "CommentStyle", "comment_above", "file_comment"]

_MAX_DOC = 2000
_MAX_BYTES = 8192


class CommentStyle(Struct, frozen=True):
    """How comments are written."""

    mark: bytes
    """What a line comment begins with."""
    strip: str
    """Characters that may follow each other at the head of such a line."""
    block: tuple[bytes, bytes]
    """What a block comment begins and ends with."""
    tags: bool = False
    """The text is XML."""


SLASHES = CommentStyle(b"//", "/!", (b"/*", b"*/"))
SLASHES_WITH_TAGS = CommentStyle(b"//", "/!", (b"/*", b"*/"), tags=True)
HASHES = CommentStyle(b"#", "#", (b"=begin", b"=end"))
DASHES = CommentStyle(b"--", "-", (b"--[[", b"]]"))

_TAG = re.compile(r"</?[a-zA-Z][^<>\n]*>")
_NO_DOC = re.compile(
    r"^#!|^\s*(?:#|//|--)\s*(?:-\*-|vim?:|shellcheck\b|rubocop:|frozen_string_literal:|encoding:|coding:)"
)
_BLOCK_LINE = re.compile(r"^\s*\*(?!/)[ \t]?")
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?(?:#![^\n]*\n|<\?php\s)?")


def comment_above(data: bytes, start: int, style: CommentStyle) -> str:
    """Return the comment that ends on the line above the one that `start` lies on, without its marks."""
    if style.mark == b"//":
        found = doc_above(data, start)
        return _untagged(found) if style.tags else found
    end = data.rfind(b"\n", 0, start) + 1
    if data[end:start].strip():
        return ""
    begin = _begin(data, end, style)
    return _words(data[begin:end].decode("utf-8", "replace"), style) if begin < end else ""


def _begin(data: bytes, end: int, style: CommentStyle) -> int:
    """Return where the comment lines that end at `end` begin; `end` itself when there are none."""
    begin, floor = end, max(0, end - _MAX_BYTES)
    while begin > floor:
        line_start = data.rfind(b"\n", 0, begin - 1) + 1
        line = data[line_start:begin].strip()
        if line.startswith(style.mark) and not line.startswith(b"#!"):
            begin = line_start
        elif line.endswith(style.block[1]) and begin == end:
            opened = data.rfind(style.block[0], floor, begin)
            return opened if opened >= 0 else end
        else:
            break
    return begin


def file_comment(data: bytes, style: CommentStyle) -> str:
    """Return the comment that a file begins with, unless it belongs to the definition below it."""
    match = _HEAD.match(data)
    place = match.end() if match else 0
    head = data[place : place + _MAX_BYTES].decode("utf-8", "replace")
    taken: list[str] = []
    in_block, closing = False, style.block[1].decode()
    for line in head.splitlines():
        text = line.strip()
        if in_block:
            taken.append(line)
            in_block = closing not in text
        elif text.startswith(style.block[0].decode()):
            taken.append(line)
            in_block = closing not in text[2:]
        elif text.startswith(style.mark.decode()):
            taken.append(line)
        elif text or any(_words(item, style) for item in taken):
            return "" if text else _words("\n".join(taken), style)
        else:
            taken.clear()
    return _words("\n".join(taken), style)


def _words(text: str, style: CommentStyle) -> str:
    opening, closing = style.block[0].decode(), style.block[1].decode()
    mark = style.mark.decode()
    lines: list[str] = []
    for line in text.splitlines():
        if _NO_DOC.match(line):
            continue
        plain = line.strip()
        if plain.startswith(opening):
            plain = plain[len(opening) :].lstrip("*!")
        elif plain.startswith(mark):
            plain = plain[len(mark) :].lstrip(style.strip)
        else:
            plain = _BLOCK_LINE.sub("", plain)
        lines.append(plain.removesuffix(closing).rstrip("* ").removeprefix(" "))
    found = "\n".join(lines).strip()
    return (_untagged(found) if style.tags else found)[:_MAX_DOC]


def _untagged(text: str) -> str:
    return _TAG.sub("", text).strip()
