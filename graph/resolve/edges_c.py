"""The edges of one file of C or C++, where they differ from those of other languages."""

from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Name, Subscript
from graph.model import EdgeKind
from graph.resolve.edges import EdgeCollector
from graph.resolve.evaluator import Evaluator
from graph.resolve.evaluator_c import CEvaluator
from graph.resolve.source import UnresolvedCall
from graph.resolve.values import Class, External, Function
from graph.resolve.views import FileView

__all__ = ["CEdges"]


class CEdges(EdgeCollector):
    """See `EdgeCollector`; calls are looked up among functions and methods by their qualified names."""

    def __init__(self, evaluator: Evaluator, view: FileView) -> None:
        super().__init__(evaluator, view)
        if not isinstance(evaluator, CEvaluator):
            raise TypeError(type(evaluator).__name__)
        self._c = evaluator

    def _calls(self, scope: int) -> None:
        view = self._view
        caller = view.caller_key(scope)
        for call in view.facts.scopes[scope].calls:
            values = self._c.callee(view, scope, call)
            keys = list(dict.fromkeys(key for value in values if (key := self.key_of(value))))
            for key in keys:
                self._add(caller, EdgeKind.CALLS, key, call.line, 1 / len(keys))
            known = any(isinstance(value, External | Function | Class) for value in values)
            name = _last_name(call)
            if not keys and not known and name and call.line and not call.constructs:
                self._unresolved.append(UnresolvedCall(caller, name, call.line))

    def _overrides(self, owner: Class, scope: int) -> None:
        """Add what the methods of a class override, those that are defined outside of it too."""
        del scope
        view = self._view
        prefix = f"{view.facts.definitions[owner.index].qualname}."
        behind = self._c.ancestors(owner)[1:]
        for index, definition in enumerate(view.facts.definitions):
            if definition.qualname != f"{prefix}{definition.name}" or definition.scope < 0:
                continue
            for ancestor in behind:
                found = self._c.methods(ancestor, definition.name)
                if found and "constructor" not in definition.modifiers:
                    path, other = found[0]
                    key = self._c.view(path).key_of(other)
                    self._add(view.key_of(index), EdgeKind.OVERRIDES, key, definition.name_line)
                    break


def _last_name(call: CallExpr) -> str:
    function = call.function.base if isinstance(call.function, Subscript) else call.function
    return function.name if isinstance(function, Attribute) else function.id if isinstance(function, Name) else ""
