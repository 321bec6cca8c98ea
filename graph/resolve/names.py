"""Names: which bindings of which scope a name means at a line, and what those bindings hold."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Assign
from graph.resolve.bindings import Binding, Bindings
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    ParameterOf,
    Returning,
    TypeVariable,
    Values,
)
from graph.resolve.views import CLASS_KINDS, FileView

__all__ = ["NameLookup"]


_SIGNATURES = {Returning}


class NameLookup(EvaluatorCore):
    """Lexical scope and the order of assignments."""

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        found = self.find(view, scope, name)
        if found is None:
            return self._global(view, name)
        number, same_frame = found
        bindings = view.bindings(number, name)
        if bindings is None:
            return ()
        at = 0 if not same_frame or len(bindings.everything) == 1 else line
        key = ("name", view.path, number, name, at)
        known = self._memory.get(key)
        if known is not None:
            return known
        if same_frame and line and view.facts.scopes[number].kind == "class" and not bindings.is_bound(line):
            # `Field = Field` in the body of a class: what it names is still the one outside.
            return self.name(view, view.facts.scopes[number].parent, name, 0)
        return self.guarded(key, lambda: self.bound(view, bindings, at))

    def find(self, view: FileView, scope: int, name: str) -> tuple[int, bool] | None:
        """Return the scope that binds a name seen from a scope, and whether both run as one frame."""
        key = (scope, name)
        view.asked.add(name)
        if key not in view.finds:
            view.finds[key] = self._find(view, scope, name)
        return view.finds[key]

    def _find(self, view: FileView, scope: int, name: str) -> tuple[int, bool] | None:
        scopes = view.facts.scopes
        number, same_frame = view.binding_scope(scope, name), True
        if number != scope:
            same_frame = False
        while number >= 0:
            facts = scopes[number]
            if view.binds(number, name) and (
                facts.kind != "class" or (same_frame and self.rules(view).class_bodies_are_scopes)
            ):
                return number, same_frame
            if facts.kind != "comprehension":
                same_frame = False
            number = facts.parent
        return None

    def _global(self, view: FileView, name: str) -> Values:
        """Return a name that no scope binds itself: from star imports, else from the language."""
        if view.stars:
            found = self.guarded(("star", view.path, name), lambda: self._from_stars(view, name))
            if found:
                return found
        return view.rules.builtin(name)

    def _from_stars(self, view: FileView, name: str) -> Values:
        for star in reversed(view.stars):
            found = self.rules(view).star_value(self, view, star, name)
            if found:
                return found
        return ()

    def module_name(self, path: str, name: str) -> Values:
        view = self.view(path)
        if not view.facts.scopes:
            return ()
        bindings = view.bindings(0, name)
        if bindings:
            return self.guarded(("name", path, 0, name, 0), lambda: self.bound(view, bindings, 0))
        if view.stars:
            return self.guarded(("star", path, name), lambda: self._from_stars(view, name))
        return ()

    def bound(self, view: FileView, bindings: Bindings, line: int) -> Values:
        """Return what the bindings that reach a line hold; a declared type wins over what was assigned."""
        narrowed = bindings.narrowed(line)
        if narrowed is not None:
            return self.binding(view, narrowed)
        if bindings.declared:
            known = union(self.binding(view, binding) for binding in bindings.declared)
            if any(isinstance(value, Instance | Class | Elements) for value in known):
                return known
            # A type from outside or a bare signature says less than what was assigned.
            given = union(self.binding(view, binding) for binding in bindings.reaching(line))
            return union([tuple(value for value in given if not isinstance(value, Constant)), known])
        reaching = bindings.reaching(line)
        if len(reaching) == 1:
            return self.binding(view, reaching[0])
        return union(self.binding(view, binding) for binding in reaching)

    def binding(self, view: FileView, binding: Binding) -> Values:
        """Return what one binding holds."""
        if binding.definition >= 0:
            definition = view.facts.definitions[binding.definition]
            if definition.kind in CLASS_KINDS:
                return (Class(view.path, binding.definition),)
            return (Function(view.path, definition.scope),)
        if binding.parameter >= 0:
            return self.parameter(view, binding.scope, binding.parameter)
        if binding.assign is not None:
            return self.assigned(view, binding.scope, binding.assign)
        if binding.item is not None and binding.imported is not None:
            return self.rules(view).imported_value(self, view, binding.item, binding.imported.name)
        return ()

    def assigned(self, view: FileView, scope: int, assign: Assign) -> Values:
        """Return what an assignment gives to its target."""
        how, _, place = assign.how.partition(":")
        if how == "annotation":
            return self.types(view, scope, assign.value, assign.line)
        values = self.evaluate(view, scope, assign.value, assign.line)
        match how:
            case "value":
                return values
            case "iterate":
                values = union(self.elements(value) for value in values)
            case "enter":
                values = union(self.entered(value) for value in values)
            case "catch" | "narrow":
                return union(self.caught(value) for value in values)
            case "field":
                return union(self.attribute(value, place) for value in values)
            case "unpack":
                pass
            case _:
                return ()
        for part in place.split(":") if place else ():
            values = union([self.item(value, (Constant("int", part),)) for value in values])
        return values

    def caught(self, value: object) -> Values:
        """Return an instance of a class, or of each class in a tuple."""
        if isinstance(value, Class):
            return (Instance(value.path, value.index),)
        if isinstance(value, External):
            return (External(f"{value.name}()"),)
        if isinstance(value, Literal):
            return union(self.caught(item) for item in self.elements(value))
        return ()

    def parameter(self, view: FileView, scope: int, index: int) -> Values:
        """Return what a parameter may be: the receiver, its declared type, its default, what call sites hand over."""
        key = ("parameter", view.path, scope, index)
        known = self._memory.get(key)
        return known if known is not None else self.guarded(key, lambda: self._parameter(view, scope, index))

    def _parameter(self, view: FileView, scope: int, index: int) -> Values:
        parameter = view.parameters(scope)[index]
        outer = view.facts.scopes[scope].parent
        definition = view.definition_of(scope)
        line = definition.start_line if definition else 0
        declared: Values = ()
        if parameter.annotation is not None:
            declared = self.types(view, self.head_of(view, scope), parameter.annotation, line)
        handed = self.flows.get((view.path, scope, index), ())
        if parameter.kind == "rest":
            return (Elements("list", declared or handed),)
        if parameter.kind == "keyrest":
            return (Elements("dict", (), declared or handed),)
        if declared:
            kinds = {type(value) for value in declared}
            if TypeVariable in kinds:
                return self.generic_parameter(view, scope, index, declared)
            return union([handed, declared]) if kinds == _SIGNATURES else declared
        receiver = self._receiver(view, scope, index)
        if receiver:
            return receiver
        given = self.injected(view, scope, index)
        if given:
            return given
        default = self.evaluate(view, outer, parameter.default, line) if parameter.default is not None else ()
        default = tuple(value for value in default if not isinstance(value, Constant) or value.type != "none")
        return union([handed, default, (ParameterOf(view.path, scope, index),)])

    def head_of(self, view: FileView, scope: int) -> int:
        """Return the scope in which the types in the head of a function are read: the one around it."""
        return view.facts.scopes[scope].parent

    def generic_parameter(self, view: FileView, scope: int, index: int, declared: Values) -> Values:
        """Return what a parameter is whose type has variables in it."""
        del view, scope, index
        return declared

    def _receiver(self, view: FileView, scope: int, index: int) -> Values:
        if index != 0 or not self.rules(view).first_parameter_is_self:
            return ()
        owner = view.class_around(scope)
        definition = view.definition_of(scope)
        if owner < 0 or definition is None or "static" in definition.modifiers:
            return ()
        if "classmethod" in definition.modifiers or definition.name in ("__new__", "__init_subclass__"):
            return (Class(view.path, owner),)
        return (Instance(view.path, owner, is_self=True),)
