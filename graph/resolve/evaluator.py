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
        if type(expr) is Attribute and not self._open and not self._aside:
            return self._at_top(view, scope, expr, line)
        self._nesting += 1
        try:
            return self._evaluate(view, scope, expr, line)
        finally:
            self._nesting -= 1

    def _at_top(self, view: FileView, scope: int, expr: Attribute, line: int) -> Values:
        """Return an attribute that nothing open asks for: its value is final, and several passes ask for it."""
        key = (id(expr), scope, line)
        known = self._final.get(key)
        if known is not None:
            return known[1]
        self._nesting += 1
        try:
            values = self._evaluate(view, scope, expr, line)
        finally:
            self._nesting -= 1
        self._final[key] = (expr, values)
        return values

    def _evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        kind = type(expr)  # comparing types is twice as fast as matching them, and this is the hottest path of all
        if kind is Name:
            return self.name(view, scope, expr.id, line)  # type: ignore[union-attr] # just tested
        if kind is Attribute:
            return self._attributes(view, scope, expr, line)  # type: ignore[arg-type] # just tested
        match expr:
            case CallExpr():
                key = ("call", id(expr), view.path, scope)
                known = self._memory.get(key)
                return known if known is not None else self.guarded(key, lambda: self._call(view, scope, expr, line))
            case ConstantExpr(type=type_name, value=value):
                return (Constant(type_name, value),)
            case Subscript(base=base, index=index):
                return self._indexed(view, scope, base, index, line)
            case Union(options=options):
                return union([self.evaluate(view, scope, option, line) for option in options])
            case Collection():
                return (self.literal(view, scope, expr, line),)
            case FunctionRef(scope=body):
                return self._function(view, body, line)
            case ClassRef(scope=body):
                number = view.facts.scopes[body].definition
                return (Class(view.path, number),) if number >= 0 else ()
            case _:
                return ()

    def _attributes(self, view: FileView, scope: int, expr: Attribute, line: int) -> Values:
        values = self.evaluate(view, scope, expr.base, line)
        if len(values) == 1:  # nearly always
            return self.attribute(values[0], expr.name)
        return union([self.attribute(value, expr.name) for value in values]) if values else ()

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
