"""What expressions of Rust stand for, where the language differs from the common rules.

Methods of a type may stand in any file of its crate; options, results and smart pointers are taken for what they hold.
Names and paths are in `names_rust`.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Assign, CallExpr, Collection, Expr, Subscript
from graph.model import NodeKind
from graph.resolve.bindings import Binding
from graph.resolve.core import union
from graph.resolve.implementations_rust import CrateIndex
from graph.resolve.library_rust import ASKING, PASSING, TAKING
from graph.resolve.names_rust import RustNames
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    Method,
    Shape,
    Value,
    Values,
)
from graph.resolve.views import FileView

__all__ = ["RustEvaluator"]


class RustEvaluator(RustNames):
    """The common evaluator with implementations, traits and the types of the library."""

    # -- bindings and types -----------------------------------------------------------------------------------------

    def binding(self, view: FileView, binding: Binding) -> Values:
        if binding.definition >= 0:
            definition = view.facts.definitions[binding.definition]
            if definition.kind is NodeKind.MODULE:
                return (Shape(view.path, definition.scope),)
        return super().binding(view, binding)

    def assigned(self, view: FileView, scope: int, assign: Assign) -> Values:
        if assign.how == "type":
            return self._type_value(view, scope, assign.value, assign.line)
        return super().assigned(view, scope, assign)

    def _bound_type(self, view: FileView, scope: int, binding: Binding) -> Values:
        if binding.assign is not None and binding.assign.how == "type":
            return self.types(view, binding.scope, binding.assign.value, binding.assign.line)
        return union(self._instance(value, view, scope) for value in self.binding(view, binding))

    def types(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        if isinstance(expr, Collection):
            places = (self.types(view, scope, item, line) for item in expr.values)
            return (Elements("tuple", tuple(found[0] if found else External("?") for found in places)),)
        return super().types(view, scope, expr, line)

    def _type_argument(self, view: FileView, scope: int, item: Expr, line: int) -> Values:
        return self.types(view, scope, item, line)

    # -- members --------------------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Values:
        if isinstance(value, Shape):
            return self.in_module(value.path, value.scope, name)
        if isinstance(value, External):
            return (External(f"{value.name}::{name}"),)
        found = super().attribute(value, name)
        if not found and isinstance(value, Instance | Function) and (name in PASSING or name in ASKING):
            return (Method(value, name),)
        return found

    def member_below(self, owner: Class, name: str) -> Values:
        del owner, name
        return ()

    def own_member(self, owner: Class, name: str) -> Values:
        found = super().own_member(owner, name) or self._elsewhere(owner, name)
        return union([found, self._beside_field(owner, name)]) if found else ()

    def _beside_field(self, owner: Class, name: str) -> Values:
        """Return the methods of a type that has a field of the same name: parentheses tell them apart."""
        view = self.view(owner.path)
        scope = view.facts.definitions[owner.index].scope
        bindings = view.bindings(scope, name) if scope >= 0 else None
        if bindings is None or not bindings.declared:
            return ()
        return union(self.binding(view, item) for item in bindings.values if item.definition >= 0)

    def _elsewhere(self, owner: Class, name: str) -> Values:
        """Return a member from the `impl` blocks that stand apart from their type."""
        return self.guarded(("elsewhere", owner, name), lambda: self._from_blocks(owner, name))

    def _from_blocks(self, owner: Class, name: str) -> Values:
        found: list[Values] = []
        for path, scope in self._blocks(owner):
            view = self.view(path)
            if view.binds(scope, name) and owner in self.extended(path, scope):
                bindings = view.bindings(scope, name)
                found.append(self.bound(view, bindings, 0) if bindings is not None else ())
        return union(found)

    def _blocks(self, owner: Class) -> list[tuple[str, int]]:
        name = self.view(owner.path).facts.definitions[owner.index].name
        return self._crate(owner.path).blocks.get(name, [])

    def _crate(self, path: str) -> CrateIndex:
        """Return the implementations of a crate; any of its files may hold one, so all of them are depended on."""
        root = self.modules.root(path)
        files = self.modules.crate_files(root)
        self.listen(files)
        self.listen(self.modules.asked(path))
        self.listen(self.modules.crate_listens(root))
        return self.world.index(f"rust {root}", lambda world: CrateIndex(world, files))

    def _bases(self, owner: Class) -> Values:
        apart = [
            self._assigned_in(path, scope, "impl")
            for path, scope in self._blocks(owner)
            if owner in self.extended(path, scope)
        ]
        return union([super()._bases(owner), *apart])

    def _macro(self, view: FileView, name: str) -> Values:
        """Return a macro of the crate by its name, where only one has it; macros have a name space of their own."""
        found = self._crate(view.path).macros.get(name, [])
        own = [item for item in found if item[0] == view.path]
        return tuple(Class(path, index) for path, index in (own or found)) if len(own or found) == 1 else ()

    # -- calls ----------------------------------------------------------------------------------------------------

    def _call(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        if call.constructs:
            return self.types(view, scope, call.function, line)
        return super()._call(view, scope, call, line)

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        if isinstance(value, Class) and self._kind(value) is NodeKind.MACRO:
            return ()
        return super().called(value, call, view, scope)

    def _kind(self, value: Class) -> NodeKind:
        return self.view(value.path).facts.definitions[value.index].kind

    def container_call(self, method: Method, call: CallExpr | None, view: FileView, scope: int) -> Values:
        del call, view, scope
        owner, name = method.owner, method.name
        if not isinstance(owner, Elements | Literal):
            return (owner,) if name in PASSING else ()
        if name in TAKING:
            return self.item(owner, ()) if name in ("get", "get_mut", "remove") else self.elements(owner)
        if name in ("values", "values_mut", "into_values"):
            return (Elements("list", owner.values if isinstance(owner, Elements) else ()),)
        if name in ("keys", "into_keys"):
            return (Elements("list", owner.items if isinstance(owner, Elements) else ()),)
        if name in ("map", "flat_map", "filter_map", "fold", "and_then", "len", "is_empty", "contains", "zip"):
            return ()
        if name == "enumerate":
            held = self.elements(owner)
            return tuple(Elements("list", (Elements("tuple", (External("usize"), item)),)) for item in held)
        return (owner,)

    def item(self, value: Value, keys: Values) -> Values:
        if isinstance(value, External):
            return (External(f"{value.name}[]"),)  # a part of what comes from outside comes from outside too
        if isinstance(value, Instance):
            wanted = [key.value for key in keys if isinstance(key, Constant) and key.type == "variant"]
            if wanted:
                return self._payload(value, wanted[0])
        return super().item(value, keys)

    def _payload(self, value: Instance, wanted: str) -> Values:
        """Return a field of a variant: `Kind.Named:0` is the first one of `Kind::Named(...)`."""
        path, _, place = wanted.rpartition(":")
        view = self.view(value.path)
        scope = view.facts.definitions[value.index].scope
        bindings = view.bindings(scope, path.rpartition(".")[2]) if scope >= 0 else None
        for binding in bindings.declared if bindings is not None else []:
            of = binding.assign.value if binding.assign is not None else None
            if isinstance(of, Subscript) and isinstance(of.index, Collection):
                fields = of.index.values[0]
                if isinstance(fields, Collection) and int(place) < len(fields.values):
                    return self.types(view, scope, fields.values[int(place)], binding.line)
        return ()

    def elements(self, value: Value) -> Values:
        if isinstance(value, Elements) and value.kind == "dict":
            keys = value.items or (External("?"),)
            return tuple(Elements("tuple", (keys[0], item)) for item in value.values)
        return super().elements(value)
