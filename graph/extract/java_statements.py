"""Statements of Java: what they bind and return, and how surely they run."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, Expr, Name, Subscript
from graph.extract.java_expressions import JavaExpressions
from graph.extract.python_scopes import BRANCH, LOOP, STRAIGHT, UNKNOWN

__all__ = ["JavaStatements"]


class JavaStatements(JavaExpressions):
    """Walks declarations of locals, assignments, branches, loops and returns."""

    # -- bindings -------------------------------------------------------------------------------------------------

    def on_local_variable_declaration(self, node: Node) -> Expr:
        self.annotations(node)
        type_node = node.child_by_field_name("type")
        for declarator in node.children_by_field_name("declarator"):
            self.declare(type_node, declarator, declarator.child_by_field_name("value"))
        return UNKNOWN

    def declare(self, type_node: Node | None, declarator: Node, value_node: Node | None) -> None:
        """Record the declared type of a local and its first value."""
        name = declarator.child_by_field_name("name")
        if name is None:
            self.walk(declarator)
            return
        target = self.name(name)
        line = declarator.end_point[0] + 1
        of = self.declared(type_node, declarator)
        if of is not None:
            self.assign(target, of, line, "annotation")
        if value_node is not None:
            self.assign(target, self.mention(self.expr(value_node), value_node), line)
        elif of is None:
            self.assign(target, UNKNOWN, line)

    def on_assignment_expression(self, node: Node) -> Expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.walk(node)
        place = self.expr(left)
        value = self.mention(self.expr(right), right)
        operator = node.child_by_field_name("operator")
        is_plain = operator is None or operator.end_byte - operator.start_byte == 1
        if is_plain and isinstance(place, Name | Attribute | Subscript):
            self.assign(self.place(place, node.start_point[0] + 1), value, node.end_point[0] + 1)
        return value

    def on_resource(self, node: Node) -> Expr:
        value = node.child_by_field_name("value")
        if node.child_by_field_name("name") is None:
            return self.walk(node)
        self.declare(node.child_by_field_name("type"), node, value)
        return UNKNOWN

    def on_catch_formal_parameter(self, node: Node) -> Expr:
        name = node.child_by_field_name("name")
        types = [self.type(part) for part in self.parts(node) if self.kind(part) == "catch_type"]
        if name is not None and types:
            self.assign(self.name(name), types[0], node.end_point[0] + 1, "annotation")
        return UNKNOWN

    # -- branches and loops -----------------------------------------------------------------------------------------

    def on_if_statement(self, node: Node) -> Expr:
        before = self.body.flow
        self.body.flow = max(before, BRANCH)
        while True:
            for field in ("condition", "consequence"):
                part = node.child_by_field_name(field)
                if part is not None:
                    self.expr(part)
            other = node.child_by_field_name("alternative")
            if other is None:
                break
            if self.kind(other) != "if_statement":
                self.expr(other)
                break
            node = other  # a chain of `else if` is as deep as it is long
        self.body.flow = before
        return UNKNOWN

    def on_switch_expression(self, node: Node) -> Expr:
        self.under(BRANCH, node.named_children)
        return UNKNOWN

    def on_switch_label(self, node: Node) -> Expr:
        for part in self.parts(node):
            self.mention(self.expr(part), part)
        return UNKNOWN

    def on_try_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            self.under(STRAIGHT if self.kind(child) == "finally_clause" else BRANCH, [child])
        return UNKNOWN

    on_try_with_resources_statement = on_try_statement

    def on_while_statement(self, node: Node) -> Expr:
        self.under(LOOP, node.named_children)
        return UNKNOWN

    on_do_statement = on_while_statement
    on_for_statement = on_while_statement

    def on_enhanced_for_statement(self, node: Node) -> Expr:
        value_node, name = node.child_by_field_name("value"), node.child_by_field_name("name")
        value = self.expr(value_node) if value_node is not None else UNKNOWN
        before, self.body.flow = self.body.flow, max(self.body.flow, LOOP)
        if name is not None:
            line = name.start_point[0] + 1
            of = self.declared(node.child_by_field_name("type"), node)
            if of is not None:
                self.assign(self.name(name), of, line, "annotation")
            self.assign(self.name(name), value, line, "iterate")
        inner = node.child_by_field_name("body")
        if inner is not None:
            self.expr(inner)
        self.body.flow = before
        return UNKNOWN

    def on_labeled_statement(self, node: Node) -> Expr:
        for part in self.parts(node)[1:]:
            self.expr(part)
        return UNKNOWN

    def on_break_statement(self, _node: Node) -> Expr:
        return UNKNOWN

    on_continue_statement = on_break_statement

    # -- jumps ----------------------------------------------------------------------------------------------------

    def on_return_statement(self, node: Node) -> Expr:
        for part in self.parts(node):
            self.body.returns.append(self.mention(self.expr(part), part))
        return UNKNOWN
