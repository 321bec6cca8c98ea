"""Generic types of Python: what type variables stand for, told by a receiver's type arguments or by a call.

`Repo[User]().get()` gives a User where `get` is declared to give T; so does `UserRepo().get()` for a
`class UserRepo(Repo[User])`, and `first(users)` for a `def first(items: list[T]) -> T`. A variable that nothing tells
stands for its bound.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from graph.extract.facts import CallExpr, Collection, Expr, Name, Subscript
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.generics import names_of
from graph.resolve.typevars_python import last_name, match_type
from graph.resolve.values import Class, Elements, External, Function, Instance, Returning, TypeVariable, Value, Values
from graph.resolve.views import FileView
from graph.resolve.world import World

__all__ = ["GenericTypes"]

_MAX_DEPTH = 3
"""Type arguments inside of type arguments are followed so deep."""

Meaning = Callable[[TypeVariable], Values | None]


class GenericTypes(EvaluatorCore):
    """Keeps type arguments and fills in type variables."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._type_parameters: dict[Class, tuple[str, ...]] = {}
        self._meanings: dict[tuple[Instance | Class, Class], dict[str, Values]] = {}

    def forget(self) -> None:
        super().forget()
        self._meanings.clear()

    # -- type parameters of classes -------------------------------------------------------------------------------

    def type_parameters(self, owner: Class) -> tuple[str, ...]:
        """Return the names of the type parameters of a class in their order; nearly always there are none."""
        known = self._type_parameters.get(owner)
        if known is None:
            known = self._type_parameters[owner] = ()  # a class that names itself in its bases asks for itself
            known = self._type_parameters[owner] = tuple(dict.fromkeys(self._parameters_of(owner)))
        return known

    def _parameters_of(self, owner: Class) -> list[str]:
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        if definition.scope < 0:
            return []
        assigns = view.facts.scopes[definition.scope].assigns
        written = [item.target.id for item in assigns if item.how == "type" and isinstance(item.target, Name)]
        applied = [base for base in definition.bases if isinstance(base, Subscript)]
        if written or not applied:
            return written
        listed = [base for base in applied if last_name(base.base) in ("Generic", "Protocol")] or applied
        names = [name for base in listed for name in names_of(base.index)]
        return [name for name in names if self._is_variable(view, definition.owner, name)]

    def _is_variable(self, view: FileView, scope: int, name: str) -> bool:
        return any(isinstance(value, TypeVariable) for value in self.types(view, scope, Name(name), 0))

    def meanings(self, receiver: Instance | Class, owner: Class) -> dict[str, Values]:
        """Return what the type parameters of a class stand for as seen from a receiver that inherits from it."""
        key = (receiver, owner)
        known = self._meanings.get(key)
        if known is None:
            self._meanings[key] = {}
            arguments = receiver.arguments if isinstance(receiver, Instance) else ()
            start = Class(receiver.path, receiver.index)
            known = self._meanings[key] = self._seen_from(start, arguments, owner, 0) or {}
        return known

    def _seen_from(
        self, start: Class, arguments: tuple[Values, ...], owner: Class, depth: int
    ) -> dict[str, Values] | None:
        own = dict(zip(self.type_parameters(start), arguments, strict=False))
        if start == owner or depth > _MAX_DEPTH * 2:
            return own if start == owner else None
        view = self.view(start.path)
        definition = view.facts.definitions[start.index]
        for base in definition.bases:
            written = base.base if isinstance(base, Subscript) else base
            for value in self.evaluate(view, definition.owner, written, definition.start_line):
                if isinstance(value, Class) and owner in self.ancestors(value):
                    given = self._arguments(view, definition.owner, base, definition.start_line)
                    given = tuple(self._filled_in(item, lambda found: own.get(found.name)) for item in given)
                    return self._seen_from(value, given, owner, depth + 1)
        return None

    def _arguments(self, view: FileView, scope: int, applied: Expr, line: int) -> tuple[Values, ...]:
        """Return the type arguments of `Base[A, B]`, none where it has none."""
        if not isinstance(applied, Subscript):
            return ()
        index = applied.index
        written = index.values if isinstance(index, Collection) and index.type == "tuple" else (index,)
        return tuple(self.types(view, scope, item, line) for item in written)

    # -- filling in -----------------------------------------------------------------------------------------------

    def _filled_in(self, values: Values, meaning: Meaning) -> Values:
        if not any(is_open(value) for value in values):
            return values
        return union(self._replaced(value, meaning, 0) for value in values)

    def _replaced(self, value: Value, meaning: Meaning, depth: int) -> Values:
        if depth > _MAX_DEPTH:
            return (value,)
        inside = depth + 1
        match value:
            case TypeVariable(is_class=is_class):
                found = meaning(value)
                if found is None:
                    return (value,)
                return (
                    tuple(Class(item.path, item.index) for item in found if isinstance(item, Instance))
                    if (is_class)
                    else found
                )
            case Instance(arguments=arguments) if arguments:
                given = tuple(union(self._replaced(item, meaning, inside) for item in some) for some in arguments)
                return (replace(value, arguments=given),)
            case Elements(kind="tuple", items=items):
                places = (self._replaced(item, meaning, inside) for item in items)
                return (Elements("tuple", tuple(found[0] if found else External("?") for found in places)),)
            case Elements(kind=kind, items=items, values=held):
                return (
                    Elements(
                        kind,
                        union(self._replaced(item, meaning, inside) for item in items),
                        union(self._replaced(item, meaning, inside) for item in held),
                    ),
                )
            case Returning(items=items, parameters=parameters):
                return (Returning(union(self._replaced(item, meaning, inside) for item in items), parameters),)
            case _:
                return (value,)

    def filled_by_receiver(self, values: Values, receiver: Value | None, owner: Class | None) -> Values:
        """Return values with the type parameters of `owner` as the receiver knows them."""
        if owner is None or not isinstance(receiver, Instance | Class) or not any(is_open(value) for value in values):
            return values
        known = self.meanings(receiver, owner)
        return self._filled_in(values, lambda found: known.get(found.name))

    def filled_by_call(
        self, function: Function, values: Values, call: CallExpr | None, view: FileView, scope: int
    ) -> Values:
        """Return what a function gives, with its type variables as its receiver and its arguments tell them."""
        if not any(is_open(value) for value in values):
            return values
        target = self.view(function.path)
        index = target.class_around(function.scope)
        owner = Class(function.path, index) if index >= 0 else None
        values = self.filled_by_receiver(values, function.receiver, owner)
        if call is None or not any(is_open(value) for value in values):
            return values
        return self._filled_in(values, lambda found: self.told(function, found.name, call, view, scope) or None)

    def told(self, function: Function, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        """Return what the arguments of a call say of a type variable of the function."""
        target = self.view(function.path)
        found: list[Values] = []
        for index, parameter in enumerate(target.parameters(function.scope)):
            if parameter.annotation is not None and name in names_of(parameter.annotation):
                given = self.argument(function, index, call, view, scope)
                if given:
                    found.append(match_type(self, parameter.annotation, name, given))
        return union(found)

    def made(self, owner: Class, call: CallExpr | None, view: FileView, scope: int) -> Instance:
        """Return the instance that calling a class makes, with its type arguments as far as the call tells them."""
        parameters = self.type_parameters(owner) if call is not None else ()
        if call is None or not parameters:
            return Instance(owner.path, owner.index)
        if isinstance(call.function, Subscript):
            return Instance(owner.path, owner.index, arguments=self._arguments(view, scope, call.function, call.line))
        for value in self.member(owner, "__init__"):
            if isinstance(value, Function):
                bound = Function(value.path, value.scope, Instance(owner.path, owner.index))
                return self._with(owner, [self.told(bound, name, call, view, scope) for name in parameters])
        return self._with(owner, [self._told_by_fields(owner, name, call, view, scope) for name in parameters])

    def _with(self, owner: Class, arguments: list[Values]) -> Instance:
        shallow = tuple(tuple(item for item in found if _depth(item) < _MAX_DEPTH) for found in arguments)
        return Instance(owner.path, owner.index, arguments=shallow if any(shallow) else ())

    def _told_by_fields(self, owner: Class, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
        """Return what the arguments of a dataclass, which are its fields in order, say of a type parameter."""
        target = self.view(owner.path)
        body = target.facts.scopes[target.facts.definitions[owner.index].scope]
        fields = [item for item in body.assigns if item.how == "annotation" and isinstance(item.target, Name)]
        named = dict(call.keywords)
        found: list[Values] = []
        for place, field in enumerate(fields):
            label = field.target.id if isinstance(field.target, Name) else ""
            written = named.get(label) or (call.arguments[place] if place < len(call.arguments) else None)
            if written is not None and name in names_of(field.value):
                found.append(match_type(self, field.value, name, self.evaluate(view, scope, written, call.line)))
        return union(found)

    def argument(self, function: Function, index: int, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return what a call hands to a parameter; the reader of calls says how."""
        raise NotImplementedError


def is_open(value: Value) -> bool:
    """Tell whether a value holds a type variable."""
    match value:
        case TypeVariable():
            return True
        case Instance(arguments=arguments):
            return any(is_open(item) for some in arguments for item in some)
        case Elements(items=items, values=held):
            return any(is_open(item) for item in items) or any(is_open(item) for item in held)
        case Returning(items=items):
            return any(is_open(item) for item in items)
        case _:
            return False


def _depth(value: Value) -> int:
    arguments = value.arguments if isinstance(value, Instance) else ()
    return 1 + max((_depth(item) for some in arguments for item in some), default=0)
