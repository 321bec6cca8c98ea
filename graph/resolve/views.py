"""The facts of one file arranged for lookups: which names each scope binds, what is hung on classes and objects."""

from __future__ import annotations

from collections import defaultdict

from msgspec.structs import replace

from graph.extract.facts import Assign, Attribute, CallExpr, Definition, Expr, Facts, Import, Name, Parameter, Subscript
from graph.model import NodeKind, file_key, symbol_key
from graph.resolve.asked import EVERYTHING
from graph.resolve.bindings import Binding, Bindings
from graph.resolve.languages import LanguageRules
from graph.resolve.spans import Spans

__all__ = ["ADDING_METHODS", "CLASS_KINDS", "Binding", "Bindings", "FileView"]

CLASS_KINDS = frozenset({NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.ENUM, NodeKind.STRUCT})

ADDING_METHODS = frozenset({"append", "appendleft", "add", "insert", "extend", "update", "setdefault"})
"""Methods that put an argument into a built-in container."""


class FileView:
    """One file. Built once and then only read."""

    __slots__ = (
        "_found",
        "_inside",
        "_members",
        "_sorted",
        "_tests",
        "additions",
        "asked",
        "attributes",
        "called",
        "facts",
        "finds",
        "items",
        "language",
        "path",
        "rules",
        "self_attributes",
        "self_names",
        "stars",
        "tests",
    )

    def __init__(self, path: str, facts: Facts, rules: LanguageRules) -> None:
        self.path = path
        self.rules = rules
        self.facts = facts
        self.language = facts.language
        self.self_names = rules.self_names
        self.asked: set[str] = set()
        """Where to note the names that are asked for here, while another file is resolved (`graph.resolve.asked`)."""
        self.finds: dict[tuple[int, str], tuple[int, bool] | None] = {}
        """What was found by scope and name, for the lookup of names to remember."""
        self.called: dict[int, tuple[tuple[int, int], ...]] = {}
        """By the body of a function: where it calls which of its parameters, for `graph.resolve.handing`."""
        self._found: list[dict[str, list[Binding]]] = [{} for _ in facts.scopes]
        self._inside: dict[int, list[int]] = defaultdict(list)
        """By scope: the scopes directly in it; filled when first asked for."""
        self.stars: list[Import] = []
        self.self_attributes: dict[int, dict[str, list[tuple[int, Assign]]]] = {}
        """By class and attribute: what methods assign to it on their receiver, as (scope, assignment)."""
        self.attributes: dict[str, list[tuple[int, Assign]]] = defaultdict(list)
        """By attribute: what is assigned to it on anything else."""
        self.items: dict[str, list[tuple[int, Assign]]] = defaultdict(list)
        """By the name of the container: what is put into it by index."""
        self.additions: list[tuple[int, Expr, CallExpr]] = []
        """Calls that put something into a container: (scope, the container, the call)."""
        self.tests: dict[str, list[tuple[int, Assign]]] = {}
        """By the last name of what is tested: the type tests of it, as (scope, test)."""
        self._tests: dict[str, Spans[tuple[int, Assign]]] = {}
        self._members: frozenset[str] | None = None
        self._bind_definitions()
        self._bind_imports()
        for number in range(len(facts.scopes)):
            self._bind_scope(number)
        self._sorted: list[dict[str, Bindings]] = [{} for _ in facts.scopes]

    # -- building -------------------------------------------------------------------------------------------------

    def _add(self, scope: int, name: str, binding: Binding) -> None:
        number = self.binding_scope(scope, name)
        if number > 0 and number != scope:
            binding = replace(binding, flow=3)
        self._found[number].setdefault(name, []).append(binding)

    def binding_scope(self, scope: int, name: str) -> int:
        """Return the scope that a binding of this name in `scope` really belongs to (`global`, `nonlocal`)."""
        facts = self.facts.scopes[scope]
        if name in facts.globals:
            return 0
        if name in facts.nonlocals:
            number = facts.parent
            while number > 0:
                if self.facts.scopes[number].kind == "function" and name in self._found[number]:
                    return number
                number = self.facts.scopes[number].parent
        return scope

    def _bind_definitions(self) -> None:
        for index, definition in enumerate(self.facts.definitions):
            if definition.scope < 0 or not self.facts.scopes:
                continue
            flow = 1 if "conditional" in definition.modifiers else 0
            self._add(definition.owner, definition.name, Binding(definition.name_line, flow, definition.owner, index))

    def _bind_imports(self) -> None:
        for item in self.facts.imports:
            for imported in item.names:
                if imported.name == "*" and imported.alias in ("*", ""):
                    self.stars.append(item)
                elif imported.alias:
                    flow = 1 if item.is_conditional else 0
                    binding = Binding(item.line, flow, item.scope, item=item, imported=imported)
                    self._add(item.scope, imported.alias, binding)

    def _bind_scope(self, number: int) -> None:
        scope = self.facts.scopes[number]
        for index, parameter in enumerate(scope.parameters):
            if parameter.name:
                self._add(number, parameter.name, Binding(0, 0, number, parameter=index))
        for call in scope.calls:
            if isinstance(call.function, Attribute) and call.function.name in ADDING_METHODS:
                self.additions.append((number, call.function.base, call))
        owner, receiver = self.receiver(number)
        for assign in scope.assigns:
            target = assign.target
            if assign.how[:2] == "is":
                self._note_test(number, assign)
            elif isinstance(target, Name):
                binding = Binding(assign.line, assign.flow, number, assign=assign, until=assign.until)
                self._add(number, target.id, binding)
            elif isinstance(target, Attribute):
                base = target.base
                if owner >= 0 and isinstance(base, Name) and base.id in receiver:
                    table = self.self_attributes.setdefault(owner, {})
                    table.setdefault(target.name, []).append((number, assign))
                else:
                    self.attributes[target.name].append((number, assign))
            elif isinstance(target, Subscript):
                root = target.base
                while isinstance(root, Subscript):
                    root = root.base
                if isinstance(root, Name | Attribute):
                    self.items[root.id if isinstance(root, Name) else root.name].append((number, assign))

    def _note_test(self, scope: int, assign: Assign) -> None:
        target = assign.target
        if isinstance(target, Name | Attribute):
            name = target.id if isinstance(target, Name) else target.name
            self.tests.setdefault(name, []).append((scope, assign))

    def tests_at(self, name: str, line: int) -> list[tuple[int, Assign]]:
        """Return the type tests of what ends in a name that hold at a line, the innermost one last."""
        spans = self._tests.get(name)
        if spans is None:
            found = ((item.line, int(item.how.partition(":")[2]), (scope, item)) for scope, item in self.tests[name])
            spans = self._tests[name] = Spans(found)
        return spans.at(line)

    def bindings(self, scope: int, name: str) -> Bindings | None:
        """Return the bindings of a name in a scope, None when it has none there. Sorted out when first asked for."""
        self.asked.add(name)
        table = self._sorted[scope]
        known = table.get(name)
        if known is None and name in self._found[scope]:
            known = table[name] = Bindings(self._found[scope][name], self.facts.definitions)
        return known

    def binds(self, scope: int, name: str) -> bool:
        """Tell whether a scope binds a name."""
        self.asked.add(name)
        return name in self._found[scope]

    def is_member(self, name: str) -> bool:
        """Tell whether a class of the file has a member of this name of its own, or something is hung on it."""
        if self._members is None:
            bodies = (number for number, scope in enumerate(self.facts.scopes) if scope.kind == "class")
            named = (self._found[number].keys() for number in bodies)
            self._members = frozenset().union(*named, *self.self_attributes.values(), self.attributes)
        self.asked.add(name)
        return name in self._members

    def bound_names(self, scope: int) -> list[str]:
        """Return the names that a scope binds, in the order in which they were met."""
        self.asked.add(EVERYTHING)
        return list(self._found[scope])

    # -- asking ---------------------------------------------------------------------------------------------------

    def receiver(self, number: int) -> tuple[int, frozenset[str]]:
        """Return the class whose method a scope lies in, and the names of the receiver there; (-1, ...) outside."""
        method = self.method_scope(number)
        if method < 0:
            return -1, frozenset()
        owner = self.class_around(method)
        parameters = self.facts.scopes[method].parameters
        if self.rules.first_parameter_is_self and parameters:
            return owner, frozenset({parameters[0].name})
        return owner, self.self_names

    def method_scope(self, number: int) -> int:
        """Return the scope of the method that a scope lies in, through closures; -1 outside of methods."""
        while number > 0:
            scope = self.facts.scopes[number]
            if scope.kind in ("function", "lambda") and self.facts.scopes[scope.parent].kind == "class":
                definition = self.definition_of(number)
                is_static = definition is not None and "static" in definition.modifiers
                return -1 if is_static and self.rules.first_parameter_is_self else number
            if scope.kind == "class":
                return -1
            number = scope.parent
        return -1

    def class_around(self, number: int) -> int:
        """Return the index of the class whose body directly holds a scope, -1 if none does."""
        parent = self.facts.scopes[number].parent
        if parent > 0 and self.facts.scopes[parent].kind == "class":
            return self.facts.scopes[parent].definition
        return -1

    def definition_of(self, scope: int) -> Definition | None:
        """Return the definition whose body a scope is; None for modules, lambdas and comprehensions."""
        index = self.facts.scopes[scope].definition
        return self.facts.definitions[index] if index >= 0 else None

    def key_of(self, index: int) -> str:
        """Return the key of a definition."""
        definition = self.facts.definitions[index]
        return symbol_key(self.language, self.path, definition.qualname, definition.ordinal)

    def caller_key(self, scope: int) -> str:
        """Return the key of the nearest named function around a scope, else of the file."""
        number = scope
        while number > 0:
            facts = self.facts.scopes[number]
            if facts.definition >= 0 and facts.kind != "class":
                return self.key_of(facts.definition)
            number = facts.parent
        return file_key(self.path)

    def parameters(self, scope: int) -> tuple[Parameter, ...]:
        """Return the parameters of a function."""
        return self.facts.scopes[scope].parameters

    def scopes_within(self, scope: int) -> list[int]:
        """Return a scope and all that lie in it, the outer ones first."""
        if not self._inside:
            for number, facts in enumerate(self.facts.scopes):
                self._inside[facts.parent].append(number)
        found = [scope]
        for number in found:  # grows while it is read
            found += self._inside[number]
        return found
