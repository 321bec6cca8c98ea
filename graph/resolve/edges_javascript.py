"""The edges of one JavaScript or TypeScript file, where they differ from those of other languages."""

from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr
from graph.model import EdgeKind
from graph.resolve.edges import EdgeCollector
from graph.resolve.evaluator_javascript import ScriptEvaluator
from graph.resolve.values import Function, Instance, Method, Values

__all__ = ["ScriptEdges"]


_RUNNING = frozenset({"call", "apply"})
_WRITING = frozenset({"value", "field", "unpack", "iterate"})


class ScriptEdges(EdgeCollector):
    """See `EdgeCollector`; reading and writing a property may call an accessor."""

    def _implicit(self, scope: int) -> None:
        super()._implicit(scope)
        facts = self._view.facts.scopes[scope]
        for assign in facts.assigns:
            if isinstance(assign.target, Attribute) and assign.how.partition(":")[0] in _WRITING:
                self._accessor(scope, assign.target, "setter")
        for expr, _ in facts.references:
            if isinstance(expr, Attribute):
                self._accessor(scope, expr, "property")
        for call in facts.calls:
            read = call.function
            while isinstance(read, Attribute):
                self._accessor(scope, read, "property", of_classes=False)  # those are references: `_getters`
                read = read.base

    def _accessor(self, scope: int, expr: Attribute, wanted: str, *, of_classes: bool = True) -> None:
        if not isinstance(self._evaluator, ScriptEvaluator):
            return
        for value in self._evaluator.evaluate(self._view, scope, expr.base, expr.line):
            if isinstance(value, Instance) and not of_classes:
                continue
            for function in self._evaluator.getters(value, expr.name, wanted):
                key = self.key_of(function)
                if key:
                    self._add(self._view.caller_key(scope), EdgeKind.CALLS, key, 0)

    def _callbacks(self, caller: str, call: CallExpr, scope: int, values: Values) -> None:
        """Add the functions that `call` and `apply` run: like other callbacks they are not called by their names."""
        super()._callbacks(caller, call, scope, values)
        for value in values:
            if isinstance(value, Method) and value.name in _RUNNING and isinstance(value.owner, Function):
                key = self.key_of(value.owner)
                if key:
                    self._add(caller, EdgeKind.CALLS, key, 0)
