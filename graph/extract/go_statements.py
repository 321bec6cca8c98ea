"""Statements of Go: what they bind and return, and how surely they run."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Assign, Attribute, Collection, Expr, Name, Subscript
from graph.extract.go_expressions import GoExpressions
from graph.extract.python_scopes import BRANCH, LOOP, UNKNOWN

__all__ = ["GoStatements"]

_COMMA_OK = frozenset({"index_expression", "type_assertion_expression", "unary_expression"})
"""`v, ok := m[k]`, `v, ok := x.(T)`, `v, ok := <-ch`: the second value says whether there is a first."""


class GoStatements(GoExpressions):
    """Walks assignments, branches, loops and returns."""

    # -- assignments ----------------------------------------------------------------------------------------------

    def on_short_var_declaration(self, node: Node) -> Expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.walk(node)
        self.assign_all(self.parts(left), self.parts(right), node.end_point[0] + 1)
        return UNKNOWN

    on_receive_statement = on_short_var_declaration

    def on_assignment_statement(self, node: Node) -> Expr:
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.end_byte - operator.start_byte > 1:
            return self.walk(node)  # `x += y` gives x nothing that could be followed
        return self.on_short_var_declaration(node)

    def assign_all(self, targets: list[Node], values: list[Node], line: int) -> None:
        """Record `a, b = c, d`, and `a, b = f()` by place."""
        found = [self.mention(self.expr(value), value) for value in values]
        if len(found) == len(targets):
            for target, value in zip(targets, found, strict=True):
                self.give(target, value, line)
            return
        if len(found) != 1:
            for target in targets:
                self.expr(target)
            return
        is_checked = len(targets) == 2 and self.kind(values[0]) in _COMMA_OK
        for place, target in enumerate(targets):
            if is_checked:
                self.give(target, found[0] if place == 0 else UNKNOWN, line)
            else:
                self.give(target, found[0], line, f"unpack:{place}")

    def give(self, target: Node, value: Expr, line: int, how: str = "value") -> None:
        """Record what one target is given; `_` takes nothing."""
        place = self.expr(target)
        if isinstance(place, Name | Attribute | Subscript) and place != Name("_"):
            self.assign(place, value, line, how)

    # -- branches and loops -----------------------------------------------------------------------------------------

    def on_if_statement(self, node: Node) -> Expr:
        before = self.body.flow
        self.body.flow = max(before, BRANCH)  # what the head binds is seen in the statement only
        while True:
            for field in ("initializer", "condition", "consequence"):
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

    def on_expression_switch_statement(self, node: Node) -> Expr:
        self.under(BRANCH, node.named_children)
        return UNKNOWN

    on_select_statement = on_expression_switch_statement

    def on_type_switch_statement(self, node: Node) -> Expr:
        before = self.body.flow
        self.body.flow = max(before, BRANCH)
        alias = node.child_by_field_name("alias")
        names = self.parts(alias) if alias is not None else []
        value_node = node.child_by_field_name("value")
        value = self.expr(value_node) if value_node is not None else UNKNOWN
        name = self.name(names[0]) if names else None
        if name is not None:
            self.assign(name, value, node.start_point[0] + 1)
        for part in self.parts(node):
            if self.kind(part) == "type_case":
                self._type_case(part, name)
            elif self.kind(part) == "default_case":
                self.walk(part)
        self.body.flow = before
        return UNKNOWN

    def _type_case(self, node: Node, name: Name | None) -> None:
        types = [part for part in node.children_by_field_name("type") if part.is_named]
        found = [self.type(part) for part in types]
        if name is not None and len(found) == 1:
            # A test holds from the line after its own; here it holds on the line of the case too: `case T: v.Run()`.
            end = node.end_point[0] + 1
            self.body.assigns.append(Assign(name, found[0], f"narrow:{end}", node.start_point[0], BRANCH))
        for part in self.parts(node)[len(types) :]:
            self.expr(part)

    def on_for_statement(self, node: Node) -> Expr:
        self.under(LOOP, node.named_children)
        return UNKNOWN

    def on_range_clause(self, node: Node) -> Expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.expr(right) if right is not None else UNKNOWN
        # Ranging gives pairs: place or key, and element.
        for place, target in enumerate(self.parts(left) if left is not None else []):
            self.give(target, value, node.start_point[0] + 1, f"iterate:{place}")
        return UNKNOWN

    # -- jumps ----------------------------------------------------------------------------------------------------

    def on_return_statement(self, node: Node) -> Expr:
        parts = self.parts(node)
        listed = self.parts(parts[0]) if parts and self.kind(parts[0]) == "expression_list" else parts
        values = tuple(self.mention(self.expr(part), part) for part in listed)
        if values:
            self.body.returns.append(values[0] if len(values) == 1 else Collection("tuple", values))
        return UNKNOWN

    def on_send_statement(self, node: Node) -> Expr:
        for part in self.parts(node):
            self.mention(self.expr(part), part)
        return UNKNOWN
