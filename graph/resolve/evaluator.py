"""The evaluator: from an expression at a place to what it may stand for."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import (
    Attribute,
    CallExpr,
    ClassRef,
    Collection,
    Expr,
    FunctionRef,
    Name,
    Subscript,
    Union,
)
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.annotations import TypeReader
from graph.resolve.calls import CallReader
from graph.resolve.containers import ContainerReader
from graph.resolve.core import MAX_NESTING, union
from graph.resolve.fixtures_python import FixtureReader
from graph.resolve.members import MemberLookup
from graph.resolve.names import NameLookup
from graph.resolve.stored import StoreReader
from graph.resolve.values import Class, Constant, Function, Values
from graph.resolve.views import FileView

__all__ = ["Evaluator"]


class Evaluator(NameLookup, FixtureReader, TypeReader, MemberLookup, ContainerReader, StoreReader, CallReader):
    """Evaluates the expressions of one file, reading other files as far as it takes."""

    def evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        if self._nesting >= MAX_NESTING:
            return self.too_deep()
        self._nesting += 1
        try:
            return self._evaluate(view, scope, expr, line)
        finally:
            self._nesting -= 1

    def _evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:  # noqa: PLR0911 - one for each kind
        match expr:
            case Name(id=name):
                return self.name(view, scope, name, line)
            case Attribute(base=base, name=name):
                values = self.evaluate(view, scope, base, line)
                if len(values) == 1:  # nearly always, and this is the hot path
                    return self.attribute(values[0], name)
                return union(self.attribute(value, name) for value in values)
            case CallExpr():
                key = ("call", id(expr), view.path, scope)
                return self.guarded(key, lambda: self._call(view, scope, expr, line))
            case Subscript(base=base, index=index):
                return self._indexed(view, scope, base, index, line)
            case Union(options=options):
                return union(self.evaluate(view, scope, option, line) for option in options)
            case ConstantExpr(type=kind, value=value):
                return (Constant(kind, value),)
            case Collection():
                return (self.literal(view, scope, expr, line),)
            case FunctionRef(scope=body):
                return self._function(view, body, line)
            case ClassRef(scope=body):
                number = view.facts.scopes[body].definition
                return (Class(view.path, number),) if number >= 0 else ()
            case _:
                return ()

    def _call(self, view: FileView, scope: int, call: CallExpr, line: int) -> Values:
        values = self.evaluate(view, scope, call.function, line)
        if len(values) == 1:
            return self.called(values[0], call, view, scope)
        return union(self.called(value, call, view, scope) for value in values)

    def _indexed(self, view: FileView, scope: int, base: Expr, index: Expr, line: int) -> Values:
        values = self.evaluate(view, scope, base, line)
        if not values:
            return ()
        keys = self.evaluate(view, scope, index, line)
        return union(self.item(value, keys) for value in values)

    def _function(self, view: FileView, body: int, line: int) -> Values:
        facts = view.facts.scopes[body]
        if facts.kind != "comprehension":
            return (Function(view.path, body),)
        return union(self.evaluate(view, body, item, line) for item in facts.returns)
