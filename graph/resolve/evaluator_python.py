"""The evaluator of Python: type tests and generic types over what all languages share."""

from __future__ import annotations

from graph.extract.facts import Attribute, Expr, Name
from graph.resolve.evaluator import Evaluator
from graph.resolve.narrowing_python import NarrowingReader
from graph.resolve.values import Values
from graph.resolve.views import FileView

__all__ = ["PythonEvaluator"]


class PythonEvaluator(NarrowingReader, Evaluator):
    """Evaluates the expressions of one Python file."""

    def _evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        if not view.tests:
            return super()._evaluate(view, scope, expr, line)
        if type(expr) is Attribute:
            if line > expr.line > 0:
                line = expr.line  # returns are read at the end of their function, which no test reaches
            values = super()._evaluate(view, scope, expr, line)
            return self.narrowed(view, scope, expr, line, values) if expr.name in view.tests else values
        values = super()._evaluate(view, scope, expr, line)
        if type(expr) is Name and expr.id in view.tests:
            return self.narrowed(view, scope, expr, line, values)
        return values
