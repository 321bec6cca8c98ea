"""Types of TypeScript and of doc comments: what a thing annotated with an expression may be.

Names of types and names of values are looked up apart, as the language does. Type parameters are `TypeVariable`s, which
stand for their bounds where nothing tells more.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Callable, Iterable

from graph.extract.facts import (
    Attribute,
    CallExpr,
    ClassRef,
    Collection,
    Constant,
    Expr,
    FunctionRef,
    Name,
    Subscript,
    Union,
)
from graph.model import NodeKind
from graph.resolve.bindings import Binding
from graph.resolve.core import union
from graph.resolve.exports_javascript import exported_type, target_of_import
from graph.resolve.library_javascript import PRIMITIVES
from graph.resolve.names_javascript import ScriptNames
from graph.resolve.values import (
    Class,
    External,
    Function,
    Generic,
    Instance,
    Module,
    Shape,
    TypeVariable,
    Value,
    Values,
)
from graph.resolve.views import FileView
from graph.resolve.views_javascript import ScriptView

__all__ = ["MAX_DECLARATIONS", "ScriptTypes"]

MAX_DECLARATIONS = 100
"""Declarations of one name in one scope that make up a type; generated ones may be thousands."""

_HIDDEN = frozenset({"class", "object"})


class ScriptTypes(ScriptNames):
    """Reads annotations."""

    def types(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        found = self.open_types(view, scope, expr, line)
        if found and type(found[0]) is Generic:
            return union(value.items if isinstance(value, Generic) else (value,) for value in found)
        return found

    def open_types(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        """Return like `types` what an expression stands for, an alias with type parameters as a `Generic`."""
        match expr:
            case Name(id=name):
                return self._named_type(view, scope, name)
            case Union(options=options):
                return union(self.types(view, scope, option, line) for option in options)
            case FunctionRef(scope=body):
                return (Function(view.path, body),)
            case ClassRef(scope=body):
                return (Shape(view.path, body),)
            case Subscript(base=Name(id="typeof" | "<is>" as mark), index=index):
                return self.evaluate(view, scope, index, 0) if mark == "typeof" else ()
            case Subscript(base=Name(id="<T>"), index=Collection(values=written) as index):
                key = ("variable", id(index), view.path, 0)
                known = self.recall(key)
                return self.guarded(key, lambda: self._variable(view, scope, written, line)) if known is None else known
            case Subscript(base=Name(id="<generic>"), index=Collection(values=(body, *parameters))):
                variables = union(self.types(view, scope, item, line) for item in parameters)
                found = tuple(item for item in variables if isinstance(item, TypeVariable))
                return (Generic(self.types(view, scope, body, line), found),)
            case Subscript(base=base, index=argument):
                key = ("generic", id(expr), view.path, scope)
                known = self.recall(key)
                return (
                    self.guarded(key, lambda: self._generic(view, scope, base, argument, line))
                    if known is None
                    else known
                )
            case Attribute(base=base, name=name):
                return self._qualified(view, scope, base, name, line)
            case _:
                return ()

    def _named_type(self, view: FileView, scope: int, name: str) -> Values:
        if name in PRIMITIVES or not isinstance(view, ScriptView):
            return ()
        if name == "this":
            owner = view.facts.scopes[scope]
            if owner.kind == "class" and owner.definition >= 0:
                return (Instance(view.path, owner.definition, is_self=True),)
            return self.this(view, scope)
        return self.guarded(("script type", view.path, scope, name), lambda: self._type_in_scope(view, scope, name))

    def _type_in_scope(self, view: ScriptView, scope: int, name: str) -> Values:
        number = scope
        while number >= 0:
            facts = view.facts.scopes[number]
            if facts.kind not in _HIDDEN:
                found = self._type_here(view, number, name)
                if found is not None:
                    return found
            number = facts.parent
        return self.rules(view).external_type(self, name, ()) or ()

    def _type_here(self, view: ScriptView, number: int, name: str) -> Values | None:
        """Return what a type name means that this very scope binds, None when it does not."""
        alias = view.aliases[number].get(name)
        known = view.bindings(number, name)
        bindings = known.everything[:MAX_DECLARATIONS] if known is not None else []
        if alias is not None:
            definition = view.facts.definitions[alias]
            if definition.kind is NodeKind.INTERFACE:
                first = self.first_declared(view, [item.definition for item in bindings if item.definition >= 0])
                return (Instance(view.path, first if first >= 0 else alias),)
            if definition.annotation is None:
                return ()
            return self.open_types(view, number, definition.annotation, definition.start_line)
        for binding in bindings:
            found = self._bound_script_type(view, binding)
            if found is not None:
                return found
        return None

    @staticmethod
    def first_declared(view: FileView, indexes: Iterable[int]) -> int:
        """Return the declaration that speaks for all of its name: the class, else the first interface; -1 for none."""
        kinds = [(index, view.facts.definitions[index].kind) for index in indexes]
        classes = (index for index, kind in kinds if kind is NodeKind.CLASS)
        interfaces = (index for index, kind in kinds if kind is NodeKind.INTERFACE)
        return next(classes, next(interfaces, -1))

    def _bound_script_type(self, view: ScriptView, binding: Binding) -> Values | None:
        if binding.definition >= 0:
            kind = view.facts.definitions[binding.definition].kind
            if kind in (NodeKind.CLASS, NodeKind.ENUM, NodeKind.INTERFACE):
                return (Instance(view.path, binding.definition),)
            if kind is NodeKind.FUNCTION and view.language != "typescript":
                return (Shape(view.path, view.facts.definitions[binding.definition].scope),)  # a constructor function
            return None
        if binding.item is not None and binding.imported is not None:
            target = target_of_import(self, view, binding.item)
            if isinstance(target, Module):
                name = binding.imported.name or "="
                return exported_type(self, target.path, name) or (
                    self._instances(self.binding(view, binding)) if view.language != "typescript" else ()
                )
            return (External(f"{target.name}.{binding.imported.name}()"),) if target is not None else ()
        if binding.assign is not None and binding.assign.how == "type":
            return self.types(view, binding.scope, binding.assign.value, 0)
        if binding.assign is not None and binding.assign.how == "value":
            return self._instances(self.assigned(view, binding.scope, binding.assign)) or None
        return None

    def _instances(self, values: Values) -> Values:
        return union(self._made(value) for value in values)

    @staticmethod
    def _made(value: Value) -> Values:
        match value:
            case Class(path=path, index=index):
                return (Instance(path, index),)
            case Function(path=path, scope=scope):
                return (Shape(path, scope),)
            case _:
                return ()

    def _generic(self, view: FileView, scope: int, base: Expr, index: Expr, line: int) -> Values:
        written = index.values if isinstance(index, Collection) and index.type == "tuple" else (index,)
        if isinstance(base, Name) and not self._is_bound_type(view, scope, base.id):
            arguments = tuple(self.types(view, scope, item, line) for item in written)
            return self.rules(view).external_type(self, base.id, arguments) or ()
        return self.applied(
            self.open_types(view, scope, base, line),
            lambda: tuple(self.types(view, scope, item, line) for item in written),
        )

    def _variable(self, view: FileView, scope: int, written: tuple[Expr, ...], line: int) -> Values:
        place, name, bound = written
        if not isinstance(place, Constant) or not isinstance(name, Constant):
            return ()
        bounds = self.settled(self.types(view, scope, bound, line))
        return (TypeVariable(view.path, f"{place.value} {name.value}", bounds),)

    def applied(self, values: Values, arguments: Callable[[], tuple[Values, ...]]) -> Values:
        """Return types with their type arguments filled in."""
        raise NotImplementedError

    def settled_types(self, view: FileView, scope: int, annotation: Expr | None, line: int) -> Values:
        return self.settled(self.types(view, scope, annotation, line)) if annotation is not None else ()

    def settled(self, values: Values) -> Values:
        """Return types with their bounds in the place of type variables."""
        if not any(type(value) is TypeVariable for value in values):
            return values
        return union(value.bounds if isinstance(value, TypeVariable) else (value,) for value in values)

    def _is_bound_type(self, view: FileView, scope: int, name: str) -> bool:
        number = scope
        while number >= 0:
            if isinstance(view, ScriptView) and name in view.aliases[number]:
                return True
            if view.facts.scopes[number].kind not in _HIDDEN and view.binds(number, name):
                return True
            number = view.facts.scopes[number].parent
        return False

    def _qualified(self, view: FileView, scope: int, base: Expr, name: str, line: int) -> Values:
        """Return `ns.T`, `import("m").T`, and `T["property"]`."""
        spaces: Values = ()
        if isinstance(base, Name | Attribute | CallExpr):
            spaces = tuple(
                value for value in self.evaluate(view, scope, base, 0) if isinstance(value, Module | Shape | External)
            )
        found = union(self._type_member(value, name) for value in spaces)
        if found:
            return found
        return union(self.attribute(value, name) for value in self.types(view, scope, base, line))

    def _type_member(self, space: Value, name: str) -> Values:
        match space:
            case Module(path=path):
                return exported_type(self, path, name)
            case Shape(path=path, scope=scope):
                view = self.script(path)
                return self._type_here(view, scope, name) or () if view.facts.scopes[scope].kind == "module" else ()
            case External(name=outer):
                return (External(f"{outer}.{name}()"),)
            case _:
                return ()

    def classes(self, values: Values) -> list[Class]:
        """Return the classes among values."""
        return [value for value in values if isinstance(value, Class)]

    def made_by(self, values: Values) -> Values:
        """Return what functions return and classes construct: `ReturnType`, `InstanceType`."""
        made = (self.returned(value) for value in values if isinstance(value, Function))
        return union([*made, self._instances(tuple(self.classes(values)))])
