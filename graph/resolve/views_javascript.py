"""The facts of one JavaScript or TypeScript file arranged for lookups: `this`, type names, exports, insertions."""

# ruff: noqa: D102 - described once, in the class this one extends
from __future__ import annotations

from msgspec.structs import replace

from graph.extract.facts import (
    Assign,
    Attribute,
    CallExpr,
    Expr,
    Facts,
    FunctionRef,
    Import,
    ImportedName,
    Name,
    Subscript,
)
from graph.model import NodeKind
from graph.resolve.bindings import Binding
from graph.resolve.languages import LanguageRules
from graph.resolve.library_javascript import CALLING, GLOBAL_OBJECTS
from graph.resolve.views import FileView

__all__ = ["ScriptView"]

_INSERTING = frozenset({"push", "unshift", "add", "set", "splice"})


class ScriptView(FileView):
    """One file. Built once and then only read."""

    __slots__ = (
        "aliases",
        "assigned_to",
        "declared",
        "export_stars",
        "exported",
        "exports",
        "has_setters",
        "immediate",
        "inserted",
        "of_global",
        "reexports",
        "returned_by",
        "this_given",
    )

    def __init__(self, path: str, facts: Facts, rules: LanguageRules) -> None:
        self.aliases: list[dict[str, int]] = [{} for _ in facts.scopes]
        """By scope, then name: the definitions that name a type."""
        self.exported = frozenset(item.name for item in facts.definitions if item.owner == 0 and item.exported)
        """The names of definitions that are exported where they stand."""
        self.exports: dict[str, list[Expr]] = {}
        """By public name: what is exported explicitly as it."""
        for public, expr in facts.exports:
            self.exports.setdefault(public, []).append(expr)
        self.export_stars: list[Import] = []
        self.reexports: dict[str, tuple[Import, ImportedName]] = {}
        self.assigned_to: dict[int, tuple[int, Expr, int]] = {}
        """By the scope of a function: where it is assigned to a property (scope, line), and whose property it is."""
        self.has_setters = any("setter" in definition.modifiers for definition in facts.definitions)
        self.returned_by: dict[int, int] = {}
        """By the scope of a function: the function that returns it."""
        self.of_global: dict[str, list[tuple[int, Assign]]] = {}
        """By name: what is assigned to a property of the global object."""
        self.immediate: dict[int, tuple[int, CallExpr]] = {}
        """By the scope of a function that is called where it is written: the scope of that call, and the call."""
        self.inserted: list[tuple[int, Expr, CallExpr, str]] = []
        """Calls that put something into a container: (scope, container, call, method)."""
        self.declared: dict[int, tuple[int, Expr]] = {}
        """By the scope of a function: the declared type of the variable that it is assigned to."""
        self.this_given: dict[int, tuple[int, Expr]] = {}
        """By the scope of a function: what it is called on, by `xs.map(f, thisArg)` or `f.bind(thisArg)`."""
        super().__init__(path, facts, rules)
        self._index_functions()

    def binding_scope(self, scope: int, name: str) -> int:
        facts = self.facts.scopes[scope]
        if name in facts.nonlocals:
            number = facts.parent
            while number > 0:
                if self.facts.scopes[number].kind not in ("class", "object") and name in self._found[number]:
                    return number
                number = self.facts.scopes[number].parent
        return 0 if name in facts.globals or name in facts.nonlocals else scope

    def _add(self, scope: int, name: str, binding: Binding) -> None:
        place = self.binding_scope(scope, name)
        if place != scope:
            if self._replaces_itself(place, scope, name):
                return
            if self._frame(scope) != place:
                binding = replace(binding, flow=3)
        self._found[place].setdefault(name, []).append(binding)

    def _frame(self, scope: int) -> int:
        while self.facts.scopes[scope].kind == "block":
            scope = self.facts.scopes[scope].parent
        return scope

    def _replaces_itself(self, place: int, scope: int, name: str) -> bool:
        """Tell whether a function puts another one in its own place: `f = () => result` inside of f; f leads to it."""
        own = [item.definition for item in self._found[place].get(name, ()) if item.definition >= 0]
        bodies = {self.facts.definitions[index].scope for index in own}
        while scope > 0 and scope not in bodies:
            scope = self.facts.scopes[scope].parent
        return scope > 0

    def _bind_definitions(self) -> None:
        for index, definition in enumerate(self.facts.definitions):
            owner = definition.owner
            if definition.kind in (NodeKind.TYPE, NodeKind.INTERFACE):
                self.aliases[owner].setdefault(definition.name, index)
            if definition.scope >= 0 and "detached" not in definition.modifiers:
                self._add(owner, definition.name, Binding(definition.name_line, 0, owner, index))
            if definition.annotation is not None and definition.scope >= 0:
                self.declared[definition.scope] = (owner, definition.annotation)

    def _bind_imports(self) -> None:
        for item in self.facts.imports:
            for imported in item.names:
                if item.kind != "reexport":
                    self._add(
                        item.scope, imported.alias, Binding(item.line, 0, item.scope, item=item, imported=imported)
                    )
                elif imported.name == "*":
                    self.export_stars.append(item)
                else:
                    self.reexports[imported.alias] = (item, imported)

    def _index_functions(self) -> None:
        for number, scope in enumerate(self.facts.scopes):
            for value in scope.returns:
                if isinstance(value, FunctionRef):
                    self.returned_by.setdefault(value.scope, number)
            for assign in scope.assigns:
                if isinstance(assign.target, Attribute | Subscript) and isinstance(assign.value, FunctionRef):
                    self.assigned_to[assign.value.scope] = (number, assign.target.base, assign.line)
                if isinstance(assign.target, Attribute) and _is_global(assign.target.base):
                    self.of_global.setdefault(assign.target.name, []).append((number, assign))
                if assign.how == "setter":
                    self.has_setters = True
            for call in scope.calls:
                function = call.function
                if isinstance(function, FunctionRef):
                    self.immediate[function.scope] = (number, call)
                if isinstance(function, Attribute) and call.arguments:
                    self._index_method_call(number, function, call)

    def _index_method_call(self, number: int, function: Attribute, call: CallExpr) -> None:
        first = call.arguments[0]
        if function.name in _INSERTING:
            self.inserted.append((number, function.base, call, function.name))
        elif isinstance(first, FunctionRef) and len(call.arguments) == 2 and function.name in CALLING:
            self.this_given[first.scope] = (number, call.arguments[1])
        elif isinstance(function.base, FunctionRef) and function.name in ("bind", "call", "apply"):
            self.this_given[function.base.scope] = (number, first)

    # -- asking ---------------------------------------------------------------------------------------------------

    def this_scope(self, number: int) -> int:
        """Return the scope that decides what `this` is: arrow functions have none of their own."""
        while number > 0 and self.facts.scopes[number].kind not in ("function", "initializer", "static"):
            number = self.facts.scopes[number].parent
        return number

    def method_scope(self, number: int) -> int:
        method = self.this_scope(number)
        return method if method > 0 and self.class_around(method) >= 0 else -1


def _is_global(expr: Expr) -> bool:
    return isinstance(expr, Name) and expr.id in GLOBAL_OBJECTS
