"""Parsing that ends in time on any bytes.

Some grammars take quadratic time for what no person writes: error recovery over one endless line, comments opened a
thousand times. A line longer than any that people write is cut first, which depends on the bytes alone; what is still
too slow is given up by processor time, and said to be.
"""

from __future__ import annotations

import re
import time

from tree_sitter import Parser, Point, Tree

__all__ = ["parse_bounded"]

_LONG_LINE = re.compile(rb"[^\r\n]{20000,}")
"""The longest line of real code that was met is data in a string of under 16 KB."""
_OPENED = 100
"""So many comments that are opened and never closed are none: grammars with nesting try each of them to the end."""
_COMMENT_MARK = re.compile(rb"/\*|\*/")
_READ_BYTES = 65_536
_GRACE_SECONDS = 3.0
_SECONDS_A_MEGABYTE = 15.0
"""Ten times what the slowest grammar takes for sound code."""


def parse_bounded(parser: Parser, data: bytes, *, nests_comments: bool) -> tuple[Tree | None, tuple[str, ...]]:
    """Return the tree, None where parsing was given up, and notes on what was not read; places are those of `data`."""
    text = _LONG_LINE.sub(_blank, data)
    notes = ("lines longer than 20,000 bytes were not read",) if text != data else ()
    if nests_comments and _left_open(text) > _OPENED:
        text = text.replace(b"/*", b"  ")
        notes = (*notes, "comments that are never closed were read as text")
    limit = time.thread_time() + _GRACE_SECONDS + len(data) / 1_000_000 * _SECONDS_A_MEGABYTE

    def read(offset: int, _point: Point) -> bytes:
        return text[offset : offset + _READ_BYTES]

    def is_over(_offset: int, _has_error: bool) -> bool:
        return time.thread_time() > limit

    tree: Tree | None = None
    try:
        tree = parser.parse(read, progress_callback=is_over)
    except ValueError:
        # Raised instead of an empty answer by some versions of the binding.
        tree = None
    if tree is None:
        parser.reset()
        return None, (*notes, "parsing was given up: the text is too broken")
    return tree, notes


def _left_open(text: bytes) -> int:
    """Return how many comments are opened more often than closed; `/*/` opens one."""
    marks = _COMMENT_MARK.findall(text)
    return 2 * marks.count(b"/*") - len(marks)


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])
