"""The keys of a written-out table, sorted out once: a dispatch table of thousands is read by each of its keys."""

from __future__ import annotations

from graph.extract.facts import Collection
from graph.extract.facts import Constant as ConstantExpr

__all__ = ["WrittenKeys"]


class WrittenKeys:
    """Where each key of a collection stands among its items. Built once and then only read."""

    __slots__ = ("_exact", "_named", "computed", "is_literal", "spread")

    def __init__(self, collection: Collection) -> None:
        self.computed: list[int] = []
        """The places of keys that are no literals, in order."""
        self.spread: list[int] = []
        """The places where the entries of another table are taken over, in order."""
        self.is_literal = bool(collection.keys)
        """Every key is a literal that is not empty."""
        self._named: dict[str, list[int]] = {}
        self._exact: dict[tuple[str, str], list[int]] = {}
        for place, key in enumerate(collection.keys[: len(collection.values)]):
            if isinstance(key, ConstantExpr) and key.type == "spread":
                self.spread.append(place)
                self.is_literal = False
            elif isinstance(key, ConstantExpr):
                self._named.setdefault(key.value, []).append(place)
                self._exact.setdefault((key.type, key.value), []).append(place)
                self.is_literal = self.is_literal and bool(key.value)
            else:
                self.computed.append(place)
                self.is_literal = False

    def named(self, wanted: list[str]) -> set[int]:
        """Return the places of literals that read like one of these, whatever their type."""
        return {place for name in wanted for place in self._named.get(name, ())}

    def exact(self, wanted: set[tuple[str, str]]) -> list[int]:
        """Return the places of literals of these types and values, in order."""
        return sorted({place for pair in wanted for place in self._exact.get(pair, ())})
