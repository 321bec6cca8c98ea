"""Tables that take the entries of others over: `{**defaults, "name": function}`."""

from __future__ import annotations

from graph.extract.facts import Collection, Expr
from graph.resolve.containers import ContainerReader
from graph.resolve.core import union
from graph.resolve.values import Constant, Elements, Literal, Values
from graph.resolve.views import FileView

__all__ = ["SpreadReader"]


class SpreadReader(ContainerReader):
    """Reads written-out tables with what is spread into them."""

    def _item_of(self, value: Literal, keys: Values) -> Values:
        found = super()._item_of(value, keys)
        expr = self.literal_of(value)[2]
        spread = self._spread_places(expr)
        if not spread:
            return found
        written = self.written_keys(expr)
        behind = [
            key
            for key in keys
            if isinstance(key, Constant) and max(written.named([key.value]), default=-1) > spread[-1]
        ]
        if keys and len(behind) == len(keys):
            return found  # what is written behind replaces what was taken over
        others = tuple(key for key in keys if key not in behind)
        return union([found, *(self.item(table, others) for table in self._taken_over(value))])

    def _listed(self, value: Literal) -> Values:
        found = super()._listed(value)
        if not self._spread_places(self.literal_of(value)[2]):
            return found
        own = tuple(item for item in found if not (isinstance(item, Constant) and item.type == "spread"))
        return union([own, *(self.elements(table) for table in self._taken_over(value))])

    def _selected(self, view: FileView, scope: int, expr: Collection, keys: Values, line: int) -> tuple[Expr, ...]:
        chosen = super()._selected(view, scope, expr, keys, line)
        spread = self._spread_places(expr)
        if not spread or chosen is not expr.values:
            return chosen
        return tuple(item for place, item in enumerate(expr.values) if place not in spread)

    def _taken_over(self, value: Literal) -> Values:
        """Return the tables whose entries a table takes over."""
        view, scope, expr, line = self.literal_of(value)
        found = union(self.evaluate(view, scope, expr.values[at], line) for at in self._spread_places(expr))
        return tuple(item for item in found if isinstance(item, Literal | Elements) and item != value)

    def _spread_places(self, expr: Collection) -> list[int]:
        return self.written_keys(expr).spread if expr.keys and "comprehension" not in expr.type else []
