"""Expressions of Go: names, calls, literals, functions without a name."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, FunctionRef, Name, Subscript
from graph.extract.go_types import GoTypes
from graph.extract.python_scopes import UNKNOWN
from graph.extract.tree_walk import MAX_ITEMS

__all__ = ["GoExpressions"]

_NIL = Constant("none")
_NUMBER = Constant("float")
_SLICE = Constant("slice")


class GoExpressions(GoTypes):
    """Walks expressions."""

    # -- leaves ---------------------------------------------------------------------------------------------------

    def on_identifier(self, node: Node) -> Expr:
        return self.name(node)

    on_type_identifier = on_identifier
    on_package_identifier = on_identifier
    on_field_identifier = on_identifier

    def on_comment(self, _node: Node) -> Expr:
        return UNKNOWN

    on_blank_identifier = on_comment
    on_label_name = on_comment

    def on_nil(self, _node: Node) -> Expr:
        return _NIL

    def on_true(self, node: Node) -> Expr:
        return Constant("bool", self.text(node))

    on_false = on_true

    def on_int_literal(self, node: Node) -> Expr:
        return Constant("int", self.text(node)[:20])

    on_rune_literal = on_int_literal

    def on_iota(self, _node: Node) -> Expr:
        return Constant("int")

    def on_float_literal(self, _node: Node) -> Expr:
        return _NUMBER

    on_imaginary_literal = on_float_literal

    def on_interpreted_string_literal(self, node: Node) -> Expr:
        return self.string(node)

    on_raw_string_literal = on_interpreted_string_literal

    # -- types where values stand: `make([]T, n)`, `(*T).Method` ------------------------------------------------------

    def on_slice_type(self, node: Node) -> Expr:
        return self.type(node)

    on_array_type = on_slice_type
    on_map_type = on_slice_type
    on_channel_type = on_slice_type
    on_pointer_type = on_slice_type
    on_qualified_type = on_slice_type
    on_generic_type = on_slice_type
    on_function_type = on_slice_type
    on_struct_type = on_slice_type
    on_interface_type = on_slice_type
    on_parenthesized_type = on_slice_type
    on_type_elem = on_slice_type

    # -- access ---------------------------------------------------------------------------------------------------

    def on_selector_expression(self, node: Node) -> Expr:
        base, field = node.child_by_field_name("operand"), node.child_by_field_name("field")
        if base is None or field is None:
            return self.walk(node)
        return Attribute(self.expr(base), self.text(field), field.start_point[0] + 1)

    def on_index_expression(self, node: Node) -> Expr:
        base, index = node.child_by_field_name("operand"), node.child_by_field_name("index")
        if base is None or index is None:
            return self.walk(node)
        return Subscript(self.expr(base), self.expr(index))

    def on_type_instantiation_expression(self, node: Node) -> Expr:
        first, *rest = self.parts(node)
        return self.applied(self.expr(first), [self.type(part) for part in rest])

    def on_slice_expression(self, node: Node) -> Expr:
        first, *rest = self.parts(node)
        value = self.expr(first)
        for part in rest:
            self.expr(part)
        return value

    def on_parenthesized_expression(self, node: Node) -> Expr:
        value: Expr = UNKNOWN
        for part in self.parts(node):
            value = self.expr(part)
        return value

    on_literal_element = on_parenthesized_expression
    on_variadic_argument = on_parenthesized_expression

    def on_unary_expression(self, node: Node) -> Expr:
        operand = node.child_by_field_name("operand")
        if operand is None:
            return self.walk(node)
        value = self.expr(operand)
        match self.data[node.start_byte : node.start_byte + 2]:
            case b"<-":
                return Subscript(value, _SLICE)
            case operator if operator[:1] in (b"&", b"*"):
                return value
            case _:
                return UNKNOWN

    def on_binary_expression(self, node: Node) -> Expr:
        self.joined(node, "left", "right")
        return UNKNOWN

    def on_type_assertion_expression(self, node: Node) -> Expr:
        operand = node.child_by_field_name("operand")
        if operand is not None:
            self.expr(operand)
        return self.instance(node.child_by_field_name("type"), node)

    def instance(self, type_node: Node | None, node: Node, fields: tuple[tuple[str, Expr], ...] = ()) -> Expr:
        """Return a value of a type: it is written as a construction, and is no call that runs anything."""
        return CallExpr(self.type(type_node), node.start_point[0] + 1, keywords=fields, constructs=True)

    # -- calls ----------------------------------------------------------------------------------------------------

    def on_call_expression(self, node: Node) -> Expr:
        function_node, arguments_node = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function_node is None:
            return self.walk(node)
        function = self.expr(function_node)
        if (given := node.child_by_field_name("type_arguments")) is not None:
            function = self.applied(function, [self.type(part) for part in self.parts(given)])
        arguments = [self._argument(part) for part in self.parts(arguments_node)] if arguments_node else []
        return self.call(function, node, tuple(arguments))

    def _argument(self, node: Node) -> Expr:
        value = self.expr(node)
        return UNKNOWN if self.kind(node) == "variadic_argument" else self.mention(value, node)

    def call(self, function: Expr, node: Node, arguments: tuple[Expr, ...]) -> Expr:
        """Record a call."""
        start = node.start_point[0] + 1
        named = function.base if isinstance(function, Subscript) else function
        line = named.line if isinstance(named, Attribute) and named.line else start
        call = CallExpr(function, line, arguments, start_line=0 if start == line else start)
        self.body.calls.append(call)
        return call

    def on_type_conversion_expression(self, node: Node) -> Expr:
        type_node, operand = node.child_by_field_name("type"), node.child_by_field_name("operand")
        of = self.type(type_node)
        value = self.mention(self.expr(operand), operand) if operand is not None else UNKNOWN
        if type_node is not None and self.kind(type_node) == "generic_type":
            return self.call(of, node, (value,))  # `convert[int](x)` is written like the conversion `List[int](x)`
        return CallExpr(of, node.start_point[0] + 1, (value,), constructs=True)

    # -- literals -------------------------------------------------------------------------------------------------

    def on_composite_literal(self, node: Node) -> Expr:
        type_node, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        kind = self.kind(type_node) if type_node is not None else ""
        if kind in ("slice_type", "array_type", "implicit_length_array_type", "map_type"):
            of = self.type(type_node)
            held = of.index if isinstance(of, Subscript) else UNKNOWN
            if kind == "map_type" and isinstance(held, Collection):
                held = held.values[-1]
            keys, values = self._elements(body, held)
            has_keys = kind == "map_type" and len(keys) == len(values)
            return Collection("dict" if kind == "map_type" else "list", values, keys if has_keys else ())
        keys, values = self._elements(body, UNKNOWN)
        if len(keys) != len(values):
            return self.instance(type_node, node)
        fields = tuple((key.id, value) for key, value in zip(keys, values, strict=True) if isinstance(key, Name))
        return self.instance(type_node, node, fields)

    def _elements(self, body: Node | None, held: Expr) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """Return the keys and the values of a literal; `held` is the type of values that leave it out."""
        keys: list[Expr] = []
        values: list[Expr] = []
        for part in self.parts(body) if body is not None else ():
            if self.kind(part) == "keyed_element":
                key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is None or value is None:
                    self.walk(part)
                    continue
                keys.append(self._element(key, UNKNOWN))
                values.append(self._element(value, held))
            else:
                values.append(self._element(part, held))
        return tuple(keys[:MAX_ITEMS]), tuple(values[:MAX_ITEMS])

    def _element(self, node: Node, held: Expr) -> Expr:
        parts = self.parts(node)
        inner = parts[0] if parts else node
        if self.kind(inner) == "literal_value":
            if self.depth > 100:
                return self.expr(inner)
            self.depth += 1
            keys, values = self._elements(inner, held.index if isinstance(held, Subscript) else UNKNOWN)
            self.depth -= 1
            if isinstance(held, Subscript):
                return Collection("list", values)
            paired = zip(keys, values, strict=False) if len(keys) == len(values) else ()
            fields = tuple((key.id, value) for key, value in paired if isinstance(key, Name))
            return CallExpr(held, node.start_point[0] + 1, keywords=fields, constructs=True)
        return self.mention(self.expr(inner), inner)

    def on_func_literal(self, node: Node) -> Expr:
        outer = self.body
        parameters = self.parameters(node.child_by_field_name("parameters"))
        body = self.open("lambda", outer.qualname)
        body.parameters = parameters
        body.return_annotation = self.result(node.child_by_field_name("result"), body)
        block = node.child_by_field_name("body")
        if block is not None:
            self.body = body
            self.expr(block)
            self.body = outer
        return FunctionRef(body.number)
