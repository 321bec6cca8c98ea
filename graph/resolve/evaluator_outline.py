"""What names mean in languages of which outlines are read: receivers, and types seen from inside of types."""

# ruff: noqa: D102 - described once, in `EvaluatorCore`
from __future__ import annotations

from graph.resolve.bindings import Bindings
from graph.resolve.core import union
from graph.resolve.evaluator import Evaluator
from graph.resolve.values import Instance, Values
from graph.resolve.views import CLASS_KINDS, FileView

__all__ = ["OutlineEvaluator"]


class OutlineEvaluator(Evaluator):
    """See `Evaluator`; `$this` in PHP and `self` in Ruby are bound by no scope."""

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        if name in view.self_names:
            owner, _ = view.receiver(scope)
            return (Instance(view.path, owner, is_self=True),) if owner >= 0 else ()
        return super().name(view, scope, name, line)

    def find(self, view: FileView, scope: int, name: str) -> tuple[int, bool] | None:
        """Look into the bodies of types too: what is nested in one is visible in it. PHP nests no types."""
        if view.language == "php":
            return super().find(view, scope, name)
        number = scope
        while number >= 0:
            if view.binds(number, name):
                return number, number == scope
            number = view.facts.scopes[number].parent
        return None

    def bound(self, view: FileView, bindings: Bindings, line: int) -> Values:
        """Return the types of a name, where it has any: parts of one type, or a Scala class before its companion."""
        definitions = view.facts.definitions
        types = [item for item in bindings.everything if item.definition >= 0]
        types = [item for item in types if definitions[item.definition].kind in CLASS_KINDS]
        plain = [item for item in types if "object" not in definitions[item.definition].modifiers]
        if len(types) > 1:
            return union(self.binding(view, item) for item in plain or types)
        return super().bound(view, bindings, line)
