"""GBNF read back: the rules of a grammar text as a tree of what may stand where. Pure.

It reads what `serve.prompt.gbnf` and its users write, one rule a line: literals, classes, groups, alternatives,
repetition and names. Nodes are compared by identity, so that what is built on them is cheap to find again.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

__all__ = ["Alternatives", "Characters", "Node", "Reference", "Repeated", "Sequence", "read_rules"]


class Characters(Struct, frozen=True, eq=False):
    """One character inside these ranges, or outside of all of them."""

    ranges: tuple[tuple[str, str], ...]
    is_negated: bool = False

    def holds(self, character: str) -> bool:
        """Say whether a character is one of these."""
        return any(low <= character <= high for low, high in self.ranges) is not self.is_negated


class Sequence(Struct, frozen=True, eq=False):
    """These, one after the other."""

    items: tuple[Node, ...]


class Alternatives(Struct, frozen=True, eq=False):
    """One of these."""

    options: tuple[Node, ...]


class Repeated(Struct, frozen=True, eq=False):
    """A node from `low` to `high` times; None is without end."""

    node: Node
    low: int
    high: int | None


class Reference(Struct, frozen=True, eq=False):
    """The rule of a name."""

    name: str


Node: TypeAlias = Characters | Sequence | Alternatives | Repeated | Reference
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_NUMBERED = {"x": 2, "u": 4, "U": 8}
_COUNTS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_NAME_ENDS = frozenset(' ()|*+?{"[')


def read_rules(text: str) -> dict[str, Node]:
    """Return the rules of a grammar by name.

    Raises:
        ValueError: the text is no GBNF of the kind that is written here.
    """
    rules: dict[str, Node] = {}
    for line in text.splitlines():
        name, found, body = line.partition(" ::= ")
        if found:
            rules[name] = _Reader(body).read()
    return rules


class _Reader:
    """Reads one body by recursive descent."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> Node:
        node = self._alternatives()
        if self._at < len(self._text):
            raise ValueError(f"no GBNF at {self._text[self._at : self._at + 20]!r}")
        return node

    def _alternatives(self) -> Node:
        options = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self._peek() not in {"", "|", ")"}:
            items.append(self._repeated(self._item()))
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _item(self) -> Node:
        match self._peek():
            case '"':
                return self._literal()
            case "[":
                return self._class()
            case "(":
                self._at += 1
                inner = self._alternatives()
                if self._peek() != ")":
                    raise ValueError("a bracket without its partner")
                self._at += 1
                return inner
            case _:
                start = self._at
                while self._at < len(self._text) and self._text[self._at] not in _NAME_ENDS | {")"}:
                    self._at += 1
                if self._at == start:
                    raise ValueError(f"no GBNF at {self._text[start : start + 20]!r}")
                return Reference(self._text[start : self._at])

    def _repeated(self, node: Node) -> Node:
        """Return a node with the repetitions that stand right behind it."""
        while self._at < len(self._text) and self._text[self._at] in "*+?{":
            mark = self._text[self._at]
            self._at += 1
            low, high = _COUNTS[mark] if mark in _COUNTS else self._count()
            node = Repeated(node, low, high)
        return node

    def _count(self) -> tuple[int, int | None]:
        end = self._text.index("}", self._at)
        least, comma, most = self._text[self._at : end].partition(",")
        self._at = end + 1
        low = int(least)
        return low, (int(most) if most else None) if comma else low

    def _literal(self) -> Node:
        self._at += 1
        items: list[Node] = []
        while self._text[self._at] != '"':
            character = self._character()
            items.append(Characters(((character, character),)))
        self._at += 1
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _class(self) -> Node:
        self._at += 1
        is_negated = self._text[self._at] == "^"
        self._at += is_negated
        ranges: list[tuple[str, str]] = []
        while self._text[self._at] != "]":
            first = last = self._character()
            if self._text[self._at] == "-" and self._text[self._at + 1] != "]":
                self._at += 1
                last = self._character()
            ranges.append((first, last))
        self._at += 1
        return Characters(tuple(ranges), is_negated)

    def _character(self) -> str:
        character = self._text[self._at]
        self._at += 1
        if character != "\\":
            return character
        escaped = self._text[self._at]
        self._at += 1
        if escaped in _NUMBERED:
            digits = self._text[self._at : self._at + _NUMBERED[escaped]]
            self._at += len(digits)
            return chr(int(digits, 16))
        return _ESCAPED.get(escaped, escaped)

    def _peek(self) -> str:
        """Return the next character that is no blank; empty at the end."""
        while self._text[self._at : self._at + 1] == " ":
            self._at += 1
        return self._text[self._at : self._at + 1]
