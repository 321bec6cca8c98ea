"""The evaluator of Python: type tests, generic types and descriptors over what all languages share."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Collection, Definition, Expr, Name, Subscript
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.bindings import Binding
from graph.resolve.core import union
from graph.resolve.evaluator import Evaluator
from graph.resolve.generics_python import GenericTypes, is_open
from graph.resolve.members import decorated_by
from graph.resolve.narrowing_python import NarrowingReader
from graph.resolve.overridden_python import OverriddenReader
from graph.resolve.spread_python import SpreadReader
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    Module,
    ParameterOf,
    TypeVariable,
    Value,
    Values,
)
from graph.resolve.views import FileView

__all__ = ["PythonEvaluator"]


class PythonEvaluator(NarrowingReader, OverriddenReader, SpreadReader, Evaluator, GenericTypes):
    """Evaluates the expressions of one Python file."""

    def _evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        kind = type(expr)  # the two hottest kinds are answered here, without a further frame
        if kind is Name:
            values = self.name(view, scope, expr.id, line)  # type: ignore[union-attr] # just tested
            if view.tests and expr.id in view.tests:  # type: ignore[union-attr] # just tested
                return self.narrowed(view, scope, expr, line, values)  # type: ignore[arg-type] # just tested
            return values
        if kind is Attribute:
            tests = view.tests
            if not tests or (expr.name not in tests and line <= expr.line):  # type: ignore[union-attr] # just tested
                return self._attributes(view, scope, expr, line)  # type: ignore[arg-type] # just tested
            return self._tested_attributes(view, scope, expr, line)  # type: ignore[arg-type] # just tested
        return super()._evaluate(view, scope, expr, line)

    def _tested_attributes(self, view: FileView, scope: int, expr: Attribute, line: int) -> Values:
        if line > expr.line > 0:
            line = expr.line  # returns are read at the end of their function, which no test reaches
        values = self._attributes(view, scope, expr, line)
        return self.narrowed(view, scope, expr, line, values) if expr.name in view.tests else values

    # -- types ----------------------------------------------------------------------------------------------------

    def _bound_type(self, view: FileView, scope: int, binding: Binding) -> Values:
        assign = binding.assign
        if assign is not None and assign.how == "type" and isinstance(assign.target, Name):
            bounds = self.types(view, binding.scope, assign.value, assign.line)
            return (TypeVariable(view.path, assign.target.id, _bounds(bounds)),)
        return super()._bound_type(view, scope, binding)

    def _type_variable(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        found = super()._type_variable(view, scope, call, line)
        written = call.arguments[0] if call.arguments else None
        if not isinstance(written, ConstantExpr) or not written.value:
            return found
        functions = self.evaluate(view, scope, call.function, line)
        if any(isinstance(value, External) and value.name.endswith("TypeVar") for value in functions):
            return (TypeVariable(view.path, written.value, _bounds(found)),)
        return found

    def _applied(self, view: FileView, scope: int, base: Expr, index: Expr, line: int) -> Values:
        found = super()._applied(view, scope, base, index, line)
        if len(found) == 1 and isinstance(found[0], Instance) and not found[0].arguments:
            owner = Class(found[0].path, found[0].index)
            if self.type_parameters(owner):
                return (self._with(owner, list(self._arguments(view, scope, Subscript(base, index), line))),)
        return found

    def generic_parameter(self, view: FileView, scope: int, index: int, declared: Values) -> Values:
        owner = view.class_around(scope)
        own = self.type_parameters(Class(view.path, owner)) if owner >= 0 else ()
        if any(isinstance(value, TypeVariable) and value.name in own for value in declared):
            return declared
        handed = self.flows.get((view.path, scope, index), ())
        return union([handed, declared, (ParameterOf(view.path, scope, index),)])

    def _returned(self, function: Function) -> Values:
        view = self.view(function.path)
        annotation = view.facts.scopes[function.scope].return_annotation
        if annotation is not None and self.head_of(view, function.scope) == function.scope:
            declared = self.types(view, function.scope, annotation, 0)
            if declared:
                return declared
        return super()._returned(function)

    def head_of(self, view: FileView, scope: int) -> int:
        # A function with type parameters of its own sees them in its head.
        facts = view.facts.scopes[scope]
        return scope if facts.assigns and facts.assigns[0].how == "type" else facts.parent

    # -- what a type variable does --------------------------------------------------------------------------------

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        if type(value) is Function:
            return self._filled(value, self.returned(value), call, view, scope)
        if type(value) is Class:
            return (self.made(value, call, view, scope),)
        if type(value) is TypeVariable:
            return (TypeVariable(value.path, value.name, value.bounds),) if value.is_class else ()
        return super().called(value, call, view, scope)

    def _filled(self, function: Function, values: Values, call: CallExpr | None, view: FileView, scope: int) -> Values:
        values = self.returned_to(function, values) if function.receiver is not None else values
        if not values:
            return ()
        if call is not None:
            values = self._of_this_call(function, values, call, view, scope)
        found = super()._filled(function, values, call, view, scope)
        return self.filled_by_call(function, found, call, view, scope)

    def _of_this_call(self, function: Function, values: Values, call: CallExpr, view: FileView, scope: int) -> Values:
        """Drop what other calls hand to a parameter that is returned, where this call hands something over."""
        for value in values:
            if type(value) is not ParameterOf or (value.path, value.scope) != (function.path, function.scope):
                continue
            if self.argument(function, value.index, call, view, scope):
                others = self.flows.get((value.path, value.scope, value.index), ())
                parameter = self.view(value.path).parameters(value.scope)[value.index]
                if parameter.default is not None:
                    target = self.view(value.path)
                    others += self.evaluate(target, target.facts.scopes[value.scope].parent, parameter.default, 0)
                values = tuple(item for item in values if item not in others)
        return values

    def replacements(self, function: Function) -> Values:
        definition = self.view(function.path).definition_of(function.scope)
        if definition is None or not definition.decorators:
            return ()
        unbound = Function(function.path, function.scope)
        return self.guarded(("replaced", unbound), lambda: self._replacements(unbound, definition))

    def _replacements(self, function: Function, definition: Definition) -> Values:
        """Return the functions that the outermost decorator of the repository puts in the place of a function."""
        view = self.view(function.path)
        written = Name(definition.name)
        applied = [
            call
            for call in view.facts.scopes[definition.owner].calls
            if not call.line and call.function == definition.decorators[0] and decorated_by(call) == written
        ]
        given = union(self.evaluate(view, definition.owner, call, definition.end_line + 1) for call in applied[-1:])
        return tuple(item for item in given if type(item) is Function and item != function)

    def elements(self, value: Value) -> Values:
        if type(value) is TypeVariable:
            return union(super(PythonEvaluator, self).elements(item) for item in value.bounds)
        found = super().elements(value)
        if found or type(value) is not Instance:
            return found
        steps = union(self._through(item, "__anext__") for item in self._through(value, "__aiter__"))
        return steps or union(super(PythonEvaluator, self).elements(item) for item in self._containers_of(value))

    def entered(self, value: Value) -> Values:
        if type(value) is External and value.name in _STACKS:
            return (value,)
        return super().entered(value)

    def item(self, value: Value, keys: Values) -> Values:
        found = super().item(value, keys)
        if found or type(value) is not Instance:
            return found
        return union(super(PythonEvaluator, self).item(item, keys) for item in self._containers_of(value))

    def _selected(self, view: FileView, scope: int, expr: Collection, keys: Values, line: int) -> tuple[Expr, ...]:
        """Tell `1` and `"1"` apart where all keys are literals."""
        exact = {(key.type, key.value) for key in keys if isinstance(key, Constant)}
        if exact and expr.keys and self.written_keys(expr).is_literal:
            return tuple(expr.values[place] for place in self.written_keys(expr).exact(exact))
        return super()._selected(view, scope, expr, keys, line)

    def _containers_of(self, value: Instance) -> Values:
        """Return the built-in containers that a class extends, with what they hold: `class Users(dict[str, User])`."""
        own = Class(value.path, value.index)
        found: list[Values] = []
        for owner in self.ancestors(own):
            view = self.view(owner.path)
            definition = view.facts.definitions[owner.index]
            for base in definition.bases:
                if not isinstance(base, Name | Attribute):
                    held = self.types(view, definition.owner, base, definition.start_line)
                    kept = tuple(item for item in held if isinstance(item, Elements))
                    found.append(self.filled_by_receiver(kept, value, owner))
        return union(found)

    # -- members --------------------------------------------------------------------------------------------------

    def member_below(self, owner: Class, name: str) -> Values:
        return super().member_below(owner, name) if self.view(owner.path).is_member(name) else ()

    def metaclass_member(self, value: Class, name: str) -> Values:
        for owner in self.ancestors(value):
            view = self.view(owner.path)
            definition = view.facts.definitions[owner.index]
            written = next((item for item in definition.modifiers if item.startswith(_METACLASS)), "")
            named = Name(written.removeprefix(_METACLASS))
            classes = self.evaluate(view, definition.owner, named, definition.start_line) if written else ()
            for item in classes:
                found = self.member(item, name) if type(item) is Class else ()
                if found and type(item) is Class:
                    return union(self.bind(member, value, item) for member in found)
        return ()

    def variable_member(self, value: TypeVariable, name: str) -> Values:
        things = value.bounds
        if value.is_class:
            things = tuple(Class(item.path, item.index) for item in things if isinstance(item, Instance))
        return union(self.attribute(item, name) for item in things)

    def seen_through(self, value: Instance, name: str, found: Values) -> Values:
        if not found or (type(found[0]) is External and name in _CONTAINER_METHODS):
            held = self._containers_of(value) if name in _CONTAINER_METHODS else ()
            return union(self.attribute(item, name) for item in held) or found
        kinds = {type(item) for item in found}
        if kinds <= _SETTLED:
            return found
        if any(is_open(item) for item in found):
            found = self.filled_by_receiver(found, value, self._owner_of(value, name))
        if Instance in kinds:
            return union(self._got(item, value, name) for item in found)
        return found

    def _owner_of(self, value: Instance, name: str) -> Class | None:
        """Return the class of the order of an instance that defines a member."""
        line = self.ancestors(Class(value.path, value.index))
        return next((owner for owner in line if self.own_member(owner, name)), None)

    def _got(self, item: Value, value: Instance, name: str) -> Values:
        """Return what a descriptor of the class gives for an instance; everything else as it is."""
        if type(item) is not Instance:
            return (item,)
        getters = [found for found in self.member(Class(item.path, item.index), "__get__") if type(found) is Function]
        owner = self._owner_of(value, name) if getters else None
        if owner is None or not self._is_in_body(owner, name):
            return (item,)
        bound = Function(getters[0].path, getters[0].scope, item)
        given = self.called(bound, None, self.view(owner.path), 0)
        own = Class(item.path, item.index)
        return tuple(got for got in given if not (isinstance(got, Instance) and Class(got.path, got.index) == own))

    def _is_in_body(self, owner: Class, name: str) -> bool:
        view = self.view(owner.path)
        scope = view.facts.definitions[owner.index].scope
        return scope >= 0 and view.binds(scope, name)


_SETTLED = frozenset({Function, Class, External, Constant, Literal, Module})
"""Values that no receiver changes any more."""

_METACLASS = "metaclass:"
"""Begins the modifier of a class that names its metaclass."""

_STACKS = frozenset({"contextlib.ExitStack()", "contextlib.AsyncExitStack()"})
"""Contexts from outside that enter as themselves."""

_CONTAINER_METHODS = frozenset({"values", "items", "get", "pop", "keys", "setdefault", "popleft", "popitem", "copy"})


def _bounds(values: Values) -> Values:
    return tuple(value for value in values if isinstance(value, Instance | Class))
