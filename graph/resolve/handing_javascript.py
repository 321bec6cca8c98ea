"""What a script hands to functions beyond the arguments written for them: callbacks, `this`, values for setters."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Iterator

from graph.extract.facts import Assign, Attribute, CallExpr, FunctionRef, Name, Subscript
from graph.resolve.core import union
from graph.resolve.iteration_javascript import ScriptIteration
from graph.resolve.members_javascript import INVOKING
from graph.resolve.names_javascript import THIS
from graph.resolve.values import Class, Elements, External, Function, Instance, Literal, Method, Shape, Value, Values
from graph.resolve.views import FileView
from graph.resolve.views_javascript import ScriptView
from graph.resolve.world import World

__all__ = ["ScriptHanding"]

_WITH_ELEMENT = frozenset(
    {
        "map", "forEach", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every", "flatMap",
        "sort", "toSorted",
    }
)  # fmt: skip
_DECLARING = frozenset({"getter", "setter", "annotation"})
_EACH = Name("<each>")
_OBJECTS = (Class, Function, Instance, Literal, Shape)


class ScriptHanding(ScriptIteration):
    """Gives (function, place, values) for what reaches a parameter, or `this`, without standing in its place."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._unwrapped: dict[tuple[int, str], tuple[CallExpr, CallExpr]] = {}

    def unwrapped(self, value: Value, call: CallExpr) -> tuple[Function, CallExpr] | None:
        """Return the function that `f.call(x, a)`, `f.apply(x, xs)`, `f.bind(x, a)` call, and the call `f(a)` of it."""
        if not isinstance(value, Method) or not isinstance(value.owner, Function) or value.name not in INVOKING:
            return None
        key = (id(call), value.name)
        if key not in self._unwrapped:
            given = call.arguments[1:]
            if value.name == "apply":
                given = tuple(Subscript(_EACH, item) for item in given[:1])
            self._unwrapped[key] = (call, CallExpr(call.function, call.line, given))
        return value.owner, self._unwrapped[key][1]

    # -- beyond calls -----------------------------------------------------------------------------------------------

    def implied(self, view: FileView) -> Iterator[tuple[Function, int, Values]]:
        if not isinstance(view, ScriptView):
            return
        for scope, facts in enumerate(view.facts.scopes):
            for call in facts.calls:
                yield from self._receivers(view, scope, call)
            for assign in facts.assigns:
                yield from self._described_receivers(view, scope, assign)
                if view.has_setters and isinstance(assign.target, Attribute) and assign.how not in _DECLARING:
                    yield from self._set(view, scope, assign, assign.target)

    def _receivers(self, view: ScriptView, scope: int, call: CallExpr) -> Iterator[tuple[Function, int, Values]]:
        """Give what plain functions are called on: `o.f()`, `f.call(o)`."""
        function = call.function
        if not isinstance(function, Attribute):
            return
        for value in self.evaluate(view, scope, function, call.line):
            if isinstance(value, Function) and value.receiver is None and self._takes_receiver(value):
                given = self.evaluate(view, scope, function.base, call.line)
                yield value, THIS, _objects(given)
            elif isinstance(value, Method) and isinstance(value.owner, Function) and call.arguments:
                if value.name in INVOKING and self._takes_receiver(value.owner):
                    given = self.evaluate(view, scope, call.arguments[0], call.line)
                    yield value.owner, THIS, _objects(given)

    def _takes_receiver(self, function: Function) -> bool:
        """Tell whether a function has a `this` that only its calls decide."""
        view = self.view(function.path)
        facts = view.facts.scopes[function.scope]
        return facts.kind == "function" and view.facts.scopes[facts.parent].kind not in ("class", "object")

    def _described_receivers(
        self, view: ScriptView, scope: int, assign: Assign
    ) -> Iterator[tuple[Function, int, Values]]:
        if assign.how not in ("getter", "setter") or not isinstance(assign.target, Attribute | Subscript):
            return
        for value in self.evaluate(view, scope, assign.value, assign.line):
            if isinstance(value, Function) and self._takes_receiver(value):
                yield value, THIS, _objects(self.evaluate(view, scope, assign.target.base, assign.line))

    def _set(
        self, view: ScriptView, scope: int, assign: Assign, target: Attribute
    ) -> Iterator[tuple[Function, int, Values]]:
        for owner in self.evaluate(view, scope, target.base, assign.line):
            for setter in self.getters(owner, target.name, "setter"):
                yield setter, 0, self.assigned(view, scope, assign)

    # -- callbacks --------------------------------------------------------------------------------------------------

    def passed(self, view: FileView, scope: int, call: CallExpr) -> Iterator[tuple[Function, int, Values]]:
        """Give what a call hands to functions that are not called by name there.

        Callbacks of arrays and promises get elements, and a function in the place of a parameter with a declared
        function type gets what that type promises.
        """
        for value in self.evaluate(view, scope, call.function, call.line):
            match value:
                case Method(owner=owner, name=name) if self.unwrapped(value, call) is None:
                    yield from self._to_callbacks(view, scope, call, owner, name)
                case External(name="Array.from") if len(call.arguments) > 1:
                    yield from self._to_mapper(view, scope, call)
                case Function() | Class():
                    yield from self._promised_to(view, scope, call, value)
                case _:
                    pass

    def _to_mapper(self, view: FileView, scope: int, call: CallExpr) -> Iterator[tuple[Function, int, Values]]:
        given = union(self.elements(value) for value in self.evaluate(view, scope, call.arguments[0], call.line))
        for function in self.evaluate(view, scope, call.arguments[1], call.line):
            if isinstance(function, Function):
                yield function, 0, given

    def contained(self, owner: Value) -> Values:
        """Return the values that a container holds: of a map, not its pairs."""
        if isinstance(owner, Elements) and owner.kind == "dict":
            return owner.values
        return self.elements(owner)

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
                yield function, 0, self.contained(owner)
                if name in ("sort", "toSorted"):
                    yield function, 1, self.contained(owner)
            elif name in ("reduce", "reduceRight"):
                yield function, 1, self.contained(owner)
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


def _objects(values: Values) -> Values:
    return tuple(value for value in values if isinstance(value, _OBJECTS))
