"""What expressions of Go stand for, where the language differs from the common rules.

The files of a package are one scope, a type's methods may stand in any of them, a named type has an underlying one,
types are written where values are, and ranging gives pairs.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Assign, CallExpr, ClassRef, Collection, Expr, Subscript
from graph.model import NodeKind
from graph.resolve.bindings import Binding
from graph.resolve.core import union
from graph.resolve.generics import GenericHeads
from graph.resolve.rules_go import GO_RULES
from graph.resolve.signals import folder_signal
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    Package,
    Returning,
    Shape,
    Value,
    Values,
)
from graph.resolve.views import FileView

__all__ = ["GoEvaluator"]


class GoEvaluator(GenericHeads):
    """The common evaluator with packages, embedding and underlying types."""

    # -- packages -------------------------------------------------------------------------------------------------

    def _global(self, view: FileView, name: str) -> Values:
        """Return a name that the file does not bind: of another file of the package, an import, or the language."""
        packages = GO_RULES.packages(self.world)
        self.depend_on_package(view.path)
        for path in packages.beside(self.world, view.path, name):
            found = self.module_name(path, name)
            if found:
                return union(self.module_name(other, name) for other in packages.beside(self.world, view.path, name))
        return self._by_clause(view, name) or super()._global(view, name)

    def depend_on_package(self, path: str) -> None:
        """Make the result depend on all files of a package: any of them may define what was looked for."""
        folder = path.rpartition("/")[0]
        self.listen((folder_signal(folder), *GO_RULES.packages(self.world).modules.files.get(folder, ())))

    def _by_clause(self, view: FileView, name: str) -> Values:
        """Return an imported package whose name is not the last part of its path."""
        for item in view.facts.imports:
            if item.kind != "module" or item.names[0].alias == name:
                continue
            target = GO_RULES.import_target(self.world, view.path, item)
            self.listen(target.listens)
            if isinstance(target.value, Package):
                self.listen(GO_RULES.packages(self.world).modules.files.get(target.value.folder, ()))
                if GO_RULES.packages(self.world).clause(self.world, target.value.folder) == name:
                    return (target.value,)
        return ()

    def package_member(self, folder: str, name: str) -> Values:
        return GO_RULES.package_member(self, folder, name)

    # -- types ----------------------------------------------------------------------------------------------------

    def binding(self, view: FileView, binding: Binding) -> Values:
        if binding.definition >= 0 and view.facts.definitions[binding.definition].kind is NodeKind.TYPE:
            return (Class(view.path, binding.definition),)
        return super().binding(view, binding)

    def _bound_type(self, view: FileView, scope: int, binding: Binding) -> Values:
        if binding.assign is not None and binding.assign.how == "type":
            return self.types(view, binding.scope, binding.assign.value, binding.assign.line)
        return super()._bound_type(view, scope, binding)

    def types(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        if isinstance(expr, ClassRef):
            return (Shape(view.path, expr.scope),)
        if isinstance(expr, Collection):
            places = (self.types(view, scope, item, line) for item in expr.values)
            return (Elements("tuple", tuple(found[0] if found else External("?") for found in places)),)
        return super().types(view, scope, expr, line)

    def _type_argument(self, view: FileView, scope: int, item: Expr, line: int) -> Values:
        if isinstance(item, Collection) and item.type == "tuple":
            return self.types(view, scope, item, line)
        return super()._type_argument(view, scope, item, line)

    def underlying(self, value: Value) -> Values:
        """Return what a value of a named type may be used as: `type Names []Name` is a slice too."""
        if not isinstance(value, Instance):
            return ()
        view = self.view(value.path)
        definition = view.facts.definitions[value.index]
        if definition.kind is not NodeKind.TYPE or definition.annotation is None:
            return ()
        of = definition.annotation
        key = ("underlying", value.path, value.index)
        return self.guarded(key, lambda: self.types(view, definition.owner, of, definition.start_line))

    # -- members --------------------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Values:
        if isinstance(value, Shape):
            bindings = self.view(value.path).bindings(value.scope, name)
            return self.bound(self.view(value.path), bindings, 0) if bindings is not None else ()
        return super().attribute(value, name)

    def own_member(self, owner: Class, name: str) -> Values:
        found = super().own_member(owner, name)
        if found:
            return found
        definition = self.view(owner.path).facts.definitions[owner.index]
        if definition.owner != 0:
            return ()
        self.depend_on_package(owner.path)
        elsewhere = GO_RULES.packages(self.world).methods(self.world, owner.path, definition.name, name)
        return tuple(Function(path, scope) for path, scope in elsewhere)

    def member_below(self, owner: Class, name: str) -> Values:
        del owner, name
        return ()

    # -- values ---------------------------------------------------------------------------------------------------

    def assigned(self, view: FileView, scope: int, assign: Assign) -> Values:
        how, _, place = assign.how.partition(":")
        match how:
            case "type":
                return self.evaluate(view, scope, assign.value, assign.line)
            case "narrow":
                return self.types(view, scope, assign.value, assign.line)
            case "iterate":
                values = self.evaluate(view, scope, assign.value, assign.line)
                return union(self._ranged(value, place) for value in values)
            case _:
                return super().assigned(view, scope, assign)

    def _ranged(self, value: Value, place: str) -> Values:
        """Return the first or second of what ranging over a value gives."""
        if isinstance(value, Instance):
            return union(self._ranged(item, place) for item in self.underlying(value))
        if isinstance(value, Elements) and value.kind == "iterator":
            return value.items if place == "0" else ()
        if isinstance(value, Elements) and value.kind == "dict":
            return value.items if place == "0" else value.values
        if place == "1" and isinstance(value, Elements | Literal):
            return self.item(value, ())
        return ()

    def item(self, value: Value, keys: Values) -> Values:
        match value:
            case Function():
                return (value,)  # type arguments
            case External(name=name):
                return (External(f"{name}[]"),)  # a part of what comes from outside comes from outside too
            case Instance():
                return union(self.item(item, keys) for item in self.underlying(value))
            case Elements(kind="list" | "iterator") if any(
                isinstance(key, Constant) and key.type == "slice" for key in keys
            ):
                return value.items
            case _:
                return super().item(value, keys)

    def _call(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        if call.constructs:
            return self.types(view, scope, call.function, line)
        return super()._call(view, scope, call, line)

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        if isinstance(value, Instance):
            return union(item.items for item in self.underlying(value) if isinstance(item, Returning))
        return super().called(value, call, view, scope)

    def _returned(self, function: Function) -> Values:
        found = super()._returned(function)
        if not found or not all(isinstance(value, Returning) for value in found):
            return found
        view = self.view(function.path)
        definition = view.definition_of(function.scope)
        end = definition.end_line + 1 if definition else 0
        given = view.facts.scopes[function.scope].returns
        return union([*(self.evaluate(view, function.scope, item, end) for item in given), found])

    def _indexed(self, view: FileView, scope: int, base: Expr, index: Expr, line: int) -> Values:
        values = self.evaluate(view, scope, base, line)
        if any(isinstance(value, External) and value.name in _MAKERS for value in values):
            return self.types(view, scope, Subscript(base, index), line)
        keys = self.evaluate(view, scope, index, line) if values else ()
        return union(self.item(value, keys) for value in values)


_MAKERS = frozenset({"builtins.[]", "builtins.map", "builtins.chan", "builtins.func"})
