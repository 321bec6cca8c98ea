"""What is put into a written-out collection after it was written: by index, or by the methods of built-in containers.

All stores of a file are sorted out at once, by the literal that they reach: asking anew for each literal is quadratic
on files that fill large tables.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from graph.extract.facts import Assign, Attribute, CallExpr, Expr, Name, Subscript
from graph.resolve.asked import STORES, of_file
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import Constant, Literal, Values
from graph.resolve.views import FileView
from graph.resolve.world import World

__all__ = ["StoreReader"]

_MAX_STORES = 2_000
"""Stores that are read in one file; more of them fill tables of data."""


class _Store(Struct, frozen=True, gc=False):
    scope: int
    assign: Assign | None
    call: CallExpr | None
    keys: frozenset[str]
    """The constant keys of an assignment; empty where they are not known."""


_Stores: TypeAlias = dict[int, list[_Store]]


class StoreReader(EvaluatorCore):
    """Reads `table[key] = value`, `items.append(value)` and their like."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._sorted: dict[str, _Stores] = {}
        """By file, then by the number of a literal: what reaches it."""

    def forget(self) -> None:
        super().forget()
        self._sorted.clear()

    def put(self, value: Literal, wanted: frozenset[str] | None) -> Values:
        """Return what is put into a literal under the wanted keys, None for all, anywhere in its file."""
        view, _, _, _ = self.literal_of(value)
        view.asked.add(of_file(STORES, view.path))
        if not view.items and not view.additions:
            return ()
        return self.guarded(("put", value, wanted), lambda: self._put(view, value, wanted))

    def _put(self, view: FileView, value: Literal, wanted: frozenset[str] | None) -> Values:
        found: list[Values] = []
        for store in self._stores(view).get(value.number, ()):
            if store.call is not None:
                found.append(self._added(view, store.scope, store.call, wanted))
            elif store.assign is not None and (wanted is None or not store.keys or store.keys & wanted):
                found.append(self.assigned(view, store.scope, store.assign))
        return union(found)

    def put_surely(self, value: Literal, wanted: frozenset[str]) -> bool:
        """Tell whether a wanted key is always overwritten in the scope that made the literal."""
        view, scope, _, _ = self.literal_of(value)
        return any(
            store.assign is not None and (store.scope, store.assign.flow) == (scope, 0) and len(store.keys & wanted) > 0
            for store in self._stores(view).get(value.number, ())
        )

    def _stores(self, view: FileView) -> _Stores:
        view.asked.add(of_file(STORES, view.path))
        if view.path not in self._sorted:
            self.aside(view.path, lambda: self._sort(view))
        return self._sorted.get(view.path, {})

    def _sort(self, view: FileView) -> None:
        self._sorted[view.path] = self._sorted_out(view)

    def _sorted_out(self, view: FileView) -> _Stores:
        found: _Stores = {}
        assigns = [pair for pairs in view.items.values() for pair in pairs]
        for scope, assign in assigns[:_MAX_STORES]:
            if isinstance(assign.target, Subscript):
                index = self.evaluate(view, scope, assign.target.index, assign.line)
                keys = frozenset(key.value for key in index if isinstance(key, Constant))
                store = _Store(scope, assign, None, keys)
                self._note(view, scope, assign.target.base, assign.line, store, found)
        for scope, base, call in view.additions[:_MAX_STORES]:
            self._note(view, scope, base, call.line, _Store(scope, None, call, frozenset()), found)
        return found

    def _note(self, view: FileView, scope: int, base: Expr, line: int, store: _Store, found: _Stores) -> None:
        if isinstance(base, Name | Attribute | Subscript):
            for value in self.evaluate(view, scope, base, line):
                if isinstance(value, Literal):
                    found.setdefault(value.number, []).append(store)

    def _added(self, view: FileView, scope: int, call: CallExpr, wanted: frozenset[str] | None) -> Values:
        """Return what `xs.append(x)`, `d.update(e)` and their like add."""
        method = call.function.name if isinstance(call.function, Attribute) else ""
        last = self.evaluate(view, scope, call.arguments[-1], call.line) if call.arguments else ()
        if method == "extend":
            return union(self.elements(value) for value in last)
        if method == "update":
            keys = tuple(Constant("str", key) for key in sorted(wanted or ()))
            named = [item for key, item in call.keywords if wanted is None or key in wanted]
            given = [self.item(value, keys) for value in last]
            return union([*given, *(self.evaluate(view, scope, item, call.line) for item in named)])
        return last
