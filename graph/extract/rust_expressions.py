"""Expressions of Rust; a block is one too, and its value is that of its last expression."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from graph.extract.facts import (
    Attribute,
    CallExpr,
    Collection,
    Constant,
    Expr,
    FunctionRef,
    Name,
    Parameter,
    Subscript,
    Union,
)
from graph.extract.python_scopes import BRANCH, LOOP, UNKNOWN
from graph.extract.rust_macros import RustMacros
from graph.extract.tree_walk import MAX_ITEMS

__all__ = ["RustExpressions"]

_NUMBER = Constant("float")
_MAX_OPTIONS = 24
"""A match with more arms gives values of one type; the first ones say which."""


class RustExpressions(RustMacros):
    """Walks expressions and statements."""

    # -- leaves ---------------------------------------------------------------------------------------------------

    def on_line_comment(self, _node: Node) -> Expr:
        return UNKNOWN

    on_block_comment = on_line_comment
    on_lifetime = on_line_comment
    on_label = on_line_comment
    on_visibility_modifier = on_line_comment
    on_token_tree = on_line_comment

    def on_string_literal(self, node: Node) -> Expr:
        return self.string(node)

    on_raw_string_literal = on_string_literal

    def on_integer_literal(self, node: Node) -> Expr:
        return Constant("int", self.text(node)[:20])

    def on_float_literal(self, _node: Node) -> Expr:
        return _NUMBER

    def on_char_literal(self, node: Node) -> Expr:
        return Constant("char", self.short_text(node))

    def on_boolean_literal(self, node: Node) -> Expr:
        return Constant("bool", self.text(node))

    def on_unit_expression(self, _node: Node) -> Expr:
        return Constant("none")

    # -- access ---------------------------------------------------------------------------------------------------

    def on_field_expression(self, node: Node) -> Expr:
        base, field = node.child_by_field_name("value"), node.child_by_field_name("field")
        if base is None or field is None:
            return self.walk(node)
        return Attribute(self.expr(base), self.text(field), field.start_point[0] + 1)

    def on_index_expression(self, node: Node) -> Expr:
        base, *rest = self.parts(node)
        value = self.expr(base)
        keys = [self.expr(part) for part in rest]
        return Subscript(value, keys[0] if keys else UNKNOWN)

    def on_generic_function(self, node: Node) -> Expr:
        function = node.child_by_field_name("function")
        self.type_arguments(node.child_by_field_name("type_arguments"))
        return self.expr(function) if function is not None else UNKNOWN

    def on_parenthesized_expression(self, node: Node) -> Expr:
        value: Expr = UNKNOWN
        for part in self.parts(node):
            if self.kind(part) != "mutable_specifier":
                value = self.expr(part)
        return value

    on_await_expression = on_parenthesized_expression
    on_try_expression = on_parenthesized_expression
    on_reference_expression = on_parenthesized_expression
    on_unsafe_block = on_parenthesized_expression
    on_async_block = on_parenthesized_expression
    on_const_block = on_parenthesized_expression
    on_try_block = on_parenthesized_expression

    def on_unary_expression(self, node: Node) -> Expr:
        value = self.on_parenthesized_expression(node)
        return value if self.data[node.start_byte : node.start_byte + 1] == b"*" else UNKNOWN

    def on_binary_expression(self, node: Node) -> Expr:
        self.joined(node, "left", "right")
        return UNKNOWN

    def on_type_cast_expression(self, node: Node) -> Expr:
        value, of = node.child_by_field_name("value"), node.child_by_field_name("type")
        if value is not None:
            self.mention(self.expr(value), value)
        self.type(of)
        return UNKNOWN

    # -- calls and constructions ------------------------------------------------------------------------------------

    def on_call_expression(self, node: Node) -> Expr:
        function_node, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function_node is None:
            return self.walk(node)
        given: tuple[tuple[str, Expr], ...] = ()
        if self.kind(function_node) == "generic_function":
            types = self.type_arguments(function_node.child_by_field_name("type_arguments"))
            given = tuple(("::<>", item) for item in types)
            function_node = function_node.child_by_field_name("function") or function_node
        function = self.expr(function_node)
        values = tuple(self.mention(self.expr(part), part) for part in self.parts(arguments)) if arguments else ()
        start = node.start_point[0] + 1
        line = function.line if isinstance(function, Attribute) and function.line else start
        call = CallExpr(function, line, values, given, start_line=0 if start == line else start)
        self.body.calls.append(call)
        return call

    def on_struct_expression(self, node: Node) -> Expr:
        of = self.type(node.child_by_field_name("name"))
        fields: list[tuple[str, Expr]] = []
        body = node.child_by_field_name("body")
        for part in self.parts(body) if body is not None else ():
            inner = self.parts(part)
            if self.kind(part) == "field_initializer" and len(inner) >= 2:
                fields.append((self.text(inner[0]), self.mention(self.expr(inner[-1]), inner[-1])))
            elif self.kind(part) == "shorthand_field_initializer" and inner:
                fields.append((self.text(inner[-1]), self.mention(self.expr(inner[-1]), inner[-1])))
            else:
                self.walk(part)
        return CallExpr(of, node.start_point[0] + 1, keywords=tuple(fields), constructs=True)

    def on_tuple_expression(self, node: Node) -> Expr:
        return self._collection(node, "tuple")

    def on_array_expression(self, node: Node) -> Expr:
        return self._collection(node, "list")

    def _collection(self, node: Node, kind: str) -> Expr:
        values = tuple(self.mention(self.expr(part), part) for part in self.parts(node))
        return Collection(kind, values[:MAX_ITEMS])

    def on_closure_expression(self, node: Node) -> Expr:
        outer = self.body
        body = self.open("lambda", outer.qualname)
        self.body = body
        body.parameters = self.parameters(node.child_by_field_name("parameters"))
        returns = node.child_by_field_name("return_type")
        body.return_annotation = self.type(returns) if returns is not None else None
        inner = node.child_by_field_name("body")
        if inner is not None:
            body.returns.append(self.mention(self.expr(inner), inner))
        self.body = outer
        return FunctionRef(body.number)

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Return parameters in order; what a pattern takes apart is assigned in the body from a name like `#0`."""
        found: list[Parameter] = []
        for part in self.parts(node) if node is not None else ():
            kind = self.kind(part)
            if kind == "self_parameter":
                found.append(Parameter("self"))
                continue
            if kind in ("attribute_item", "variadic_parameter"):
                continue
            pattern = part.child_by_field_name("pattern") if kind == "parameter" else part
            type_node = part.child_by_field_name("type") if kind == "parameter" else None
            of = self.type(type_node) if type_node is not None else None
            if pattern is None or self.kind(pattern) in ("identifier", "self"):
                found.append(Parameter(self.text(pattern) if pattern is not None else "", of))
                continue
            name = f"#{len(found)}"
            found.append(Parameter(name, of))
            self.pattern(pattern, Name(name), part.start_point[0] + 1)
        return tuple(found)

    # -- blocks and branches ----------------------------------------------------------------------------------------

    def items(self, nodes: Sequence[Node]) -> Expr:
        """Walk what stands in a block or file; the statement walker keeps the attributes of items."""
        value: Expr = UNKNOWN
        for node in nodes:
            value = self.expr(node)
        return value

    def on_block(self, node: Node) -> Expr:
        parts = self.parts(node)
        value = self.items(parts)
        last = parts[-1] if parts else None
        if last is None or self.kind(last).endswith(("_item", "_declaration")):
            return UNKNOWN
        is_statement = self.kind(last) == "expression_statement"
        if is_statement and self.data[last.end_byte - 1 : last.end_byte] == b";":
            return UNKNOWN
        return value

    def on_expression_statement(self, node: Node) -> Expr:
        return self.items(self.parts(node))

    def on_if_expression(self, node: Node) -> Expr:
        before = self.body.flow
        self.body.flow = max(before, BRANCH)
        options: list[Expr] = []
        other: Node | None = node
        while other is not None:
            if self.kind(other) == "else_clause":
                parts = self.parts(other)
                other = parts[0] if parts else None
                continue
            if self.kind(other) != "if_expression":
                options.append(self.expr(other))
                break
            condition, then = other.child_by_field_name("condition"), other.child_by_field_name("consequence")
            if condition is not None:
                self.expr(condition)
            if then is not None:
                options.append(self.expr(then))
            other = other.child_by_field_name("alternative")  # a chain of `else if` is as deep as it is long
        self.body.flow = before
        return _union(options)

    def on_let_condition(self, node: Node) -> Expr:
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        if pattern is None or value is None:
            return self.walk(node)
        self.pattern(pattern, self.expr(value), _before(node))
        return UNKNOWN

    def on_match_expression(self, node: Node) -> Expr:
        value_node, block = node.child_by_field_name("value"), node.child_by_field_name("body")
        value = self.expr(value_node) if value_node is not None else UNKNOWN
        before = self.body.flow
        self.body.flow = max(before, BRANCH)
        options = [self._arm(arm, value) for arm in self.parts(block)] if block is not None else []
        self.body.flow = before
        return _union(options)

    def _arm(self, node: Node, value: Expr) -> Expr:
        pattern, result = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        if pattern is not None:
            condition = pattern.child_by_field_name("condition")
            for part in self.parts(pattern):
                if part != condition:
                    self.pattern(part, value, _before(node))
            if condition is not None:
                self.expr(condition)
        return self.mention(self.expr(result), result) if result is not None else UNKNOWN

    def on_while_expression(self, node: Node) -> Expr:
        self.under(LOOP, self.parts(node))
        return UNKNOWN

    on_loop_expression = on_while_expression

    def on_for_expression(self, node: Node) -> Expr:
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        body = node.child_by_field_name("body")
        before = self.body.flow
        if pattern is not None and value is not None:
            taken = self.expr(value)
            self.body.flow = max(before, LOOP)
            self.pattern(pattern, taken, _before(node), "iterate")
        self.body.flow = before
        self.under(LOOP, [body] if body is not None else [])
        return UNKNOWN

    # -- statements -------------------------------------------------------------------------------------------------

    def on_let_declaration(self, node: Node) -> Expr:
        pattern, of = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        value_node, other = node.child_by_field_name("value"), node.child_by_field_name("alternative")
        line = node.end_point[0] + 1
        if pattern is None:
            return self.walk(node)
        if of is not None:
            self.pattern(pattern, self.type(of), line, "annotation")
        if value_node is not None:
            self.pattern(pattern, self.mention(self.expr(value_node), value_node), line)
        if other is not None:
            self.under(BRANCH, [other])
        return UNKNOWN

    def on_assignment_expression(self, node: Node) -> Expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.walk(node)
        value = self.mention(self.expr(right), right)
        target = self.expr(left)
        if isinstance(target, Name | Attribute | Subscript) and target != Name("_"):
            self.assign(target, value, node.end_point[0] + 1)
        return UNKNOWN

    def on_return_expression(self, node: Node) -> Expr:
        for part in self.parts(node):
            self.body.returns.append(self.mention(self.expr(part), part))
        return UNKNOWN


def _before(node: Node) -> int:
    """Return the line from which on a pattern holds: the block behind it may stand on its own line."""
    return node.start_point[0]


def _union(options: list[Expr]) -> Expr:
    known = tuple(dict.fromkeys(id(option) for option in options if option is not UNKNOWN))
    if not known:
        return UNKNOWN
    kept = [option for option in options if option is not UNKNOWN][:_MAX_OPTIONS]
    return kept[0] if len(kept) == 1 else Union(tuple(kept))
