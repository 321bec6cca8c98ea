"""The facts of one JavaScript or TypeScript file arranged for lookups: `this`, type names, exports, insertions."""

# ruff: noqa: D102 - described once, in the class this one extends
from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Expr, Facts, FunctionRef, Import, ImportedName
from graph.model import NodeKind
from graph.resolve.bindings import Binding
from graph.resolve.languages import LanguageRules
from graph.resolve.library_javascript import CALLING
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
        "inserted",
        "reexports",
        "returned_by",
        "this_given",
    )

    def __init__(self, path: str, facts: Facts, rules: LanguageRules) -> None:
        self.aliases: list[dict[str, int]] = [{} for _ in facts.scopes]
        """By scope, then name: the definitions that name a type."""
        self.export_stars: list[Import] = []
        self.reexports: dict[str, tuple[Import, ImportedName]] = {}
        self.assigned_to: dict[int, tuple[int, Attribute]] = {}
        """By the scope of a function: the scope in which, and the property to which it is assigned."""
        self.returned_by: dict[int, int] = {}
        """By the scope of a function: the function that returns it."""
        self.inserted: list[tuple[int, Expr, CallExpr, str]] = []
        """Calls that put something into a container: (scope, container, call, method)."""
        self.declared: dict[int, tuple[int, Expr]] = {}
        """By the scope of a function: the declared type of the variable that it is assigned to."""
        self.this_given: dict[int, tuple[int, Expr]] = {}
        """By the scope of a function: what it is called on, by `xs.map(f, thisArg)` or `f.bind(thisArg)`."""
        super().__init__(path, facts, rules)
        self._index_functions()

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
                if isinstance(assign.target, Attribute) and (given := self._function_in(assign.value)) is not None:
                    self.assigned_to[given.scope] = (number, assign.target)
            for call in scope.calls:
                function = call.function
                if isinstance(function, Attribute) and call.arguments:
                    self._index_method_call(number, function, call)

    def _function_in(self, value: Expr) -> FunctionRef | None:
        """Return the function that a property becomes, or the getter of it in a descriptor `{get: function () {}}`."""
        if isinstance(value, FunctionRef):
            return value
        getter = value.function if isinstance(value, CallExpr) else None
        if not isinstance(getter, FunctionRef):
            return None
        parent = self.facts.scopes[getter.scope].parent
        return getter if parent >= 0 and self.facts.scopes[parent].kind == "object" else None

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
