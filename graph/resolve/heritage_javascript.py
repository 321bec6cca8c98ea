"""What types of TypeScript inherit: interfaces from interfaces, declarations of one name, and types that are no class.

`interface A extends B` and `class A implements B` name types, not values. `interface A extends typeof module`, an
object type or an array gives members without being a class: such a base is kept as the value it stands for.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from itertools import takewhile

from graph.extract.facts import Definition
from graph.model import NodeKind
from graph.resolve.core import union
from graph.resolve.evaluator_javascript import ScriptEvaluator
from graph.resolve.types_javascript import MAX_DECLARATIONS
from graph.resolve.values import Class, Elements, Instance, Literal, Module, Shape, Value, Values
from graph.resolve.views import FileView

__all__ = ["ScriptHeritage"]

_HEAD = frozenset({"generic", "extends"})
_DECLARING = frozenset({NodeKind.CLASS, NodeKind.INTERFACE})
_LOOSE = (Module, Shape, Literal)


class ScriptHeritage(ScriptEvaluator):
    """Hierarchies of classes and interfaces."""

    def _bases(self, owner: Class) -> Values:
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        written = tuple(
            Class(item.path, item.index) for item in self._written_bases(owner) if isinstance(item, Instance)
        )
        found = union([super()._bases(owner), written, self._merged(view, definition)])
        return tuple(item for item in found if item != owner)

    def _written_bases(self, owner: Class) -> Values:
        """Return what the bases of a class or an interface are as types."""
        return self.guarded(("written bases", owner), lambda: self._written_types(owner))

    def _written_types(self, owner: Class) -> Values:
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        head = takewhile(lambda item: item.how in _HEAD, view.facts.scopes[definition.scope].assigns)
        applied = [
            item.value for item in head if item.how == "extends"
        ]  # `extends Base<T>`: the base itself is a value
        bases = (*applied, *definition.bases, *definition.implements)
        return union(self.types(view, definition.owner, base, definition.start_line) for base in bases)

    def _merged(self, view: FileView, definition: Definition) -> Values:
        """Return the other declarations of a class or an interface: they are one type, spoken of by the first."""
        known = view.bindings(definition.owner, definition.name)
        everything = known.everything[:MAX_DECLARATIONS] if known is not None else []
        indexes = [item.definition for item in everything if item.definition >= 0]
        declared = [index for index in indexes if view.facts.definitions[index].kind in _DECLARING]
        first = self.first_declared(view, declared)
        if first < 0 or view.facts.definitions[first] is not definition:
            return ()
        return tuple(Class(view.path, index) for index in declared if index != first)

    def super_class(self, view: FileView, scope: int) -> Values:
        return tuple(item for item in super().super_class(view, scope) if self._has_constructor(item))

    def _has_constructor(self, value: Value) -> bool:
        """Tell whether a base is more than a type."""
        if not isinstance(value, Class):
            return True
        return self.view(value.path).facts.definitions[value.index].kind is not NodeKind.INTERFACE

    # -- bases that are no class --------------------------------------------------------------------------------------

    def _own_member(self, owner: Class, name: str) -> Values:
        return super()._own_member(owner, name) or union(
            self.attribute(base, name) for base in self._written_bases(owner) if isinstance(base, _LOOSE)
        )

    def elements(self, value: Value) -> Values:
        found = super().elements(value)
        if found or not isinstance(value, Instance):
            return found
        owner = Class(value.path, value.index)
        bases = union(self._written_bases(ancestor) for ancestor in self.ancestors(owner))
        return union(self.elements(base) for base in bases if isinstance(base, Elements))
