"""The evaluator of JavaScript and TypeScript: calls, callbacks, and what the parts of `*_javascript` put together."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Iterator

from graph.extract.facts import Attribute, CallExpr, ClassRef, Collection, Expr, Name, Subscript
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.core import union
from graph.resolve.handing_javascript import ScriptHanding
from graph.resolve.library_javascript import GLOBAL_OBJECTS, INTEROPERATING
from graph.resolve.members_javascript import INVOKING
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    Function,
    Instance,
    Literal,
    Method,
    Shape,
    Value,
    Values,
)
from graph.resolve.views import FileView
from graph.resolve.views_javascript import ScriptView

__all__ = ["ScriptEvaluator"]

_SPECIAL = GLOBAL_OBJECTS | {"arguments", "super", "this"}
_WHOLE = -1
"""The number of a container that a call makes as a whole."""

_MAPPING = frozenset({"map", "flatMap", "reduce", "reduceRight"})
_SAME = frozenset(
    {
        "filter", "slice", "reverse", "sort", "toSorted", "toReversed", "values", "fill", "with",
        "splice", "catch", "finally", "add", "set", "keys", "copyWithin",
    }
)  # fmt: skip
_ELEMENT = frozenset({"find", "findLast", "pop", "shift", "at", "next"})


class ScriptEvaluator(ScriptHanding):
    """Evaluates the expressions of one script file."""

    def _evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        kind = type(expr)  # as in the class above: this is the hottest path of all
        if kind is Name:
            return self.name(view, scope, expr.id, line)  # type: ignore[union-attr] # just tested
        if isinstance(expr, Attribute):
            base = expr.base
            if type(base) is Name and base.id in _SPECIAL:
                return self._of_special(view, scope, base.id, expr, line)
            return self._attributes(view, scope, expr, line)
        match expr:
            case Subscript(base=Name(id=mark), index=index) if mark[:1] == "<":
                return self.marked(view, scope, mark, index, line)
            case Collection(scope=body) if body >= 0:
                return (Shape(view.path, body),)
            case ClassRef(scope=body) if view.facts.scopes[body].definition < 0:
                return (Shape(view.path, body),)
            case _:
                return super()._evaluate(view, scope, expr, line)

    def _of_special(self, view: FileView, scope: int, owner: str, expr: Attribute, line: int) -> Values:
        """Return a member of what the language names: `this.m`, `super.m`, `arguments.callee`, `window.f`."""
        if owner == "super":
            return union(self.attribute(value, expr.name) for value in self.super_value(view, scope))
        if owner == "arguments" and expr.name == "callee" and isinstance(view, ScriptView):
            return (Function(view.path, view.this_scope(scope)),)
        if owner in GLOBAL_OBJECTS and self.find(view, scope, owner) is None:
            return self.of_global(view, expr.name) or self._attributes(view, scope, expr, line)
        found = self._attributes(view, scope, expr, line)
        if found or owner != "this":
            return found
        return union(self.below(value, expr.name) for value in self.this(view, scope))

    def item(self, value: Value, keys: Values) -> Values:
        if not isinstance(value, Shape | Instance):
            return super().item(value, keys)
        wanted = [key.value for key in keys if isinstance(key, Constant) and key.value]
        if wanted or isinstance(value, Instance):
            named = union(self.attribute(value, name) for name in wanted)
            listed = named or (self.elements(value) if all(name.isdigit() for name in wanted) else ())
            return listed or self.attribute(value, "[]")
        view = self.view(value.path)
        names = view.bound_names(value.scope) if view.facts.scopes[value.scope].kind != "function" else []
        return union(self.attribute(value, name) for name in names[:40] if name not in ("...", "()"))

    # -- calls ----------------------------------------------------------------------------------------------------

    def _call(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        found = super()._call(view, scope, call, line)
        name = getattr(call.function, "id", "") or getattr(call.function, "name", "")
        if name not in INTEROPERATING or not call.arguments:
            return found
        return union([self.evaluate(view, scope, call.arguments[0], line), found])

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        match value:
            case Function() if call is not None and call.constructs and not self._is_constructing(value):
                return self._constructed(value)
            case Shape() | Instance():
                signatures = self.attribute(value, "()")
                return union(self.returned(item) for item in signatures if isinstance(item, Function))
            case _:
                return super().called(value, call, view, scope)

    def _is_constructing(self, function: Function) -> bool:
        """Tell whether a function is a signature such as `new () => T`, whose result is declared."""
        view = self.view(function.path)
        facts = view.facts.scopes[function.scope]
        return view.language == "typescript" and facts.return_annotation is not None and facts.definition < 0

    def _constructed(self, function: Function) -> Values:
        """Return what `new F()` gives: an object of its own, unless the function returns another one."""
        made = (Shape(function.path, function.scope),)
        if not self.view(function.path).facts.scopes[function.scope].returns:
            return made
        kinds = (Function, Class, Instance, Literal, Shape)
        return tuple(value for value in self.returned(function) if isinstance(value, kinds)) or made

    def container_call(self, method: Method, call: CallExpr | None, view: FileView, scope: int) -> Values:
        owner, name = method.owner, method.name
        if isinstance(owner, Function) and name in INVOKING:
            unwrapped = self.unwrapped(method, call) if call is not None else None
            given = unwrapped[1] if unwrapped is not None else None
            return (owner,) if name == "bind" else self.called(owner, given, view, scope)
        if name == "then":
            return self.callback_results(call, view, scope) or (owner,)
        if name in _MAPPING:
            return self._mapped(name, call, view, scope)
        if name == "concat":
            others = call.arguments if call is not None else ()
            return union([(owner,), *(self.evaluate(view, scope, item, 0) for item in others)])
        return self._of_container(owner, name)

    def _mapped(self, name: str, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return what a method gives that puts together what its callback returns."""
        results = self.callback_results(call, view, scope)
        if name.startswith("reduce"):
            start = call.arguments[1:2] if call is not None else ()
            return union([results, *(self.evaluate(view, scope, item, 0) for item in start)])
        given = union(self.elements(item) for item in results) if name == "flatMap" else results
        return (Elements("list", given),)

    def _of_container(self, owner: Value, name: str) -> Values:
        """Return what a method gives that only depends on what the container holds."""
        if name in _SAME:
            is_map = name == "values" and isinstance(owner, Elements) and owner.kind == "dict"
            return (Elements("list", self.contained(owner)),) if is_map else (owner,)
        if name in _ELEMENT:
            return self.elements(owner)
        match name:
            case "entries":
                places = tuple(Elements("tuple", (Constant("int", ""), item)) for item in self.contained(owner))
                return (Elements("list", places),)
            case "flat":
                return (Elements("list", union(self.elements(item) or (item,) for item in self.elements(owner))),)
            case "get":
                return self._got(owner)
            case _:
                return ()

    def _got(self, owner: Value) -> Values:
        """Return what `map.get(key)` gives: any value that is in the map."""
        if isinstance(owner, Elements):
            return owner.values
        found: list[Values] = []
        for element in self.elements(owner):
            pair = isinstance(element, Literal | Elements)
            found.append(self.item(element, (Constant("int", "1"),)) if pair else (element,))
        return union(found)

    def callback_results(self, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return what the function that a call is handed first returns."""
        if call is None or not call.arguments:
            return ()
        functions = self.evaluate(view, scope, call.arguments[0], call.line)
        return union(self.called(item, None, view, scope) for item in functions if isinstance(item, Function))

    def container(self, view: FileView, scope: int, call: CallExpr, name: str) -> Values:
        """Return a container that a call makes: `new Map()`, `new Set(items)`, `Array.from(items)`."""
        is_listed = name == "Array.of" or (name == "Array" and len(call.arguments) > 1)
        written = call.arguments if is_listed else ()
        made = self.literal(view, scope, self.made_list(call, _WHOLE, written), call.line)
        declared = self._declared_container(view, scope, call, name)
        if is_listed or not call.arguments:
            return (made, *declared)
        given = self.evaluate(view, scope, call.arguments[0], call.line)
        if name == "Array.from" and len(call.arguments) > 1:
            mappers = self.evaluate(view, scope, call.arguments[1], call.line)
            return (Elements("list", union(self.called(item, None, view, scope) for item in mappers)),)
        return union([(made,), declared, *(self._taken(value) for value in given)])

    def _declared_container(self, view: FileView, scope: int, call: CallExpr, name: str) -> Values:
        """Return what the type arguments of `new Map<K, V>()` say that it holds."""
        given = next((value for key, value in call.keywords if key == "<>"), None)
        if not call.constructs or not isinstance(given, Collection):
            return ()
        held = tuple(self.types(view, scope, item, call.line) for item in given.values)
        return self.rules(view).external_type(self, name, held) or () if any(held) else ()

    def _taken(self, value: Value) -> Values:
        """Return a container that has the elements of another value."""
        if isinstance(value, Literal | Elements):
            return (value,)
        found = self.elements(value)
        return (Elements("list", found),) if found else ()

    def made_from(self, view: FileView, scope: int, call: CallExpr) -> Values:
        """Return the object that `Object.create(prototype, descriptors)` makes: it takes over the prototype."""
        own = {name: value for table in call.arguments[1:2] for name, value in _described(table)}
        names = tuple(ConstantExpr("str", name) for name in own)
        values = (*call.arguments[:1], *own.values())
        made = self.made(call, _WHOLE, Collection("object", values, (ConstantExpr("spread"), *names)))
        return (self.literal(view, scope, made, call.line),)

    def promised_by(self, view: FileView, scope: int, call: CallExpr) -> Values:
        """Return what `new Promise(executor)` promises: what the executor hands to its first parameter."""
        executors = self.evaluate(view, scope, call.arguments[0], call.line) if call.arguments else ()
        return union(self._resolved_in(item) for item in executors if isinstance(item, Function))

    def _resolved_in(self, executor: Function) -> Values:
        view = self.view(executor.path)
        parameters = view.parameters(executor.scope)
        if not parameters:
            return ()
        resolve = Name(parameters[0].name)
        return union(
            self.evaluate(view, number, call.arguments[0], call.line)
            for number in view.scopes_within(executor.scope)
            for call in view.facts.scopes[number].calls
            if call.function == resolve and call.arguments
        )


def _described(table: Expr) -> Iterator[tuple[str, Expr]]:
    """Give name and value of each property that a table of descriptors states."""
    for name, how in zip(table.keys, table.values, strict=False) if isinstance(table, Collection) else ():
        for key, value in zip(how.keys, how.values, strict=False) if isinstance(how, Collection) else ():
            if isinstance(name, ConstantExpr) and isinstance(key, ConstantExpr) and key.value == "value":
                yield name.value, value
