"""The edges of one Java file, where they differ from those of other languages."""

from __future__ import annotations

from graph.extract.facts import Attribute, Expr, Name, Subscript
from graph.model import EdgeKind, NodeKind, file_key
from graph.resolve.edges import EdgeCollector
from graph.resolve.evaluator import Evaluator
from graph.resolve.evaluator_java import JavaEvaluator
from graph.resolve.overloads_java import simple_name
from graph.resolve.rules_java import JAVA_RULES
from graph.resolve.source import UnresolvedCall
from graph.resolve.values import Class, External, Function, Method
from graph.resolve.views import FileView

__all__ = ["JavaEdges"]


class JavaEdges(EdgeCollector):
    """See `EdgeCollector`; calls are looked up among methods, an import of all leads to the types that are used."""

    def __init__(self, evaluator: Evaluator, view: FileView) -> None:
        super().__init__(evaluator, view)
        if not isinstance(evaluator, JavaEvaluator):
            raise TypeError(type(evaluator).__name__)
        self._java = evaluator

    def _imports(self) -> None:
        super()._imports()
        stars = [item for item in self._view.facts.imports if item.names and item.names[0].alias == "*"]
        used = self._mentioned() if stars else []
        modules = JAVA_RULES.modules(self._java.world)
        for item in stars:
            if modules.resolve(self._view.path, item.specifier) is not None:
                continue  # the members of a type; its file is found already
            for name in used:
                dotted = f"{item.specifier}.{name}"
                self._java.listen(modules.signals(dotted)[-1:])
                found = modules.resolve(self._view.path, dotted)
                if found is not None and found.path != self._view.path:
                    self._java.listen((found.path,))
                    self._add(file_key(self._view.path), EdgeKind.IMPORTS, file_key(found.path), item.line)

    def _mentioned(self) -> list[str]:
        """Return the names in the file that may be types, sorted."""
        found: set[str] = set()
        for scope in self._view.facts.scopes:
            exprs: list[Expr] = [expr for expr, _ in scope.references]
            exprs += [call.function for call in scope.calls]
            for expr in exprs:
                while isinstance(expr, Attribute | Subscript):
                    expr = expr.base  # noqa: PLW2901 - down to the name
                if isinstance(expr, Name) and expr.id[:1].isupper():
                    found.add(expr.id)
        return sorted(found)

    def _hierarchy(self) -> None:
        super()._hierarchy()
        for index, definition in enumerate(self._view.facts.definitions):
            if "anonymous" in definition.modifiers and definition.scope >= 0:
                owner = Class(self._view.path, index)
                for base in self._java.bases(owner):
                    other = self._java.view(base.path)
                    is_interface = other.facts.definitions[base.index].kind is NodeKind.INTERFACE
                    kind = EdgeKind.IMPLEMENTS if is_interface else EdgeKind.INHERITS
                    self._add(self._view.key_of(index), kind, other.key_of(base.index), definition.name_line)
                self._overrides(owner, definition.scope)

    def _overrides(self, owner: Class, scope: int) -> None:
        """Add what each method overrides: in the nearest class that has one of its name and parameters."""
        view = self._view
        behind = self._java.ancestors(owner)[1:]
        for index, definition in enumerate(view.facts.definitions):
            if definition.owner != scope or definition.kind is not NodeKind.METHOD or "static" in definition.modifiers:
                continue
            shape = self._shape(view, definition.scope)
            for ancestor in behind:
                below = [
                    (path, other)
                    for path, other in self._java.methods(ancestor, definition.name)
                    if self._shape(self._java.view(path), self._java.view(path).facts.definitions[other].scope) == shape
                ]
                if below:
                    path, other = below[0]
                    key = self._java.view(path).key_of(other)
                    self._add(view.key_of(index), EdgeKind.OVERRIDES, key, definition.name_line)
                    break

    def _shape(self, view: FileView, scope: int) -> tuple[str, ...]:
        return tuple(simple_name(item.annotation) for item in view.parameters(scope))

    def _calls(self, scope: int) -> None:
        view = self._view
        caller = view.caller_key(scope)
        for call in view.facts.scopes[scope].calls:
            values = self._java.callee(view, scope, call)
            keys = list(dict.fromkeys(key for value in values if (key := self.key_of(value))))
            for key in keys:
                self._add(caller, EdgeKind.CALLS, key, call.line, 1 / len(keys))
            known = any(isinstance(value, External | Function | Method | Class) for value in values)
            name = simple_name(call.function)
            if not keys and not known and name not in ("", "this", "super"):
                self._unresolved.append(UnresolvedCall(caller, name, call.line))
