"""Generic types of TypeScript: type arguments, and what type parameters stand for as seen from a receiver.

`repo.find()` gives a User for a `repo: Repo<User>` and for a `class Users extends Repo<User>`. A parameter that nothing
tells stands for its bound.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile

from msgspec.structs import replace

from graph.resolve.core import union
from graph.resolve.heritage_javascript import ScriptHeritage
from graph.resolve.typevars_javascript import is_open, key_of, substituted
from graph.resolve.values import Class, Function, Generic, Given, Instance, Shape, TypeVariable, Value, Values
from graph.resolve.views import FileView
from graph.resolve.world import World

__all__ = ["Meanings", "ScriptGenerics"]

_MAX_HEIGHT = 12
"""Bases above each other whose type arguments are followed."""

Meanings = Mapping[str, Values]
"""What type variables stand for, by their keys."""


class ScriptGenerics(ScriptHeritage):
    """Keeps type arguments and fills in type variables."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._meanings: dict[Instance, dict[str, Values]] = {}

    def forget(self) -> None:
        super().forget()
        self._meanings.clear()

    # -- type parameters --------------------------------------------------------------------------------------------

    def variables(self, view: FileView, scope: int) -> tuple[TypeVariable, ...]:
        """Return the type parameters of the function or class whose body is a scope; nearly always there are none."""
        head = [item.value for item in takewhile(lambda item: item.how == "generic", view.facts.scopes[scope].assigns)]
        if not head:
            return ()
        found = union(self.types(view, scope, item, 0) for item in head)
        return tuple(item for item in found if isinstance(item, TypeVariable))

    def _variables_of(self, owner: Class) -> tuple[TypeVariable, ...]:
        view = self.view(owner.path)
        return self.variables(view, view.facts.definitions[owner.index].scope)

    def applied(self, values: Values, arguments: Callable[[], tuple[Values, ...]]) -> Values:
        return union(self._applied_to(value, arguments) for value in values)

    def _applied_to(self, value: Value, arguments: Callable[[], tuple[Values, ...]]) -> Values:
        match value:
            case Generic(items=items, parameters=parameters):
                given = zip(parameters, arguments(), strict=False)
                return self.filled(items, {key_of(variable): found for variable, found in given})
            case Instance(path=path, index=index, arguments=()) if self._variables_of(Class(path, index)):
                found = arguments()
                return (replace(value, arguments=found) if any(found) else value,)
            case _:
                return (value,)

    # -- what they stand for ----------------------------------------------------------------------------------------

    def meanings(self, receiver: Value | None) -> Meanings:
        """Return what type variables stand for as seen from a receiver."""
        if isinstance(receiver, Given):
            return dict(receiver.meanings)
        if not isinstance(receiver, Instance):
            return {}
        known = self._meanings.get(receiver)
        if known is None:
            known = self._meanings[receiver] = {}
            self._learn(Class(receiver.path, receiver.index), receiver.arguments, known, {}, 0)
        return known

    def _learn(
        self, owner: Class, arguments: tuple[Values, ...], known: dict[str, Values], seen: dict[Class, int], depth: int
    ) -> None:
        if depth > _MAX_HEIGHT or (owner in seen and not arguments):
            return
        seen[owner] = depth
        for variable, given in zip(self._variables_of(owner), arguments, strict=False):
            known.setdefault(key_of(variable), given)
        view = self.view(owner.path)
        for other in self._merged(view, view.facts.definitions[owner.index]):
            if isinstance(other, Class):
                self._learn(other, arguments, known, seen, depth + 1)
        for base in self._written_bases(owner):
            if isinstance(base, Instance):
                told = tuple(self.filled(item, known) for item in base.arguments)
                self._learn(Class(base.path, base.index), told, known, seen, depth + 1)

    def filled(self, values: Values, meanings: Meanings) -> Values:
        """Return values with their type variables replaced by what they stand for."""
        if not meanings or not any(is_open(value, self.is_signature) for value in values):
            return values
        return union(substituted(value, meanings, self.is_signature, 0) for value in values)

    def is_signature(self, value: Function | Shape) -> bool:
        """Tell whether a function or an object is but a type that is written out: it may mention type variables."""
        facts = self.view(value.path).facts.scopes[value.scope]
        if isinstance(value, Shape):
            return facts.kind == "class" and facts.definition < 0
        outer = self.view(value.path).facts.scopes[facts.parent]
        is_member = outer.kind == "class" and outer.definition < 0  # of an object type that has a name
        return (facts.definition < 0 or is_member) and (
            facts.return_annotation is not None or any(item.annotation is not None for item in facts.parameters)
        )
