"""Where types of TypeScript are asked: members and calls with type variables filled in, and what a call tells of them.

What `makeRepo(User)` returns is told by its head and its arguments; `query({ select: (row) => row.name() })` gets its
row from the declared type of that place.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from graph.extract.facts import CallExpr, Collection, Expr, FunctionRef, Name
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.calls import argument_of, rest_arguments
from graph.resolve.core import union
from graph.resolve.generics_javascript import Meanings, ScriptGenerics
from graph.resolve.typevars_javascript import is_open, key_of
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Generic,
    Given,
    Instance,
    Literal,
    Module,
    ParameterOf,
    Shape,
    TypeVariable,
    Value,
    Values,
)
from graph.resolve.views import FileView
from graph.resolve.views_javascript import ScriptView

__all__ = ["ScriptInference"]

_MAX_NESTED = 3
_MAX_MEMBERS = 16
"""Members of an object type that are held against what is handed over."""

_CALLBACKS = (FunctionRef, Name, Collection)
_CLOSED = frozenset({Class, Constant, External, Module})


class ScriptInference(ScriptGenerics):
    """Fills in type variables."""

    # -- where types are asked --------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Values:
        match value:
            case TypeVariable(bounds=items) | Generic(items=items):
                return union(self.attribute(item, name) for item in items)
            case Shape(given=Given() as given):
                return self.filled(super().attribute(Shape(value.path, value.scope), name), self.meanings(given))
            case Instance():
                found = super().attribute(value, name)
                return self.filled(found, self.meanings(value)) if _may_be_open(found) else found
            case _:
                return super().attribute(value, name)

    def elements(self, value: Value) -> Values:
        match value:
            case TypeVariable(bounds=items) | Generic(items=items):
                return union(self.elements(item) for item in items)
            case Instance():
                return self.filled(super().elements(value), self.meanings(value))
            case _:
                return super().elements(value)

    def item(self, value: Value, keys: Values) -> Values:
        match value:
            case TypeVariable(bounds=items) | Generic(items=items):
                return union(self.item(item, keys) for item in items)
            case Shape() | Literal() if keys and all(map(_is_symbol, keys)):
                return ()  # no string names the member
            case Shape(given=Given() as given):
                return self.filled(super().item(Shape(value.path, value.scope), keys), self.meanings(given))
            case _:
                return super().item(value, keys)

    def _indexed(self, view: FileView, scope: int, base: Expr, index: Expr, line: int) -> Values:
        """Return like any evaluator what `base[index]` is; `this` is no table of which any member may be meant."""
        if isinstance(base, Name) and base.id == "this":
            keys = self.evaluate(view, scope, index, line)
            if not any(isinstance(key, Constant) and key.value for key in keys):
                return ()
        return super()._indexed(view, scope, base, index, line)

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        match value:
            case TypeVariable(bounds=items) | Generic(items=items):
                return union(self.called(item, call, view, scope) for item in items)
            case Class():
                return self._instance_made(value, call, view, scope)
            case Shape() | Instance():
                signatures = self.attribute(value, "()")
                return union(self.called(item, call, view, scope) for item in signatures if isinstance(item, Function))
            case _:
                return super().called(value, call, view, scope)

    def _filled(self, function: Function, values: Values, call: CallExpr | None, view: FileView, scope: int) -> Values:
        found = super()._filled(function, values, call, view, scope)
        if not _may_be_open(found):
            return found
        found = self.filled(found, self.meanings(function.receiver))
        own = self.variables(self.view(function.path), function.scope)
        if own and call is not None:
            found = self.filled(found, self._told(function, own, call, view, scope))
        return found

    def _returned(self, function: Function) -> Values:
        found = super()._returned(function)
        if not found or not all(isinstance(value, TypeVariable) for value in found):
            return found
        view = self.view(function.path)
        definition = view.definition_of(function.scope)
        end = definition.end_line + 1 if definition else 0
        written = view.facts.scopes[function.scope].returns
        return union([found, *(self.evaluate(view, function.scope, item, end) for item in written)])

    def parameter_of(self, value: Value, index: int) -> Values:
        if not isinstance(value, Function) or not isinstance(value.receiver, Given | Instance):
            return super().parameter_of(value, index)
        view = self.view(value.path)
        parameters = view.parameters(value.scope)
        annotation = parameters[index].annotation if index < len(parameters) else None
        if annotation is None or parameters[index].kind != "positional":
            return super().parameter_of(value, index)
        declared = self.types(view, view.facts.scopes[value.scope].parent, annotation, 0)
        return self.settled(self.filled(declared, self.meanings(value.receiver)))

    # -- callbacks ----------------------------------------------------------------------------------------------------

    def _promised_to(
        self, view: FileView, scope: int, call: CallExpr, callee: Function | Class
    ) -> Iterator[tuple[Function, int, Values]]:
        if not any(isinstance(item, _CALLBACKS) for item in call.arguments):
            return
        for function in self._runs(callee):
            target = self.view(function.path)
            own = self.variables(target, function.scope)
            meanings = {
                **self.meanings(function.receiver),
                **(self._told(function, own, call, view, scope) if own else {}),
            }
            for index, parameter in enumerate(target.parameters(function.scope)):
                written = self._written_at(function, index, call)
                if parameter.annotation is None or not written:
                    continue
                outer = target.facts.scopes[function.scope].parent
                promises = self.settled(self.filled(self.types(target, outer, parameter.annotation, 0), meanings))
                if parameter.kind == "rest":
                    promises = union(self.elements(value) for value in promises)
                for item in written:
                    yield from self._kept_promises(view, scope, item, promises, call.line)

    def _promised_return(self, view: ScriptView, outer: int) -> Values:
        found = super()._promised_return(view, outer)
        if found or outer not in view.returned_by:
            return found
        curried = self._promised_return(view, view.returned_by[outer])  # `(a) => (b) => (c) => ...`
        functions = (value for value in curried if isinstance(value, Function))
        return union(self.filled(self.returned(value), self.meanings(value.receiver)) for value in functions)

    def _written_at(self, function: Function, index: int, call: CallExpr) -> tuple[Expr, ...]:
        target = self.view(function.path)
        if target.parameters(function.scope)[index].kind == "rest":
            return tuple(item for item in rest_arguments(target, function, index, call) if isinstance(item, _CALLBACKS))
        written = argument_of(target, function, index, call)
        return (written,) if isinstance(written, _CALLBACKS) else ()

    def _kept_promises(
        self, view: FileView, scope: int, written: Expr, promises: Values, line: int
    ) -> Iterator[tuple[Function, int, Values]]:
        """Give what a declared type promises to a function, or to the functions of an object literal, in its place."""
        if not isinstance(written, Collection):
            for handed in self.evaluate(view, scope, written, line):
                if isinstance(handed, Function):
                    yield from self._each_parameter(handed, promises)
            return
        for key, value in zip(written.keys, written.values, strict=False):
            if isinstance(key, ConstantExpr) and isinstance(value, FunctionRef):
                members = union(self.attribute(promise, key.value) for promise in promises)
                yield from self._each_parameter(Function(view.path, value.scope), members)

    # -- what a call tells --------------------------------------------------------------------------------------------

    def _instance_made(self, owner: Class, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return the instance that a call of a class makes, with its type arguments as far as the call tells them."""
        own = self._variables_of(owner)
        if call is None or not own:
            return (Instance(owner.path, owner.index),)
        told: Meanings = {}
        given = self._written_arguments(call, view, scope)
        if given:
            told = {key_of(variable): found for variable, found in zip(own, given, strict=False)}
        else:
            for value in self.member(owner, "constructor"):
                if isinstance(value, Function):
                    told = self._told(value, own, call, view, scope)
        arguments = tuple(told.get(key_of(variable), ()) for variable in own)
        return (Instance(owner.path, owner.index, arguments=arguments if any(arguments) else ()),)

    def _written_arguments(self, call: CallExpr, view: FileView, scope: int) -> tuple[Values, ...]:
        """Return the type arguments that a call writes down: `useState<User>()`."""
        for key, written in call.keywords:
            if key == "<>":
                return tuple(self.types(view, scope, item, call.line) for item in getattr(written, "values", ()))
        return ()

    def _told(
        self, function: Function, own: tuple[TypeVariable, ...], call: CallExpr, view: FileView, scope: int
    ) -> Meanings:
        """Return what a call says of type variables: by type arguments, else by what it hands to parameters."""
        given = self._written_arguments(call, view, scope)
        if given:
            return {key_of(variable): found for variable, found in zip(own, given, strict=False)}
        target = self.view(function.path)
        found: dict[str, Values] = {key_of(variable): () for variable in own}
        outer = target.facts.scopes[function.scope].parent
        for index, parameter in enumerate(target.parameters(function.scope)):
            if parameter.annotation is None:
                continue
            declared = self.types(target, outer, parameter.annotation, 0)
            if any(is_open(value, self.is_signature) for value in declared):
                handed = self.argument(function, index, call, view, scope)
                self._match(declared, handed, found, 0)
        return {key: values for key, values in found.items() if values}

    def _match(self, declared: Values, handed: Values, found: dict[str, Values], depth: int) -> None:
        """Learn from what is handed over what the type variables of a declared type stand for."""
        if depth > _MAX_NESTED or not handed:
            return
        for item in declared:
            match item:
                case TypeVariable() if key_of(item) in found:
                    known = tuple(value for value in handed if not isinstance(value, Constant))
                    found[key_of(item)] = union([found[key_of(item)], known])
                case Elements(kind="dict", values=held):
                    self._match(held, union(self.item(value, ()) for value in handed), found, depth + 1)
                case Elements(items=items):
                    self._match(items, union(self.elements(value) for value in handed), found, depth + 1)
                case Instance():
                    self._match_instance(item, handed, found, depth)
                case Function():
                    wanted = self.filled(self.returned(item), self.meanings(item.receiver))
                    self._match(wanted, self._results(item, handed, found), found, depth + 1)
                case Shape():
                    self._match_object(item, handed, found, depth)
                case _:
                    pass

    def _results(self, declared: Function, handed: Values, found: Meanings) -> Values:
        """Return what functions give that are called as a declared type says, as far as it is known so far."""
        known = Given(tuple({**self.meanings(declared.receiver), **found}.items()))
        given = replace(declared, receiver=known)
        results: list[Values] = []
        for function in handed:
            if isinstance(function, Class):  # for `new () => T`
                results.append((Instance(function.path, function.index),))
            for value in self.returned(function) if isinstance(function, Function) else ():
                if isinstance(value, ParameterOf):
                    results.append(self.parameter_of(given, value.index))
                else:
                    results.append((value,))
        return union(results)

    def _match_instance(self, declared: Instance, handed: Values, found: dict[str, Values], depth: int) -> None:
        owner = Class(declared.path, declared.index)
        for value in handed:
            if isinstance(value, Class) and len(declared.arguments) == 1:  # `Type<T>`, of which the class is one
                self._match(declared.arguments[0], (Instance(value.path, value.index),), found, depth + 1)
            if not isinstance(value, Instance) or owner not in self.ancestors(Class(value.path, value.index)):
                continue
            known = self.meanings(value)
            for variable, wanted in zip(self._variables_of(owner), declared.arguments, strict=False):
                self._match(wanted, known.get(key_of(variable), ()), found, depth + 1)

    def _match_object(self, declared: Shape, handed: Values, found: dict[str, Values], depth: int) -> None:
        view = self.view(declared.path)
        for name in view.bound_names(declared.scope)[:_MAX_MEMBERS]:
            wanted = self.attribute(declared, name)
            if any(is_open(value, self.is_signature) for value in wanted):
                self._match(wanted, union(self.attribute(value, name) for value in handed), found, depth + 1)


def _is_symbol(key: Value) -> bool:
    return isinstance(key, External) and key.name.startswith("Symbol")


def _may_be_open(values: Values) -> bool:
    """Tell fast that values surely hold no type variable."""
    return any(type(value) not in _CLOSED for value in values)
