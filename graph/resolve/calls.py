"""Calls: what comes back from calling a value."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Sequence

from graph.extract.facts import CallExpr, Constant, Expr, Name, Subscript
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.languages import LanguageRules
from graph.resolve.values import (
    Class,
    Elements,
    External,
    Function,
    Instance,
    Method,
    ParameterOf,
    Returning,
    Value,
    Values,
)
from graph.resolve.views import FileView

__all__ = ["CallReader", "argument_of", "rest_arguments"]


class CallReader(EvaluatorCore):
    """Return annotations, inferred returns, constructors, and the known functions of the language."""

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        match value:
            case Class(path=path, index=index):
                return (Instance(path, index),)
            case Function():
                return self._filled(value, self.returned(value), call, view, scope)
            case Instance():
                special = self._rules_of(value.path).call_name
                found = self.attribute(value, special) if special else ()
                return union(self.called(item, call, view, scope) for item in found if isinstance(item, Function))
            case Returning(items=items):
                return items
            case Method():
                return self.container_call(value, call, view, scope)
            case External(name=name) if call is not None:
                return self.rules(view).external_call(self, name, call, view, scope)
            case _:
                return ()

    def _rules_of(self, path: str) -> LanguageRules:
        return self.rules(self.view(path))

    def returned(self, function: Function) -> Values:
        unbound = Function(function.path, function.scope)
        return self.guarded(("returned", unbound), lambda: self._returned(unbound))

    def _returned(self, function: Function) -> Values:
        view = self.view(function.path)
        facts = view.facts.scopes[function.scope]
        definition = view.definition_of(function.scope)
        modifiers = definition.modifiers if definition else ()
        line = definition.start_line if definition else 0
        declared: Values = ()
        if facts.return_annotation is not None:
            declared = self.types(view, facts.parent, facts.return_annotation, line)
        if "contextmanager" in modifiers:
            given = union(self.elements(value) for value in declared)
            return (Elements("context", given or self._yields(view, function.scope)),)
        if declared:
            return declared
        if facts.is_generator:
            return (Elements("iterator", self._yields(view, function.scope)),)
        end = definition.end_line + 1 if definition else 0
        return union(self.evaluate(view, function.scope, item, end) for item in facts.returns)

    def _yields(self, view: FileView, scope: int) -> Values:
        definition = view.definition_of(scope)
        end = definition.end_line + 1 if definition else 0
        return union(self.evaluate(view, scope, item, end) for item in view.facts.scopes[scope].yields)

    # -- filling in what only the call knows -----------------------------------------------------------------------

    def _filled(self, function: Function, values: Values, call: CallExpr | None, view: FileView, scope: int) -> Values:
        return union(self._fill(function, value, call, view, scope, 0) for value in values)

    def _fill(
        self, function: Function, value: Value, call: CallExpr | None, view: FileView, scope: int, depth: int
    ) -> Values:
        match value:
            case ParameterOf(path=path, scope=owner, index=index) if (path, owner) == (function.path, function.scope):
                return self.argument(function, index, call, view, scope)
            case Instance(is_self=True):
                return (self._narrowed(value, function.receiver),)
            case Elements(kind="tuple", items=items) if depth < 2:
                filled = (self._fill(function, item, call, view, scope, depth + 1) or (item,) for item in items)
                return (Elements("tuple", tuple(found[0] for found in filled)),)
            case Elements(kind=kind, items=items, values=held) if depth < 2:
                return (
                    Elements(
                        kind,
                        union(self._fill(function, item, call, view, scope, depth + 1) for item in items),
                        union(self._fill(function, item, call, view, scope, depth + 1) for item in held),
                    ),
                )
            case _:
                return (value,)

    def _narrowed(self, value: Instance, receiver: Value | None) -> Value:
        """Return the real receiver where a method returns itself, if it is of that class."""
        own = Class(value.path, value.index)
        if isinstance(receiver, Instance | Class) and own in self.ancestors(Class(receiver.path, receiver.index)):
            if isinstance(receiver, Instance):
                return receiver
            return Instance(receiver.path, receiver.index)
        return value

    def argument(self, function: Function, index: int, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return what a call hands to a parameter."""
        if function.receiver is not None and index == 0 and _skipped(self.view(function.path), function):
            return (function.receiver,)
        if call is None:
            return ()
        found = argument_of(self.view(function.path), function, index, call)
        return self.evaluate(view, scope, found, call.line) if found is not None else ()


def argument_of(target: FileView, function: Function, index: int, call: CallExpr) -> Expr | None:
    """Return the expression that a call hands to a parameter, None when it leaves it to the default."""
    parameters = target.parameters(function.scope)
    if index >= len(parameters):
        return None
    name = parameters[index].name
    for key, value in call.keywords:
        if key == name:
            return value
    if parameters[index].kind != "positional":
        return None
    place = index - _skipped(target, function)
    arguments: Sequence[Expr] = call.arguments
    for position, item in enumerate(arguments[: place + 1]):
        if type(item) is Subscript and _is_each(item.base):
            return Subscript(item.index, Constant("int", str(place - position)))
    return arguments[place] if 0 <= place < len(arguments) else None


def _is_each(base: Expr) -> bool:
    """Tell whether an argument is spread over the parameters from its place on."""
    return isinstance(base, Name) and base.id == "<each>"


def rest_arguments(target: FileView, function: Function, index: int, call: CallExpr) -> tuple[Expr, ...]:
    """Return the expressions that a call hands to `*args` or `**kwargs`."""
    parameters = target.parameters(function.scope)
    if parameters[index].kind == "all":
        return call.arguments
    if parameters[index].kind == "rest":
        return call.arguments[max(index - _skipped(target, function), 0) :]
    names = {parameter.name for parameter in parameters}
    return tuple(value for key, value in call.keywords if key not in names)


def _skipped(target: FileView, function: Function) -> int:
    """Return how many parameters a bound call does not write: the receiver, where it is a parameter."""
    if function.receiver is None:
        return 0
    return 1 if target.class_around(function.scope) >= 0 and not target.self_names else 0
