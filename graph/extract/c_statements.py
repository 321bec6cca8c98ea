"""Statements of C: what they bind and return, and how surely they run. C++ adds its own."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.c_expressions import CExpressions
from graph.extract.facts import Expr
from graph.extract.python_scopes import BRANCH, LOOP, UNKNOWN

__all__ = ["CStatements"]


class CStatements(CExpressions):
    """Walks branches, loops and returns."""

    def on_if_statement(self, node: Node) -> Expr:
        before = self.body.flow
        self.body.flow = max(before, BRANCH)
        while True:
            for field in ("condition", "consequence"):
                part = node.child_by_field_name(field)
                if part is not None:
                    self.expr(part)
            other = node.child_by_field_name("alternative")
            if other is not None and self.kind(other) == "else_clause":
                parts = self.parts(other)
                other = parts[0] if parts else None
            if other is None:
                break
            if self.kind(other) != "if_statement":
                self.expr(other)
                break
            node = other  # a chain of `else if` is as deep as it is long
        self.body.flow = before
        return UNKNOWN

    def on_switch_statement(self, node: Node) -> Expr:
        self.under(BRANCH, node.named_children)
        return UNKNOWN

    def on_while_statement(self, node: Node) -> Expr:
        self.under(LOOP, node.named_children)
        return UNKNOWN

    on_do_statement = on_while_statement
    on_for_statement = on_while_statement

    def on_return_statement(self, node: Node) -> Expr:
        for part in self.parts(node):
            self.body.returns.append(self.mention(self.expr(part), part))
        return UNKNOWN
