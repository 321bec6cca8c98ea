"""Annotations: from a type as written to what a thing of that type may be. Generics are read by erasure."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Collection, Expr, Import, Name, Subscript, Union
from graph.extract.facts import Constant as ConstantExpr
from graph.extract.python_annotations import quoted_annotation
from graph.resolve.bindings import Binding
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import Class, Elements, External, Instance, Module, Value, Values
from graph.resolve.views import FileView

__all__ = ["TypeReader"]


class TypeReader(EvaluatorCore):
    """Reads annotations, aliases and type variables."""

    def types(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        match expr:
            case Union(options=options):
                return union(self.types(view, scope, option, line) for option in options)
            case Name(id=name):
                return self._named(view, scope, name, line)
            case Attribute(base=base, name=name):
                alias = self._alias_in_module(view, scope, base, name, line)
                if alias:
                    return alias
                values = self.evaluate(view, scope, expr, line)
                return union(self._instance(value, view, scope) for value in values)
            case Subscript(base=base, index=index):
                return self._applied(view, scope, base, index, line)
            case ConstantExpr(type="str", value=text) if text and self.rules(view).strings_are_types:
                return self.types(view, scope, quoted_annotation(text, line), line)
            case CallExpr():
                return self._type_variable(view, scope, expr, line)
            case _:
                return ()

    def _named(self, view: FileView, scope: int, name: str, line: int) -> Values:
        """Return the type a name stands for; annotations may look ahead, so the line does not matter."""
        key = ("type", view.path, scope, name)
        return self.guarded(key, lambda: self._type_named(view, scope, name, line))

    def _type_named(self, view: FileView, scope: int, name: str, line: int) -> Values:
        found = self.find(view, scope, name)
        if found is None:
            alias = union(self._alias_by_star(view, star, name) for star in reversed(view.stars))
            return alias or union(self._instance(value, view, scope) for value in self.name(view, scope, name, line))
        bindings = view.bindings(found[0], name)
        if bindings is None:
            return ()
        return union(self._bound_type(view, scope, binding) for binding in bindings.reaching(0))

    def _bound_type(self, view: FileView, scope: int, binding: Binding) -> Values:
        if binding.assign is not None and binding.assign.how == "value":
            return self.types(view, binding.scope, binding.assign.value, binding.assign.line)
        if binding.item is not None and binding.imported is not None:
            alias = self._alias_elsewhere(view, binding)
            if alias is not None:
                return alias
        return union(self._instance(value, view, scope) for value in self.binding(view, binding))

    def _alias_in_module(self, view: FileView, scope: int, base: Expr, name: str, line: int) -> Values:
        """Return the type behind `module.Alias`."""
        if not isinstance(base, Name | Attribute):
            return ()
        modules = [value for value in self.evaluate(view, scope, base, line) if isinstance(value, Module)]
        return union(self._alias_of(module, name) for module in modules)

    def _alias_by_star(self, view: FileView, star: Import, name: str) -> Values:
        """Return the type behind an alias that came in by importing all."""
        target = self.rules(view).import_target(self.world, view.path, star)
        self.listen(target.listens)
        if not isinstance(target.value, Module):
            return ()
        other = self.view(target.value.path)
        other.asked.add(name)
        public = other.facts.public_names
        hidden = name.startswith("_") if public is None else name not in public
        return () if hidden else self._alias_of(target.value, name)

    def _alias_of(self, module: Value | None, name: str) -> Values:
        if not isinstance(module, Module):
            return ()
        other = self.view(module.path)
        return self._named(other, 0, name, 0) if other.facts.scopes and other.binds(0, name) else ()

    def _alias_elsewhere(self, view: FileView, binding: Binding) -> Values | None:
        """Return the type behind an imported alias (`from .typing import ResponseValue`), None if it is no alias."""
        if binding.item is None or binding.imported is None or not binding.imported.name:
            return None
        target = self.rules(view).import_target(self.world, view.path, binding.item)
        self.listen(target.listens)
        path = getattr(target.value, "path", None)
        if not isinstance(path, str):
            return None
        other = self.view(path)
        bindings = other.bindings(0, binding.imported.name) if other.facts.scopes else None
        if not bindings or any(item.definition >= 0 for item in bindings.everything):
            return None
        return self._named(other, 0, binding.imported.name, 0)

    def _class_around(self, view: FileView, scope: int) -> Class | None:
        number = scope
        while number > 0:
            facts = view.facts.scopes[number]
            if facts.kind == "class":
                return Class(view.path, facts.definition)
            number = facts.parent
        return None

    def _instance(self, value: Value, view: FileView, scope: int) -> Values:
        """Return what a thing is whose type is this value."""
        match value:
            case Class(path=path, index=index):
                return (Instance(path, index),)
            case External(name=name) if name.endswith(".Self"):
                owner = self._class_around(view, scope)
                return (Instance(owner.path, owner.index, is_self=True),) if owner else ()
            case External(name=name):
                found = self.rules(view).external_type(self, name, ())
                return (External(f"{name}()"),) if found is None else found
            case _:
                return ()

    def _applied(self, view: FileView, scope: int, base: Expr, index: Expr, line: int) -> Values:
        written = index.values if isinstance(index, Collection) and index.type == "tuple" else (index,)
        for value in self.evaluate(view, scope, base, line):
            if isinstance(value, Class):
                return (Instance(value.path, value.index),)
            if isinstance(value, External):
                arguments = tuple(self._type_argument(view, scope, item, line) for item in written)
                found = self.rules(view).external_type(self, value.name, arguments)
                if found is not None:
                    return found
        return self.types(view, scope, base, line)

    def _type_argument(self, view: FileView, scope: int, item: Expr, line: int) -> Values:
        """Return a type argument; the list in `Callable[[A, B], C]` as a tuple with one value a place."""
        if not isinstance(item, Collection):
            return self.types(view, scope, item, line)
        places = (self.types(view, scope, part, line) for part in item.values)
        return (Elements("tuple", tuple(found[0] if found else External("?") for found in places)),)

    def _type_variable(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        """Return the bound of `TypeVar("T", bound=X)` and the type behind `NewType("N", X)`."""
        for value in self.evaluate(view, scope, call.function, line):
            if isinstance(value, External) and value.name.endswith("TypeVar"):
                bounds = [item for key, item in call.keywords if key == "bound"] or list(call.arguments[1:])
                found = union(self.types(view, scope, bound, line) for bound in bounds)
                return tuple(item for item in found if isinstance(item, Instance | Class))
            if isinstance(value, External) and value.name.endswith("NewType"):
                return union(self.types(view, scope, item, line) for item in call.arguments[1:2])
        return ()
