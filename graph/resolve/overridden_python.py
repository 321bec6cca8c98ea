"""What an inherited method gives where the class of the receiver overrides what the method asks its receiver for.

A method is evaluated once, for the class that defines it. Where it returns `self.kind()` and a subclass has another
`kind`, that is wrong for the subclass. Only what is returned straight from the receiver is looked at again: evaluating
whole methods for each class below them would multiply the work by the number of classes.
"""

from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Expr, Name
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import Class, Function, Instance, Values
from graph.resolve.views import FileView

__all__ = ["OverriddenReader"]

_MAX_NAMES = 3
"""Local names between what is asked of the receiver and what is returned."""


class OverriddenReader(EvaluatorCore):
    """Reads what methods return of their receiver for the class of that receiver."""

    def returned_to(self, function: Function, values: Values) -> Values:
        """Return what a method returns to its receiver; `values` is what it returns to one of its own class."""
        receiver = function.receiver
        if not isinstance(receiver, Instance | Class):
            return values
        view = self.view(function.path)
        index = view.class_around(function.scope)
        if index < 0 or (receiver.path, receiver.index) == (function.path, index):
            return values
        facts = view.facts.scopes[function.scope]
        if facts.return_annotation is not None or facts.is_generator or not facts.parameters:
            return values
        asked = [_asked(view, function.scope, item) for item in facts.returns]
        own, theirs = Class(function.path, index), Class(receiver.path, receiver.index)
        if not any(item is not None and self._is_overridden(own, theirs, item[0]) for item in asked):
            return values
        return self.guarded(("returned to", function), lambda: self._returned_to(view, function, theirs)) or values

    def _is_overridden(self, own: Class, theirs: Class, name: str) -> bool:
        found = self.member(theirs, name)
        return bool(found) and own in self.ancestors(theirs) and found != self.member(own, name)

    def _returned_to(self, view: FileView, function: Function, theirs: Class) -> Values:
        definition = view.definition_of(function.scope)
        end = definition.end_line + 1 if definition else 0
        own = Class(view.path, view.class_around(function.scope))
        found: list[Values] = []
        for item in view.facts.scopes[function.scope].returns:
            asked = _asked(view, function.scope, item)
            if asked is None or function.receiver is None or not self._is_overridden(own, theirs, asked[0]):
                found.append(self.evaluate(view, function.scope, item, end))
                continue
            name, call = asked
            held = self.attribute(function.receiver, name)
            if call is not None:
                held = union(self.called(value, call, view, function.scope) for value in held)
            found.append(held)
        return union(found)


def _asked(view: FileView, scope: int, expr: Expr) -> tuple[str, CallExpr | None] | None:
    """Return the attribute of the receiver that an expression is, and the call of it; None for anything else."""
    for _ in range(_MAX_NAMES):
        if not isinstance(expr, Name):
            break
        bindings = view.bindings(scope, expr.id)
        assign = bindings.values[0].assign if bindings is not None and len(bindings.values) == 1 else None
        if assign is None or assign.how != "value":
            return None
        expr = assign.value
    call = expr if isinstance(expr, CallExpr) else None
    inner = call.function if call is not None else expr
    if not isinstance(inner, Attribute) or not isinstance(inner.base, Name):
        return None
    return (inner.name, call) if inner.base.id == view.facts.scopes[scope].parameters[0].name else None
