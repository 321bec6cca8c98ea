"""JSON as it comes, character by character: where a value ends, and the members of an object as they were written."""

from __future__ import annotations

import json
import re

__all__ = ["ValueEnd", "members"]

_SCALAR_END = re.compile(r"[\s,}\]<]")
_SPACE = re.compile(r"\s*")


class ValueEnd:
    """Finds the end of one JSON value in a stream. Lenient: it counts brackets and quotes, it does not validate."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._is_escaped = False
        self._is_scalar = False

    def feed(self, text: str) -> int | None:
        """Return how many characters of `text` still belong to the value, or None when it goes on."""
        for at, character in enumerate(text):
            if self._is_scalar:
                if _SCALAR_END.match(character):
                    return at
            elif self._in_string:
                if self._string(character) and self._depth == 0:
                    return at + 1
            elif character == '"':
                self._in_string = True
            elif character in "{[":
                self._depth += 1
            elif character in "}]":
                self._depth -= 1
                if self._depth <= 0:
                    return at + 1
            elif self._depth == 0 and not character.isspace():
                self._is_scalar = True
        return None

    def _string(self, character: str) -> bool:
        """Take one character of a string; True when it closed it."""
        if self._is_escaped:
            self._is_escaped = False
        elif character == "\\":
            self._is_escaped = True
        elif character == '"':
            self._in_string = False
            return True
        return False


def members(text: str) -> dict[str, str]:
    """Return the members of a whole JSON object as raw text, byte for byte; empty when `text` is none."""
    decoder = json.JSONDecoder()
    found: dict[str, str] = {}
    try:
        if not isinstance(decoder.decode(text), dict):
            return {}
        at = text.index("{") + 1
        while True:
            at = _after_space(text, at)
            key, at = decoder.raw_decode(text, at)
            start = _after_space(text, text.index(":", at) + 1)
            _, at = decoder.raw_decode(text, start)
            found[str(key)] = text[start:at]
            at = _after_space(text, at)
            if text[at] != ",":
                return found
            at += 1
    except (ValueError, RecursionError):
        return {}


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
