"""The edges of one file, from what its expressions stand for."""

from __future__ import annotations

from collections.abc import Iterable

from graph.extract.facts import Attribute, CallExpr, Expr, ImportedName, Name
from graph.model import Edge, EdgeKind, NodeKind, file_key
from graph.resolve.evaluator import Evaluator
from graph.resolve.handing import handed_over
from graph.resolve.source import UnresolvedCall
from graph.resolve.values import Class, External, Function, Instance, Method, Module, Package, Returning, Value, Values
from graph.resolve.views import CLASS_KINDS, FileView

__all__ = ["EdgeCollector"]


_RUN = frozenset({Class, Function})
_HANDING = frozenset({"python", "javascript", "jsx", "typescript", "tsx"})
"""Languages of which what a call hands to another file is kept."""
_GETTERS = frozenset({"property", "getter"})


class EdgeCollector:
    """Gathers edges and the calls that nothing was found for; the same edge from several lines is one edge."""

    def __init__(self, evaluator: Evaluator, view: FileView) -> None:
        self._evaluator = evaluator
        self._view = view
        self._found: dict[tuple[str, EdgeKind, str], tuple[set[int], float]] = {}
        self._unresolved: list[UnresolvedCall] = []
        self.handed: set[tuple[str, str]] = set()
        """What calls hand to functions of other files that call their parameters: (that function, what it calls)."""

    def collect(self) -> tuple[tuple[Edge, ...], tuple[UnresolvedCall, ...]]:
        """Return the edges in a fixed order, and the unresolved calls in the order of their lines."""
        self._contains()
        if self._evaluator.world.rules(self._view.path) is not None:
            self._imports()
            self._hierarchy()
            for scope in range(len(self._view.facts.scopes)):
                self._calls(scope)
                self._implicit(scope)
                self._references(scope)
        edges = tuple(
            Edge(src=src, dst=dst, kind=kind, confidence=confidence, lines=tuple(sorted(lines)))
            for (src, kind, dst), (lines, confidence) in sorted(self._found.items())
        )
        missing = sorted(set(self._unresolved), key=lambda call: (call.line, call.name, call.src_key))
        return edges, tuple(missing)

    def _add(self, src: str, kind: EdgeKind, dst: str, line: int, confidence: float = 1.0) -> None:
        lines, before = self._found.get((src, kind, dst), (set[int](), 0.0))
        if line:
            lines.add(line)
        self._found[src, kind, dst] = (lines, max(before, confidence))

    # -- structure ------------------------------------------------------------------------------------------------

    def _contains(self) -> None:
        facts = self._view.facts
        for index, definition in enumerate(facts.definitions):
            parent = self._container(definition.owner)
            self._add(parent, EdgeKind.CONTAINS, self._view.key_of(index), definition.name_line)
        for section in facts.sections:
            key = f"doc:{self._view.path}#{section.anchor}"
            self._add(file_key(self._view.path), EdgeKind.CONTAINS, key, section.start_line)

    def _container(self, scope: int) -> str:
        number = scope
        while number > 0:
            facts = self._view.facts.scopes[number]
            if facts.definition >= 0:
                return self._view.key_of(facts.definition)
            number = facts.parent
        return file_key(self._view.path)

    def _imports(self) -> None:
        view, evaluator = self._view, self._evaluator
        rules = evaluator.rules(view)
        source = file_key(view.path)
        for item in view.facts.imports:
            target = rules.import_target(evaluator.world, view.path, item)
            evaluator.listen(target.listens)
            for path in self._imported_files(target.value, item.names):
                if path != view.path:
                    self._add(source, EdgeKind.IMPORTS, file_key(path), item.line)

    def _imported_files(self, target: Value | None, names: Iterable[ImportedName]) -> list[str]:
        """Return the files that an import reads: those of its submodules that are named, else the module."""
        if not isinstance(target, Module | Package):
            return []
        rules = self._evaluator.rules(self._view)
        wanted = [imported.name for imported in names if imported.name not in ("", "*")]
        inside = [rules.submodule(self._evaluator, target, name) for name in wanted]
        found = [path for path in inside if path is not None]
        if isinstance(target, Module) and (not wanted or None in inside):
            found.append(target.path)
        return found

    def _hierarchy(self) -> None:
        for index, definition in enumerate(self._view.facts.definitions):
            if definition.kind not in CLASS_KINDS:
                continue
            owner = Class(self._view.path, index)
            key = self._view.key_of(index)
            for base in self._evaluator.bases(owner):
                other = self._evaluator.view(base.path)
                is_interface = other.facts.definitions[base.index].kind is NodeKind.INTERFACE
                kind = EdgeKind.IMPLEMENTS if is_interface else EdgeKind.INHERITS
                self._add(key, kind, other.key_of(base.index), definition.name_line)
            if definition.bases or definition.implements:
                self._overrides(owner, definition.scope)

    def _overrides(self, owner: Class, scope: int) -> None:
        behind = self._evaluator.ancestors(owner)[1:]
        for name in self._view.bound_names(scope):
            bindings = self._view.bindings(scope, name)
            if bindings is None:
                continue
            methods = [item.definition for item in bindings.values if item.definition >= 0]
            if not methods or self._view.facts.definitions[methods[-1]].kind is not NodeKind.METHOD:
                continue
            for ancestor in behind:
                found = [value for value in self._evaluator.own_member(ancestor, name) if isinstance(value, Function)]
                keys = [key for value in found if (key := self.key_of(value))]
                for key in keys:
                    index = methods[-1]
                    line = self._view.facts.definitions[index].name_line
                    self._add(self._view.key_of(index), EdgeKind.OVERRIDES, key, line)
                if keys:
                    break

    # -- calls and references -------------------------------------------------------------------------------------

    def _calls(self, scope: int) -> None:
        view = self._view
        caller = view.caller_key(scope)
        for call in view.facts.scopes[scope].calls:
            values = self._evaluator.evaluate(view, scope, call.function, call.line or call.start_line)
            keys = list(dict.fromkeys(key for value in values if (key := self.target_of(value))))
            for key in keys:
                self._add(caller, EdgeKind.CALLS, key, call.line, 1 / len(keys))
            for value in values:
                kind = type(value)
                if kind is Class:
                    self._constructor(caller, value, 1 / max(len(keys), 1))  # type: ignore[arg-type] # just tested
                elif kind is Function:
                    self._wrappers(caller, call, value)  # type: ignore[arg-type] # just tested
            self._callbacks(caller, call, scope, values)
            if (call.arguments or call.keywords) and view.language in _HANDING:
                for value in values:
                    if type(value) in _RUN and value.path != view.path:  # type: ignore[union-attr] # just tested
                        self._hand_over(scope, call, value)
            if isinstance(call.function, Attribute):
                self._getters(caller, call.function.base, scope, call.line)
            if not keys and call.line and not _is_known(values):
                name = _last_name(call)
                if name:
                    self._unresolved.append(UnresolvedCall(caller, name, call.line))

    def _wrappers(self, caller: str, call: CallExpr, value: Function) -> None:
        """Add what decorators put in the place of a function: it runs first, the line stands with the function.

        Only what is called by the function's own name: a wrapper calls the function itself, by another one.
        """
        definition = self._evaluator.view(value.path).definition_of(value.scope)
        if definition is None or not definition.decorators or _last_name(call) != definition.name:
            return
        for item in self._evaluator.replacements(value):
            key = self.key_of(item)
            if key and key != caller:
                self._add(caller, EdgeKind.CALLS, key, 0)

    def _constructor(self, caller: str, value: Class, confidence: float) -> None:
        """Add the method that calling a class runs: paths go on through it, the line stands with the class."""
        rules = self._evaluator.world.rules(value.path)
        for name in rules.constructor_names if rules else ():
            for item in self._evaluator.member(value, name):
                key = self.key_of(item) if isinstance(item, Function) else None
                if key:
                    self._add(caller, EdgeKind.CALLS, key, 0, confidence)

    def _hand_over(self, scope: int, call: CallExpr, value: Value) -> None:
        for source, handed in handed_over(self._evaluator, self._view, scope, call, value):
            key = self.key_of(handed)
            if key:
                self.handed.add((source, key))

    def _callbacks(self, caller: str, call: CallExpr, scope: int, values: Values) -> None:
        """Add calls of functions that are handed to something known to call them: `map(f, xs)`, `sorted(xs, key=f)`."""
        rules = self._evaluator.rules(self._view)
        for value in values:
            name = value.name if isinstance(value, External | Method) else ""
            for expr in rules.callbacks(name, call) if name else ():
                for handed in self._evaluator.evaluate(self._view, scope, expr, call.line):
                    key = self.target_of(handed) if isinstance(handed, Function | Class) else None
                    if key:
                        self._add(caller, EdgeKind.CALLS, key, 0)

    def _implicit(self, scope: int) -> None:
        """Add the special methods that loops and `with` run."""
        caller = self._view.caller_key(scope)
        rules = self._evaluator.rules(self._view)
        for assign in self._view.facts.scopes[scope].assigns:
            how = assign.how.partition(":")[0]
            if how not in ("iterate", "enter"):
                continue
            for value in self._evaluator.evaluate(self._view, scope, assign.value, assign.line):
                for special in rules.special_calls(self._evaluator, value, how):
                    key = self.key_of(special)
                    if key:
                        self._add(caller, EdgeKind.CALLS, key, 0)

    def target_of(self, value: Value) -> str | None:
        """Return the key of what a call of this value runs, None where that is nothing of the repository."""
        match value:
            case Function() | Class():
                return self.key_of(value)
            case Instance():
                rules = self._evaluator.world.rules(value.path)
                special = self._evaluator.attribute(value, rules.call_name) if rules and rules.call_name else ()
                return next(
                    (key for item in special if isinstance(item, Function) and (key := self.key_of(item))), None
                )
            case _:
                return None

    def key_of(self, value: Value) -> str | None:
        """Return the key of a function or class, None for lambdas and everything else."""
        match value:
            case Class(path=path, index=index):
                return self._evaluator.view(path).key_of(index)
            case Function(path=path, scope=scope):
                view = self._evaluator.view(path)
                index = view.facts.scopes[scope].definition
                return view.key_of(index) if index >= 0 else None
            case _:
                return None

    def _references(self, scope: int) -> None:
        view = self._view
        caller = view.caller_key(scope)
        for expr, line in view.facts.scopes[scope].references:
            if not isinstance(expr, Name | Attribute):
                continue
            for value in self._evaluator.evaluate(view, scope, expr, line):
                key = self.key_of(value)
                if key and key != caller:
                    self._add(caller, EdgeKind.REFERENCES, key, line)
            self._getters(caller, expr, scope, line)

    def _getters(self, caller: str, expr: Expr, scope: int, line: int) -> None:
        """Add the properties that an access such as `request.user.name` reads: they run without being called."""
        while isinstance(expr, Attribute):
            for value in self._evaluator.evaluate(self._view, scope, expr.base, line):
                if type(value) is not Instance:
                    continue
                for item in self._evaluator.member(Class(value.path, value.index), expr.name):
                    if type(item) is Function and self._is_property(item):
                        self._add(caller, EdgeKind.REFERENCES, self.key_of(item) or caller, expr.line or line)
            expr = expr.base

    def _is_property(self, function: Function) -> bool:
        definition = self._evaluator.view(function.path).definition_of(function.scope)
        return definition is not None and not _GETTERS.isdisjoint(definition.modifiers)


def _is_known(values: Values) -> bool:
    """Tell whether a call leads somewhere that is surely no named definition of the repository."""
    return any(isinstance(value, External | Function | Method | Returning | Class) for value in values)


def _last_name(call: CallExpr) -> str:
    function: Expr = call.function
    match function:
        case Attribute(name=name):
            return name
        case Name(id=name):
            return name
        case _:
            return ""
