"""Containers: what iteration, indexing, `with` and the methods of built-in collections give."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import CallExpr, Collection, Expr
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    Instance,
    Literal,
    Method,
    Value,
    Values,
)
from graph.resolve.views import FileView
from graph.resolve.written_keys import WrittenKeys

__all__ = ["ContainerReader"]

_ONE_ITEM = frozenset({"pop", "popleft", "get", "setdefault", "popitem", "__getitem__", "at", "result", "get_nowait"})
_SAME = frozenset({"copy", "union", "intersection", "difference", "sort", "reversed", "filter", "slice", "concat"})
_MAX_READ = 64


class ContainerReader(EvaluatorCore):
    """Reads literals, annotated containers, generators and the repository's own iterables."""

    def elements(self, value: Value) -> Values:
        match value:
            case Elements(items=items):
                return items
            case Literal():
                return self.guarded(("elements", value), lambda: self._listed(value))
            case Instance():
                iterator = self._through(value, "__iter__")
                step = union(self._through(item, "__next__") for item in iterator)
                listed = union(self.elements(item) for item in iterator if isinstance(item, Elements | Literal))
                return union([step, listed])
            case _:
                return ()

    def _listed(self, value: Literal) -> Values:
        view, scope, expr, line = self.literal_of(value)
        written = expr.keys or expr.values
        found = union(self.evaluate(view, scope, item, line) for item in written[:_MAX_READ])
        return union([found, self.put(value, None)])

    def _through(self, value: Value, method: str) -> Values:
        """Return what a special method of a value gives."""
        return union(self.called(item, None, self._somewhere(), 0) for item in self.attribute(value, method))

    def _somewhere(self) -> FileView:
        """Return any view for a call that has no place in a file; without a call it is not read."""
        return next(iter(self._held.values()))

    def entered(self, value: Value) -> Values:
        if isinstance(value, Elements):
            return value.items if value.kind in ("context", "iterator") else ()
        if not isinstance(value, Instance):
            return ()
        return union([self._through(value, "__enter__"), self._through(value, "__aenter__")])

    def item(self, value: Value, keys: Values) -> Values:
        match value:
            case Elements(kind="tuple", items=items):
                places = [int(key.value) for key in keys if isinstance(key, Constant) and _is_place(key)]
                return union((items[place],) for place in places if -len(items) <= place < len(items)) or items
            case Elements(kind="dict", values=values):
                return values
            case Elements(items=items):
                return items
            case Literal():
                return self._literal_item(value, keys)
            case Instance():
                return self._through(value, "__getitem__")
            case Class():
                return (value,)
            case _:
                return ()

    def _literal_item(self, value: Literal, keys: Values) -> Values:
        return self.guarded(("item", value, keys), lambda: self._item_of(value, keys))

    def _item_of(self, value: Literal, keys: Values) -> Values:
        view, scope, expr, line = self.literal_of(value)
        bounds = next((key.value for key in keys if isinstance(key, Constant) and key.type == "slice"), None)
        if bounds is not None:
            return (self._cut(value, bounds),)
        wanted = [key.value for key in keys if isinstance(key, Constant)] if keys else []
        put = self.put(value, frozenset(wanted) if wanted else None)
        if wanted and put and self.put_surely(value, frozenset(wanted)):
            return put
        written = self._selected(view, scope, expr, keys if wanted else (), line)
        return union([union(self.evaluate(view, scope, item, line) for item in written[:_MAX_READ]), put])

    def _cut(self, value: Literal, bounds: str) -> Value:
        """Return what a slice with constant bounds takes of a written-out list; otherwise the list as a whole."""
        view, scope, expr, line = self.literal_of(value)
        start, colon, end = bounds.partition(":")
        if not colon or ":" in end or expr.keys or "comprehension" in expr.type or self.put(value, None):
            return value
        try:
            taken = expr.values[int(start) if start else None : int(end) if end else None]
        except ValueError:
            return value
        return self.literal(view, scope, Collection(expr.type, taken), line)

    def _selected(self, view: FileView, scope: int, expr: Collection, keys: Values, line: int) -> tuple[Expr, ...]:
        """Return the written items that the keys select, by what the keys read like."""
        return self._written(view, scope, expr, [key.value for key in keys if isinstance(key, Constant)], line)

    def _written(self, view: FileView, scope: int, expr: Collection, wanted: list[str], line: int) -> tuple[Expr, ...]:
        """Return the written items that the wanted keys select; all where nothing is known of the keys."""
        if not wanted or "comprehension" in expr.type:
            return expr.values
        if not expr.keys:
            places = [int(place) for place in wanted if place.lstrip("-").isdigit()]
            return tuple(expr.values[place] for place in places if -len(expr.values) <= place < len(expr.values))
        keys = self.written_keys(expr)
        chosen = keys.named(wanted)
        for place in keys.computed:
            found = self.evaluate(view, scope, expr.keys[place], line)
            names = [key.value for key in found if isinstance(key, Constant)]
            if not names or any(name in wanted for name in names):
                chosen.add(place)
        return tuple(expr.values[place] for place in sorted(chosen))

    def written_keys(self, expr: Collection) -> WrittenKeys:
        """Return the keys of a written-out table, sorted out when it is first asked for one."""
        known = self._written_keys.get(id(expr))
        if known is None:
            known = self._written_keys[id(expr)] = (expr, WrittenKeys(expr))
        return known[1]

    # -- methods of built-in collections ---------------------------------------------------------------------------

    def container_call(self, method: Method, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return what a method of a container gives: `d.get(k)`, `d.items()`, `xs.pop()`."""
        owner, name = method.owner, method.name
        keys = self.evaluate(view, scope, call.arguments[0], call.line) if call and call.arguments else ()
        if name in ("values", "items"):
            held = self._dict_values(owner)
            if name == "values":
                return (Elements("iterator", held),)
            pairs = tuple(Elements("tuple", (key, item)) for key in self._first_key(owner) for item in held)
            return (Elements("iterator", pairs),)
        if name == "keys":
            return (Elements("iterator", self.elements(owner)),)
        if name in _SAME:
            return (owner,)
        if name in _ONE_ITEM:
            default = (
                self.evaluate(view, scope, call.arguments[1], call.line) if call and len(call.arguments) > 1 else ()
            )
            return union([self.item(owner, keys), default])
        return ()

    def _first_key(self, owner: Value) -> Values:
        keys = self.elements(owner)
        return keys[:1] or (Constant("str", ""),)

    def _dict_values(self, owner: Value) -> Values:
        if isinstance(owner, Elements):
            return owner.values
        if isinstance(owner, Literal):
            return self._literal_item(owner, ())
        return ()


def _is_place(key: Constant) -> bool:
    return key.type == "int" and key.value.lstrip("-").isdigit() and len(key.value) < 6
