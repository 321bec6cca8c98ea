"""Names and paths of Rust: lexical scope, modules, crates, globs, and what `Self`, `self`, `super` and `crate` mean.

Modules do not see the names of the module around them; paths begin at a crate, a module or a name in scope.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import Expr, Import, Name
from graph.resolve.core import union
from graph.resolve.generics import GenericHeads
from graph.resolve.modules_rust import Place, RustModules
from graph.resolve.rules_rust import RUST_RULES
from graph.resolve.values import Class, External, Instance, Module, Shape, Value, Values
from graph.resolve.views import FileView

__all__ = ["RustNames"]

_MEMBERS = frozenset({"class", "extension"})


class RustNames(GenericHeads):
    """Names, paths and modules; what members and types are is for the evaluator to say."""

    @property
    def modules(self) -> RustModules:
        """The index of modules."""
        return RUST_RULES.modules(self.world)

    # -- names ----------------------------------------------------------------------------------------------------

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        match name:
            case "Self":
                return self.own_type(view, scope)
            case "self::":
                return self._module(self.modules.module_of(view, scope))
            case "super" | "crate":
                return self.first(view, scope, name)
            case _ if name.endswith("!"):
                return self._macro(view, name[:-1]) or (External(name),)
            case _:
                scope, line = self._visible(view, scope, name, line)
                is_bound = not view.stars or self.find(view, scope, name) is not None
                found = () if is_bound else self._by_globs(view, scope, name)
                return found or super().name(view, scope, name, line)

    def _visible(self, view: FileView, scope: int, name: str, line: int) -> tuple[int, int]:
        """Return where a name is looked up: `let` binds from its own line on, before that it is another's name."""
        while line > 0 and (found := self.find(view, scope, name)) is not None:
            number, same_frame = found
            bindings = view.bindings(number, name) if same_frame and number > 0 else None
            if bindings is None or any(item.assign is None or item.line < line for item in bindings.everything):
                break
            scope, line = view.facts.scopes[number].parent, 0
        return scope, line

    def _by_globs(self, view: FileView, scope: int, name: str) -> Values:
        """Return a name that comes in by a glob of the module or of a block around a scope."""
        module = self.modules.module_of(view, scope).scope
        key = ("globs", view.path, module, name)
        return self.guarded(key, lambda: self._from_globs(view, module, name))

    def _from_globs(self, view: FileView, module: int, name: str) -> Values:
        for star in view.stars:
            if self.modules.module_of(view, star.scope).scope == module:
                values = self.imported(view, star, "")
                inside = tuple(value for value in values if not isinstance(value, External))
                found = union(self.attribute(value, name) for value in inside)
                if found:
                    return found
        return ()

    def _receiver(self, view: FileView, scope: int, index: int) -> Values:
        if index != 0 or view.parameters(scope)[0].name != "self":
            return ()
        owner = view.facts.scopes[scope].parent
        if view.facts.scopes[owner].kind == "extension":
            found = self.extended(view.path, owner)
            return tuple(Instance(item.path, item.index) for item in found if isinstance(item, Class))
        return super()._receiver(view, scope, index)

    def find(self, view: FileView, scope: int, name: str) -> tuple[int, bool] | None:
        number, same_frame = scope, True
        while number >= 0:
            facts = view.facts.scopes[number]
            if facts.kind not in _MEMBERS and view.binds(number, name):
                return number, same_frame
            if facts.kind in _MEMBERS and self._is_type_parameter(view, number, name):
                return number, same_frame
            if facts.kind == "module":
                return None
            same_frame = False
            number = facts.parent
        return None

    def _is_type_parameter(self, view: FileView, scope: int, name: str) -> bool:
        assigns = view.facts.scopes[scope].assigns
        return any(item.how == "type" and item.target == Name(name) for item in assigns) and not any(
            item.owner == scope and item.name == name for item in view.facts.definitions
        )

    def _global(self, view: FileView, name: str) -> Values:
        """Return a name of the crates that a file can name, or of the language."""
        self.listen(self.modules.listens(view.path))
        root = self.modules.crate(view.path, name)
        if root is not None:
            return (Module(root),)
        if self.modules.is_outside(view.path, name):
            return (External(name),)
        return RUST_RULES.builtin(name)

    def own_type(self, view: FileView, scope: int) -> Values:
        """Return what `Self` is in a scope."""
        while scope > 0:
            facts = view.facts.scopes[scope]
            if facts.kind == "class" and facts.definition >= 0:
                return (Class(view.path, facts.definition),)
            if facts.kind == "extension":
                return self.extended(view.path, scope)
            scope = facts.parent
        return ()

    def extended(self, path: str, scope: int) -> Values:
        """Return the type that an `impl` block is for."""
        return self.guarded(("extended", path, scope), lambda: self._assigned_in(path, scope, "Self"))

    def _assigned_in(self, path: str, scope: int, name: str) -> Values:
        view = self.view(path)
        facts = view.facts.scopes[scope]
        values = [item for item in facts.assigns if item.target == Name(name) and item.how == "type"]
        return union(self._type_value(view, facts.parent, item.value, item.line) for item in values)

    def _type_value(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        """Return the classes that a type is, behind aliases and type arguments."""
        found = self.types(view, scope, expr, line)
        return tuple(Class(item.path, item.index) for item in found if isinstance(item, Instance))

    # -- paths ----------------------------------------------------------------------------------------------------

    def imported(self, view: FileView, item: Import, name: str) -> Values:
        """Return what an import binds; `name` is empty for a module as a whole."""
        if item.kind == "declare":
            target = RUST_RULES.import_target(self.world, view.path, item)
            self.listen(target.listens)
            return (target.value,) if target.value is not None else ()
        parts = [*item.specifier.split("::"), *([name] if name else [])]
        key = ("path", view.path, item.scope, item.line, "::".join(parts))
        return self.guarded(key, lambda: self._path(view, item.scope, parts, item))

    def _path(self, view: FileView, scope: int, parts: list[str], item: Import) -> Values:
        values = self.first(view, scope, parts[0], item)
        if not values and parts[0] not in ("crate", "self", "super"):
            values = (External(parts[0]),)  # what no scope and no crate of the repository has is a crate outside
        for part in parts[1:]:
            if part == "super":
                places = [self._place(value) for value in values]
                values = union(self._above(place) for place in places if place is not None)
            else:
                values = union(self.attribute(value, part) for value in values)
        return values

    def first(self, view: FileView, scope: int, name: str, item: Import | None = None) -> Values:
        """Return what the first part of a path means."""
        self.listen(self.modules.listens(view.path))
        match name:
            case "crate":
                self.listen(self.modules.asked(view.path))
                return (Module(self.modules.root(view.path)),)
            case "self":
                return self._module(self.modules.module_of(view, scope))
            case "super":
                return self._above(self.modules.module_of(view, scope))
            case _:
                return (
                    self._local(view, scope, name, item)
                    or (self._by_globs(view, scope, name) if view.stars and not self._is_glob(item) else ())
                    or self._global(view, name)
                )

    def _is_glob(self, item: Import | None) -> bool:
        return item is not None and any(imported.name == "*" for imported in item.names)

    def _local(self, view: FileView, scope: int, name: str, item: Import | None) -> Values:
        """Return a name in scope; the import itself does not count: `use log::log;`."""
        found = self.find(view, scope, name)
        bindings = view.bindings(found[0], name) if found is not None else None
        if bindings is None:
            return ()
        others = [binding for binding in bindings.everything if binding.item is not item or item is None]
        return union(self.binding(view, binding) for binding in others)

    def _above(self, place: Place) -> Values:
        above = self.modules.parent(place)
        if place.scope == 0:
            self.listen(self.modules.asked(place.path))
        if above is None:
            return ()
        self.view(above.path)
        return self._module(above)

    def _module(self, place: Place) -> Values:
        return (Shape(place.path, place.scope),) if place.scope > 0 else (Module(place.path),)

    def _place(self, value: Value) -> Place | None:
        if isinstance(value, Module):
            return Place(value.path)
        return Place(value.path, value.scope) if isinstance(value, Shape) else None

    def in_module(self, path: str, scope: int, name: str) -> Values:
        """Return a member of a module, also one that comes in by a glob."""
        return self.guarded(("member of", path, scope, name), lambda: self._in_module(path, scope, name))

    def _in_module(self, path: str, scope: int, name: str) -> Values:
        view = self.view(path)
        if not view.facts.scopes:
            return ()
        bindings = view.bindings(scope, name)
        if bindings is not None:
            return self.bound(view, bindings, 0)
        return self._by_globs(view, scope, name) if view.stars else ()

    def _macro(self, view: FileView, name: str) -> Values:
        """Return a macro of the crate; the evaluator says which."""
        raise NotImplementedError
