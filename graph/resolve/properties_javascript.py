"""What a script puts on its objects from outside: `a.b = f`, `a[key] = f`, `F.prototype.m = f`, `list.push(f)`.

Each place is read once and kept by what it is put on: a file may hang the same property on thousands of objects.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Assign, Attribute, CallExpr, Expr, Name, Subscript, Union
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.core import union
from graph.resolve.types_javascript import ScriptTypes
from graph.resolve.values import Class, Constant, Function, Instance, Literal, Shape, Value, Values
from graph.resolve.views import FileView
from graph.resolve.views_javascript import ScriptView
from graph.resolve.world import World

__all__ = ["ScriptProperties"]

_MAX_KEYED = 400

Places = dict[Value, list[tuple[int, Assign]]]
Insertions = dict[Value, list[tuple[int, CallExpr, str]]]


class ScriptProperties(ScriptTypes):
    """Properties that are assigned from outside, and what is put into containers."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._keyed: dict[str, dict[str, list[tuple[int, Assign]]]] = {}
        """By file and key: what is assigned by keys that are known."""
        self._placements: dict[tuple[str, str], Places] = {}
        """By file and property, then by owner: the assignments, as (scope, assignment)."""
        self._insertions: dict[str, Insertions] = {}
        """By file, then by container: the calls that put something into it, as (scope, call, method)."""

    def forget(self) -> None:
        super().forget()
        self._keyed.clear()
        self._placements.clear()
        self._insertions.clear()

    # -- properties assigned from outside -----------------------------------------------------------------------------

    def hung(self, owner: Value, name: str) -> Values:
        path = owner.path if isinstance(owner, Function | Class | Instance | Shape) else ""
        if not path:
            return ()
        view = self.view(path)
        if not self.is_placed(view, name):
            return ()
        return self.guarded(("hung", owner, name), lambda: self.placed(view, owner, name))

    def placed(self, view: FileView, owner: Value, name: str) -> Values:
        """Return what a file assigns to a property of one owner."""
        return union(self.assigned(view, scope, assign) for scope, assign in self.placed_on(view, owner, name))

    def is_placed(self, view: FileView, name: str) -> bool:
        """Tell whether a file assigns to a property of this name, whoever owns it."""
        return name in view.attributes or (bool(view.items) and name in self._keyed_assigns(view))

    def placed_on(self, view: FileView, owner: Value, name: str) -> list[tuple[int, Assign]]:
        """Return the assignments of a file to a property of one owner, as (scope, assignment)."""
        self.guarded(("places", view.path, name), lambda: self._sort_places(view, name))
        return self._placements.get((view.path, name), {}).get(_bare(owner), [])

    def _sort_places(self, view: FileView, name: str) -> Values:
        found: Places = {}
        self._placements[view.path, name] = found  # known while it is made: `a.x.x = f` asks for the `x` of `a`
        for scope, assign in self._assigns(view, name):
            base = assign.target.base if isinstance(assign.target, Attribute | Subscript) else None
            if isinstance(base, Name | Attribute | CallExpr | Subscript):
                for owner in dict.fromkeys(map(_bare, self.evaluate(view, scope, base, assign.line))):
                    found.setdefault(owner, []).append((scope, assign))
        return ()

    def _assigns(self, view: FileView, name: str) -> list[tuple[int, Assign]]:
        """Return the assignments of a file to a property of this name, whoever owns it: `a.name = x`, `a[key] = x`."""
        keyed = self._keyed_assigns(view).get(name, ()) if view.items else ()
        return [*view.attributes.get(name, ()), *keyed]

    def _keyed_assigns(self, view: FileView) -> dict[str, list[tuple[int, Assign]]]:
        """Return what a file assigns by keys whose values are known, by key."""
        if view.path not in self._keyed:
            self.aside(view.path, lambda: self._sort_keys(view))
        return self._keyed.get(view.path, {})

    def _sort_keys(self, view: FileView) -> None:
        found: dict[str, list[tuple[int, Assign]]] = {}
        pairs = [pair for pairs in view.items.values() for pair in pairs]
        for scope, assign in pairs[:_MAX_KEYED]:
            index = assign.target.index if isinstance(assign.target, Subscript) else None
            if index is None or (isinstance(index, ConstantExpr) and index.type != "str"):
                continue
            for key in self.evaluate(view, scope, index, assign.line):
                if isinstance(key, Constant) and key.type == "str" and key.value:
                    found.setdefault(key.value, []).append((scope, assign))
        self._keyed[view.path] = found

    # -- containers -------------------------------------------------------------------------------------------------

    def inserted(self, value: Literal) -> Values:
        """Return what `push`, `add` and `set` put into a container anywhere in its file."""
        view, _, _, _ = self.literal_of(value)
        if not isinstance(view, ScriptView) or not view.inserted:
            return ()
        return self.guarded(("inserted", value), lambda: self._inserted(view, value))

    def _inserted(self, view: ScriptView, value: Literal) -> Values:
        self.guarded(("insertions", view.path), lambda: self._sort_insertions(view))
        calls = self._insertions.get(view.path, {}).get(value, ())
        return union(
            self.evaluate(view, scope, item, call.line)
            for scope, call, method in calls
            for item in _items(call, method)
        )

    def _sort_insertions(self, view: ScriptView) -> Values:
        found: Insertions = {}
        self._insertions[view.path] = found
        for scope, base, call, method in view.inserted:
            if isinstance(base, Name | Attribute | Subscript | Union):
                for value in self.evaluate(view, scope, base, call.line):
                    if isinstance(value, Literal):
                        found.setdefault(value, []).append((scope, call, method))
        return ()


def _bare(owner: Value) -> Value:
    """Return an owner without how it was reached: a function without its receiver."""
    match owner:
        case Function(path=path, scope=scope):
            return Function(path, scope)
        case Instance(path=path, index=index):
            return Instance(path, index)
        case _:
            return owner


def _items(call: CallExpr, method: str) -> tuple[Expr, ...]:
    if method == "set":
        return call.arguments[1:2]
    return call.arguments[2:] if method == "splice" else call.arguments[:8]
