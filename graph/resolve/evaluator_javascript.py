"""The evaluator of JavaScript and TypeScript: calls, callbacks, and what the parts of `*_javascript` put together."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Iterator

from graph.extract.facts import Attribute, CallExpr, ClassRef, Collection, Expr, FunctionRef, Name, Subscript
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.core import union
from graph.resolve.members_javascript import ScriptMembers
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
from graph.resolve.world import World

__all__ = ["ScriptEvaluator"]

_MAPPING = frozenset({"map", "flatMap", "reduce", "reduceRight"})
_SAME = frozenset(
    {
        "filter", "slice", "concat", "reverse", "sort", "flat", "toSorted", "toReversed", "values", "fill", "with",
        "splice", "catch", "finally", "add", "set", "keys", "copyWithin",
    }
)  # fmt: skip
_ELEMENT = frozenset({"find", "findLast", "pop", "shift", "at", "next"})
_WITH_ELEMENT = frozenset(
    {
        "map", "forEach", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every", "flatMap",
        "sort", "toSorted",
    }
)  # fmt: skip


class ScriptEvaluator(ScriptMembers):
    """Evaluates the expressions of one script file."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._containers: dict[int, Collection] = {}

    def _evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        match expr:
            case Attribute(base=Name(id="super"), name=name):
                return union(self.attribute(value, name) for value in self.super_value(view, scope))
            case Subscript(base=Name(id="<as>"), index=Collection(values=(inner, declared))):
                return self.types(view, scope, declared, line) or self.evaluate(view, scope, inner, line)
            case Collection(scope=body) if body >= 0:
                return (Shape(view.path, body),)
            case ClassRef(scope=body) if view.facts.scopes[body].definition < 0:
                return (Shape(view.path, body),)
            case _:
                return super()._evaluate(view, scope, expr, line)

    def item(self, value: Value, keys: Values) -> Values:
        if not isinstance(value, Shape):
            return super().item(value, keys)
        wanted = [key.value for key in keys if isinstance(key, Constant) and key.value]
        if wanted:
            return union(self.attribute(value, name) for name in wanted)
        view = self.view(value.path)
        names = view.bound_names(value.scope) if view.facts.scopes[value.scope].kind != "function" else []
        return union(self.attribute(value, name) for name in names[:40] if name not in ("...", "()"))

    # -- calls ----------------------------------------------------------------------------------------------------

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        match value:
            case Function(path=path, scope=body) if call is not None and call.constructs:
                return (Shape(path, body),)
            case Shape() | Instance():
                signatures = self.attribute(value, "()")
                return union(self.returned(item) for item in signatures if isinstance(item, Function))
            case _:
                return super().called(value, call, view, scope)

    def container_call(self, method: Method, call: CallExpr | None, view: FileView, scope: int) -> Values:
        owner, name = method.owner, method.name
        if isinstance(owner, Function):
            return (owner,) if name == "bind" else self.returned(owner)
        if name == "then":
            return self._callback_results(call, view, scope) or (owner,)
        if name in _MAPPING:
            results = self._callback_results(call, view, scope)
            if name.startswith("reduce"):
                start = call.arguments[1:2] if call is not None else ()
                return union([results, *(self.evaluate(view, scope, item, 0) for item in start)])
            given = union(self.elements(item) for item in results) if name == "flatMap" else results
            return (Elements("list", given),)
        if name == "entries":
            places = tuple(Elements("tuple", (Constant("int", ""), item)) for item in self._contained(owner))
            return (Elements("list", places),)
        if name == "values" and isinstance(owner, Elements) and owner.kind == "dict":
            return (Elements("list", owner.values),)
        if name in _SAME:
            return (owner,)
        if name in _ELEMENT:
            return self.elements(owner)
        if name == "get":
            return self._got(owner)
        return ()

    def _contained(self, owner: Value) -> Values:
        if isinstance(owner, Elements) and owner.kind == "dict":
            return owner.values
        return self.elements(owner)

    def _got(self, owner: Value) -> Values:
        """Return what `map.get(key)` gives: any value that is in the map."""
        if isinstance(owner, Elements):
            return owner.values
        found: list[Values] = []
        for element in self.elements(owner):
            pair = isinstance(element, Literal | Elements)
            found.append(self.item(element, (Constant("int", "1"),)) if pair else (element,))
        return union(found)

    def _callback_results(self, call: CallExpr | None, view: FileView, scope: int) -> Values:
        if call is None or not call.arguments:
            return ()
        functions = self.evaluate(view, scope, call.arguments[0], call.line)
        return union(self.called(item, None, view, scope) for item in functions if isinstance(item, Function))

    def container(self, view: FileView, scope: int, call: CallExpr, name: str) -> Values:
        """Return a container that a call makes: `new Map()`, `new Set(items)`, `Array.from(items)`."""
        made = self.literal(view, scope, self._container_of(call), call.line)
        if name == "Array.of" or not call.arguments:
            return (made,)
        given = self.evaluate(view, scope, call.arguments[0], call.line)
        return union([(made,), tuple(item for item in given if isinstance(item, Literal | Elements))])

    def made_from(self, view: FileView, scope: int, call: CallExpr) -> Values:
        """Return the object that `Object.create(prototype, descriptors)` makes: it takes over the prototype."""
        key = id(call)
        if key not in self._containers:
            own = {name: value for table in call.arguments[1:2] for name, value in _described(table)}
            names = tuple(ConstantExpr("str", name) for name in own)
            values = (*call.arguments[:1], *own.values())
            self._containers[key] = Collection("object", values, (ConstantExpr("spread"), *names))
        return (self.literal(view, scope, self._containers[key], call.line),)

    def _container_of(self, call: CallExpr) -> Collection:
        key = id(call)
        if key not in self._containers:
            self._containers[key] = Collection("list", ())
        return self._containers[key]

    # -- what is handed over ----------------------------------------------------------------------------------------

    def passed(self, view: FileView, scope: int, call: CallExpr) -> Iterator[tuple[Function, int, Values]]:
        """Give what a call hands to functions that are not called by name there.

        Callbacks of arrays and promises get elements, `f.call(this, x)` passes x, and a function in the place of a
        parameter with a declared function type gets what that type promises.
        """
        for value in self.evaluate(view, scope, call.function, call.line):
            match value:
                case Method(owner=Function() as function, name=name):
                    for index, item in enumerate(call.arguments[1:] if name != "apply" else ()):
                        yield function, index, self.evaluate(view, scope, item, call.line)
                case Method(owner=owner, name=name):
                    yield from self._to_callbacks(view, scope, call, owner, name)
                case Function() | Class():
                    yield from self._promised_to(view, scope, call, value)
                case _:
                    pass

    def _to_callbacks(
        self, view: FileView, scope: int, call: CallExpr, owner: Value, name: str
    ) -> Iterator[tuple[Function, int, Values]]:
        if not call.arguments:
            return
        functions = self.evaluate(view, scope, call.arguments[0], call.line)
        for function in functions:
            if not isinstance(function, Function):
                continue
            if name == "then":
                yield function, 0, (owner,)
            elif name in _WITH_ELEMENT:
                yield function, 0, self._contained(owner)
                if name in ("sort", "toSorted"):
                    yield function, 1, self._contained(owner)
            elif name in ("reduce", "reduceRight"):
                yield function, 1, self._contained(owner)
                for start in call.arguments[1:2]:
                    yield function, 0, self.evaluate(view, scope, start, call.line)

    def _promised_to(
        self, view: FileView, scope: int, call: CallExpr, callee: Function | Class
    ) -> Iterator[tuple[Function, int, Values]]:
        if not any(isinstance(item, FunctionRef | Name) for item in call.arguments):
            return
        for function in self._runs(callee):
            parameters = self.view(function.path).parameters(function.scope)
            for place, item in enumerate(call.arguments):
                index = min(place, len(parameters) - 1)
                if not isinstance(item, FunctionRef | Name) or index < 0 or parameters[index].annotation is None:
                    continue
                promises = self.parameter(self.view(function.path), function.scope, index)
                if parameters[index].kind == "rest":
                    promises = union(self.elements(value) for value in promises)
                for handed in self.evaluate(view, scope, item, call.line):
                    if isinstance(handed, Function):
                        yield from self._each_parameter(handed, promises)

    def _runs(self, callee: Function | Class) -> Iterator[Function]:
        if isinstance(callee, Function):
            yield callee
            return
        for item in self.attribute(Instance(callee.path, callee.index), "constructor"):
            if isinstance(item, Function):
                yield item
        for item in self.member(callee, "constructor"):
            if isinstance(item, Function):
                yield item

    def _each_parameter(self, handed: Function, promises: Values) -> Iterator[tuple[Function, int, Values]]:
        for index, parameter in enumerate(self.view(handed.path).parameters(handed.scope)):
            if parameter.annotation is None:
                given = union(self.parameter_of(value, index) for value in promises)
                if given:
                    yield handed, index, given


def _described(table: Expr) -> Iterator[tuple[str, Expr]]:
    """Give name and value of each property that a table of descriptors states."""
    for name, how in zip(table.keys, table.values, strict=False) if isinstance(table, Collection) else ():
        for key, value in zip(how.keys, how.values, strict=False) if isinstance(how, Collection) else ():
            if isinstance(name, ConstantExpr) and isinstance(key, ConstantExpr) and key.value == "value":
                yield name.value, value
