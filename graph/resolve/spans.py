"""What holds over which lines of a file: type tests, found by a line without reading all of them.

Spans are nested as the blocks of a program are, so those that hold at a line are a chain: the one that began last, the
one around it, and so on. A file may hold thousands of them, and every name is read against them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Generic, TypeVar

__all__ = ["Spans"]

_MAX_AT_ONCE = 40
"""Spans that are reported for one line, the innermost ones."""

Item = TypeVar("Item")


class Spans(Generic[Item]):
    """Items that hold behind a line and up to another one."""

    __slots__ = ("_firsts", "_items", "_lasts", "_outer")

    def __init__(self, spans: Iterable[tuple[int, int, Item]]) -> None:
        """Sort (line, last line, item): an item holds on the lines behind the first and up to the second."""
        ordered = sorted(spans, key=_first)
        self._firsts = [first for first, _, _ in ordered]
        self._lasts = [last for _, last, _ in ordered]
        self._items = [item for _, _, item in ordered]
        self._outer: list[int] = []
        still_open: list[int] = []
        for place, (first, _, _) in enumerate(ordered):
            while still_open and self._lasts[still_open[-1]] <= first:
                still_open.pop()
            self._outer.append(still_open[-1] if still_open else -1)
            still_open.append(place)

    def at(self, line: int) -> list[Item]:
        """Return what holds at a line, from the outside in."""
        found: list[Item] = []
        place = bisect_left(self._firsts, line) - 1
        while place >= 0 and len(found) < _MAX_AT_ONCE:
            if self._lasts[place] >= line:
                found.append(self._items[place])
            place = self._outer[place]
        found.reverse()
        return found


def _first(span: tuple[int, int, object]) -> int:
    return span[0]
