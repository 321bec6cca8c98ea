"""A grammar as a machine over characters: where a document stands in it, and how it would end soonest. Pure.

llama.cpp says which token may come next, but not how far the end is. This machine follows the same text and knows for
each place the bytes of the shortest way to the end. Places are found again by identity and their moves remembered, so
a text that stays in one string costs one look-up a character.
"""

from __future__ import annotations

from serve.prompt.gbnf_reader import Alternatives, Characters, Node, Reference, Repeated, Sequence, read_rules
from serve.prompt.gbnf_sizes import NEVER, bytes_of, least_bytes, sample

__all__ = ["Machine", "Place"]

_MOST_CELLS = 50_000
"""What one expansion may touch before the grammar is given up: only left recursion gets there."""
_MOST_PLACES = 20_000
"""Remembered places; beyond, memory is freed and they are found anew."""


class _Cell:
    """A node that comes next, and what comes after it: one way through the grammar."""

    __slots__ = ("bytes_left", "node", "rest")

    def __init__(self, node: Node, rest: _Cell | None, bytes_left: int) -> None:
        self.node = node
        self.rest = rest
        self.bytes_left = bytes_left


_Way = tuple[Characters, _Cell | None]


class Place:
    """All ways that are open after a text. `bytes_left` is 0 where the text may end.

    `is_text` says that almost any character may follow, as inside a string.
    """

    __slots__ = ("bytes_left", "is_end", "is_text", "moves", "ways")

    def __init__(self, ways: tuple[_Way, ...], bytes_left: int, *, is_end: bool) -> None:
        self.ways = ways
        self.bytes_left = bytes_left
        self.is_end = is_end
        self.is_text = any(characters.is_negated for characters, _ in ways)
        self.moves: dict[str, Place | None] = {}


class Machine:
    """The machine of one grammar text.

    Raises:
        ValueError: the text is no grammar that can be followed.
    """

    def __init__(self, text: str) -> None:
        self._rules = read_rules(text)
        self._least = least_bytes(self._rules)
        self._sizes: dict[Node, int] = {}
        self._cells: dict[tuple[Node, _Cell | None], _Cell] = {}
        self._repeats: dict[tuple[Node, int, int | None], Repeated] = {}
        self._places: dict[frozenset[_Way | None], Place] = {}
        self.start = self._place([self._cell(self._rules["root"], None)])

    def after(self, place: Place, text: str) -> Place | None:
        """Return the place after a text; None where the grammar does not allow it, or has too many ways there."""
        for character in text:
            onward = place.moves[character] if character in place.moves else self._move(place, character)
            if onward is None:
                return None
            place = onward
        return place

    def shortest(self, place: Place) -> str:
        """Return a shortest text that leads to the end; empty at it.

        Raises:
            ValueError: there is no end.
        """
        written: list[str] = []
        while place.bytes_left:
            if place.bytes_left >= NEVER:
                raise ValueError("nothing fits this grammar")
            characters, _ = min(place.ways, key=_bytes_through)
            written.append(sample(characters))
            place = self._move(place, written[-1]) or place
        return "".join(written)

    def exit_from(self, place: Place, bytes_left: int) -> str:
        """Return a character that leads to where fewer than `bytes_left` bytes are left; empty when none does."""
        for characters, rest in sorted(place.ways, key=_bytes_through):
            if (rest.bytes_left if rest else 0) < bytes_left:
                character = sample(characters)
                onward = self.after(place, character)
                if onward is not None and onward.bytes_left < bytes_left:
                    return character
        return ""

    def _move(self, place: Place, character: str) -> Place | None:
        onward = [rest for characters, rest in place.ways if characters.holds(character)]
        try:
            found = self._place(onward) if onward else None
        except ValueError:
            found = None
        place.moves[character] = found
        return found

    def _place(self, cells: list[_Cell | None]) -> Place:
        ways, is_end = self._expand(cells)
        key = frozenset([*ways, None] if is_end else ways)
        found = self._places.get(key)
        if found is None:
            left = 0 if is_end else min(map(_bytes_through, ways), default=NEVER)
            found = Place(tuple(ways), left, is_end=is_end)
            if len(self._places) > _MOST_PLACES:
                self._forget()
            self._places[key] = found
        return found

    def _forget(self) -> None:
        for place in self._places.values():
            place.moves.clear()
        self._places.clear()
        self._cells.clear()

    def _expand(self, cells: list[_Cell | None]) -> tuple[list[_Way], bool]:
        """Return the characters that may come first, each with what follows, and whether nothing need come."""
        ways: dict[_Way, None] = {}
        seen: set[_Cell | None] = set()
        waiting = cells[::-1]
        while waiting:
            cell = waiting.pop()
            if cell in seen:
                continue
            seen.add(cell)
            if len(seen) > _MOST_CELLS:
                raise ValueError("a rule begins with itself, or has too many ways")
            if cell is None:
                continue
            node, rest = cell.node, cell.rest
            if isinstance(node, Characters):
                ways[node, rest] = None
            else:
                waiting += self._onward(node, rest)
        return list(ways), None in seen

    def _onward(self, node: Sequence | Alternatives | Repeated | Reference, rest: _Cell | None) -> list[_Cell | None]:
        """Return what a node that is no character stands for, the last first."""
        match node:
            case Sequence(items):
                for item in reversed(items):
                    rest = self._cell(item, rest)
                return [rest]
            case Alternatives(options):
                return [self._cell(option, rest) for option in reversed(options)]
            case Reference(name):
                return [self._cell(self._rules[name], rest)]
            case Repeated(inner, low, high):
                if high == 0:
                    return [rest]
                fewer = self._repeated(inner, max(0, low - 1), None if high is None else high - 1)
                again = self._cell(inner, self._cell(fewer, rest))
                return [again] if low else [rest, again]

    def _cell(self, node: Node, rest: _Cell | None) -> _Cell:
        key = (node, rest)
        found = self._cells.get(key)
        if found is None:
            left = min(NEVER, self._size(node) + (rest.bytes_left if rest else 0))
            found = self._cells[key] = _Cell(node, rest, left)
        return found

    def _size(self, node: Node) -> int:
        found = self._sizes.get(node)
        if found is None:
            found = self._sizes[node] = bytes_of(node, self._least)
        return found

    def _repeated(self, node: Node, low: int, high: int | None) -> Repeated:
        key = (node, low, high)
        found = self._repeats.get(key)
        if found is None:
            found = self._repeats[key] = Repeated(node, low, high)
        return found


def _bytes_through(way: _Way) -> int:
    characters, rest = way
    return len(sample(characters).encode(errors="replace")) + (rest.bytes_left if rest else 0)
