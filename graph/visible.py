"""Names of the analysed repository made fit to stand in a line: what could forge or hide a line is written out.

A file name may hold a line break and what looks like the next hit of a list, and git keeps it. JSON needs no help, text
does. The rule that must stay true: what the repository named never ends a line, moves a cursor or turns the writing.
"""

from __future__ import annotations

import re
from typing import TypeVar, cast

import msgspec
from msgspec import Struct

__all__ = ["HIDDEN", "visible", "visible_result"]

HIDDEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
"""For a character class: controls apart from tab and newline, the separators of lines and paragraphs, and the marks
that turn the direction of writing (CVE-2021-42574 hides code with them)."""

_IN_NAMES = re.compile(f"[\t\n{HIDDEN}\ud800-\udfff]")
_IN_TEXT = re.compile(f"[{HIDDEN}]")
_EXACT = frozenset({"text", "query"})
"""Fields that stay as they are: source, and what the asker wrote."""
_LINES = frozenset({"doc", "signature"})
"""Fields whose line breaks and tabs stay."""

_S = TypeVar("_S", bound=Struct)


def visible(name: str) -> str:
    """Return a path or name with every character that could end, forge or hide a line written as an escape."""
    return _IN_NAMES.sub(_escape, name)


def visible_result(result: _S) -> _S:
    """Return the result of a tool with all its names visible; the same object where there is nothing to do."""
    fields = {name: getattr(result, name) for name in result.__struct_fields__}
    seen = {name: _seen(value, name) for name, value in fields.items()}
    changed = {name: value for name, value in seen.items() if value != fields[name]}
    return msgspec.structs.replace(result, **changed) if changed else result


def _seen(value: object, field: str) -> object:
    if isinstance(value, str):
        if field in _EXACT:
            return value
        return _IN_TEXT.sub(_escape, value) if field in _LINES else visible(value)
    if isinstance(value, Struct):
        return visible_result(value)
    if isinstance(value, tuple):
        return tuple(_seen(item, field) for item in cast("tuple[object, ...]", value))
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)
        return {_seen(key, ""): _seen(item, field) for key, item in pairs.items()}
    return value


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    named = {9: "\\t", 10: "\\n", 13: "\\r"}.get(number)
    return named or (f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}")
