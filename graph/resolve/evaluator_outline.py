"""What a receiver means in languages of which outlines are read: the class around a method."""

# ruff: noqa: D102 - described once, in `EvaluatorCore`
from __future__ import annotations

from graph.resolve.evaluator import Evaluator
from graph.resolve.values import Instance, Values
from graph.resolve.views import FileView

__all__ = ["OutlineEvaluator"]


class OutlineEvaluator(Evaluator):
    """See `Evaluator`; `$this` in PHP and `self` in Ruby are bound by no scope."""

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        if name in view.self_names:
            owner, _ = view.receiver(scope)
            return (Instance(view.path, owner, is_self=True),) if owner >= 0 else ()
        return super().name(view, scope, name, line)
