"""Whether an object that takes any name is given one again and again, which no reader of JSON can use. Pure."""

from __future__ import annotations

from collections import Counter

__all__ = ["LEAST_TIMES", "Names"]

LEAST_TIMES = 3
"""How often a name stands in one object before that is a loop."""


class _Open:
    """An object or list that is open. `floor` is the fewest bytes that were left inside."""

    __slots__ = ("floor", "is_object", "is_repeating", "names")

    def __init__(self, floor: int, *, is_object: bool) -> None:
        self.floor = floor
        self.is_object = is_object
        self.names: Counter[str] = Counter()
        self.is_repeating = False


class Names:
    """Follows JSON character by character, each with the bytes that are left behind it."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._string: list[str] | None = None
        self._is_escaped = False
        self._last = ""

    def feed(self, character: str, bytes_left: int) -> None:
        """Take a character, and how far the end is behind it."""
        if self._string is not None:
            self._in_string(character)
        elif character == '"':
            self._string = []
        elif character in "{[":
            self._open.append(_Open(bytes_left, is_object=character == "{"))
        elif character in "}]" and self._open:
            self._open.pop()
        elif character == ":" and self._open and self._open[-1].is_object:
            at = self._open[-1]
            at.names[self._last] += 1
            at.is_repeating = at.is_repeating or at.names[self._last] >= LEAST_TIMES
        if self._open:
            self._open[-1].floor = min(self._open[-1].floor, bytes_left)

    def floor(self) -> int | None:
        """Return the fewest bytes that were left inside the open object whose names repeat; None for any other."""
        return self._open[-1].floor if self._open and self._open[-1].is_repeating else None

    def _in_string(self, character: str) -> None:
        if self._string is None:
            return
        if self._is_escaped:
            self._is_escaped = False
        elif character == "\\":
            self._is_escaped = True
        elif character == '"':
            self._last, self._string = "".join(self._string), None
            return
        self._string.append(character)
