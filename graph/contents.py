"""What the bytes of a source file say about it: text or not, written by a person or by a program.

Pure. The rule that must stay true: what is left out has a reason that a person can check by looking at the file.
"""

from __future__ import annotations

import re

from msgspec import Struct

__all__ = ["Text", "skip_reason", "text_of"]

_HEAD_BYTES = 8_000
"""As many as git looks at to tell binary from text."""
_MIN_MINIFIED_BYTES = 4_096
_AVERAGE_LINE = {"markdown": 20_000}
_LONG_LINES = 500
"""Bytes in an average line that no person writes: source averages 30 to 45, minified JavaScript thousands."""
_MAX_LINE_BYTES = 200_000
"""A line past this is data; a name or a call inside it is of no use to a reader."""
_HEADER_LINES = 12
_GENERATED = re.compile(
    rb"""^\s*(?:\#|//|/\*+|\*|--|;|<!--|\"\"\"|%|dnl)\s?.*?(?:
        code\ generated\ .{0,200}do\ not\ (?:edit|modify)
      | @generated\b(?!\s+from\s+the\s+docs)
      | <auto-?generated
      | generated\ by\ the\ protocol\ buffer\ compiler
      | (?:this\ file|this\ code|this\ module)\ (?:is|was|has\ been)\ (?:auto-?|automatically\ )generated\b
      | auto(?:matically)?[-\ ]?generated\b.{0,80}do\ not\ (?:edit|modify|change)
    )""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_BOM = b"\xef\xbb\xbf"


class Text(Struct, frozen=True):
    """Bytes that are valid UTF-8, and a note when they had to be made so."""

    data: bytes
    note: str = ""


def skip_reason(path: str, language: str, data: bytes) -> str:
    """Return why a source file is left out by what is in it; empty when it counts."""
    head = data[:_HEAD_BYTES]
    if b"\0" in head:
        return "UTF-16 text; save it as UTF-8" if head[:2] in {b"\xff\xfe", b"\xfe\xff"} else "binary"
    if _is_minified(path, language, data):
        return "minified, or data: lines that no person wrote"
    if _is_generated(head):
        return "generated: its header says so"
    return ""


def text_of(data: bytes) -> Text:
    """Return the text of a file without a byte order mark; bytes that are not UTF-8 become U+FFFD, and it is noted."""
    bare = data.removeprefix(_BOM)
    try:
        bare.decode()
    except UnicodeDecodeError as error:
        line = bare.count(b"\n", 0, error.start) + 1
        return Text(
            bare.decode("utf-8", "replace").encode(), f"not UTF-8 (first in line {line}): read with replacements"
        )
    return Text(bare)


def _is_minified(path: str, language: str, data: bytes) -> bool:
    if re.search(r"[.\-_]min\.(?:js|mjs|cjs|css)$", path):
        return True
    if len(data) < _MIN_MINIFIED_BYTES:
        return False
    lines = data.count(b"\n") + 1
    if len(data) / lines > _AVERAGE_LINE.get(language, _LONG_LINES):
        return True
    return len(data) > _MAX_LINE_BYTES and max(map(len, data.split(b"\n"))) > _MAX_LINE_BYTES


def _is_generated(head: bytes) -> bool:
    return _GENERATED.search(b"\n".join(head.split(b"\n", _HEADER_LINES)[:_HEADER_LINES])) is not None
