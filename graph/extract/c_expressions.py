"""Expressions of C: names, calls, access, literals and tables. C++ adds its own.

`&f`, `*p` and `(x)` stand as what they hold; a cast as a construction of the type that runs nothing.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.c_types import SPECIFIERS, CTypes
from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, FunctionRef, Name, Subscript, Union
from graph.extract.python_scopes import UNKNOWN
from graph.extract.tree_walk import MAX_ITEMS

__all__ = ["CExpressions"]

_NULL, _NUMBER, _STRING, _CHAR = Constant("none"), Constant("float"), Constant("str"), Constant("char")
_SPREAD = Constant("spread")


class CExpressions(CTypes):
    """Walks expressions."""

    # -- leaves ---------------------------------------------------------------------------------------------------

    def on_identifier(self, node: Node) -> Expr:
        return self.name(node)

    on_field_identifier = on_identifier
    on_namespace_identifier = on_identifier

    def on_type_identifier(self, node: Node) -> Expr:
        return self.type(node)

    on_type_descriptor = on_type_identifier
    on_sized_type_specifier = on_type_identifier
    on_primitive_type = on_type_identifier
    on_struct_specifier = on_type_identifier
    on_union_specifier = on_type_identifier
    on_enum_specifier = on_type_identifier

    def on_comment(self, _node: Node) -> Expr:
        return UNKNOWN

    on_statement_identifier = on_comment
    on_preproc_directive = on_comment
    on_preproc_arg = on_comment
    on_preproc_call = on_comment
    on_attribute_specifier = on_comment
    on_attribute_declaration = on_comment
    on_storage_class_specifier = on_comment
    on_type_qualifier = on_comment
    on_goto_statement = on_comment

    def on_null(self, _node: Node) -> Expr:
        return _NULL

    def on_true(self, node: Node) -> Expr:
        return Constant("bool", self.text(node))

    on_false = on_true

    def on_number_literal(self, node: Node) -> Expr:
        text = self.text(node)[:20]
        return Constant("int", text) if text.isdigit() else _NUMBER

    def on_char_literal(self, _node: Node) -> Expr:
        return _CHAR

    def on_string_literal(self, node: Node) -> Expr:
        return self.string(node)

    def on_concatenated_string(self, node: Node) -> Expr:
        self.walk(node)
        return _STRING

    # -- access ---------------------------------------------------------------------------------------------------

    def on_field_expression(self, node: Node) -> Expr:
        base, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if base is None or field is None:
            return self.walk(node)
        inner = self.parts(field)[-1] if self.kind(field) == "dependent_name" and self.parts(field) else field
        value: Expr = Attribute(self.expr(base), self.leaf_text(inner), field.start_point[0] + 1)
        if self.kind(inner) == "template_method":
            value = self.applied(value, inner.child_by_field_name("arguments"))
        return value

    def on_subscript_expression(self, node: Node) -> Expr:
        base = node.child_by_field_name("argument")
        index = node.child_by_field_name("index") or node.child_by_field_name("indices")
        if base is None or index is None:
            return self.walk(node)
        return Subscript(self.expr(base), self.expr(index))

    def on_parenthesized_expression(self, node: Node) -> Expr:
        value: Expr = UNKNOWN
        for part in self.parts(node):
            value = self.expr(part)
        return value

    on_subscript_argument_list = on_parenthesized_expression
    on_comma_expression = on_parenthesized_expression

    def on_pointer_expression(self, node: Node) -> Expr:
        inner = node.child_by_field_name("argument")
        return self.expr(inner) if inner is not None else self.walk(node)

    # -- operators ------------------------------------------------------------------------------------------------

    def on_binary_expression(self, node: Node) -> Expr:
        """Walk a chain of operators; chains lean left and can be thousands long, so no recursion."""
        kind, operands = node.kind_id, list[Node]()
        while node.kind_id == kind:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None:
                break
            operands.append(right)
            node = left
        if node.kind_id == kind:
            self.walk(node)
        else:
            self.expr(node)
        for operand in reversed(operands):
            self.expr(operand)
        return UNKNOWN

    def on_conditional_expression(self, node: Node) -> Expr:
        condition = node.child_by_field_name("condition")
        value = self.expr(condition) if condition is not None else UNKNOWN
        sides = [node.child_by_field_name(side) for side in ("consequence", "alternative")]
        found = [self.mention(self.expr(side), side) for side in sides if side is not None]
        if sides[0] is None:
            found.insert(0, value)  # `a ?: b`
        known = tuple(value for value in found if value is not UNKNOWN)
        return Union(known) if known else UNKNOWN

    def on_cast_expression(self, node: Node) -> Expr:
        type_node, value_node = node.child_by_field_name("type"), node.child_by_field_name("value")
        of = self.type(type_node)
        value = self.mention(self.expr(value_node), value_node) if value_node is not None else UNKNOWN
        return self.cast(of, value, node)

    def cast(self, of: Expr, value: Expr, node: Node) -> Expr:
        """Return a value seen as a type; a function stays itself whatever it is cast to."""
        is_code = isinstance(of, Subscript) or isinstance(value, FunctionRef)
        if of is UNKNOWN or is_code or of == Name("void"):
            return value
        return CallExpr(of, node.start_point[0] + 1, (value,), constructs=True)

    def on_sizeof_expression(self, node: Node) -> Expr:
        for part in self.parts(node):
            if self.kind(part) == "type_descriptor" or self.kind(part) in SPECIFIERS:
                self.type(part)
            else:
                self.expr(part)
        return UNKNOWN

    def on_assignment_expression(self, node: Node) -> Expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.walk(node)
        place = self.expr(left)
        value = self.mention(self.expr(right), right)
        operator = node.child_by_field_name("operator")
        is_plain = operator is None or operator.end_byte - operator.start_byte == 1
        if is_plain and isinstance(place, Name | Attribute | Subscript):
            self.write(self.place(place, node.start_point[0] + 1), value, node.end_point[0] + 1)
        return value

    # -- calls ----------------------------------------------------------------------------------------------------

    def on_call_expression(self, node: Node) -> Expr:
        function_node = node.child_by_field_name("function")
        if function_node is None:
            return self.walk(node)
        return self.call(self.expr(function_node), node, node.child_by_field_name("arguments"))

    def call(self, function: Expr, node: Node, arguments: Node | None, *, constructs: bool = False) -> Expr:
        """Record a call."""
        handed = self.handed(arguments)
        start = node.start_point[0] + 1
        named = function.base if isinstance(function, Subscript) else function
        line = named.line if isinstance(named, Attribute) and named.line else start
        call = CallExpr(function, line, handed, constructs=constructs, start_line=0 if start == line else start)
        self.body.calls.append(call)
        return call

    def handed(self, arguments: Node | None) -> tuple[Expr, ...]:
        """Return what a call hands over."""
        if arguments is None:
            return ()
        self.depth += 1  # a call inside a call takes twice the frames of other nodes
        found = [self.mention(self.expr(part), part) for part in self.parts(arguments)]
        self.depth -= 1
        return tuple(found)

    # -- literals -------------------------------------------------------------------------------------------------

    def on_compound_literal_expression(self, node: Node) -> Expr:
        of, value = self.type(node.child_by_field_name("type")), node.child_by_field_name("value")
        inner = self.expr(value) if value is not None else UNKNOWN
        return inner if isinstance(of, Subscript) else CallExpr(of, node.start_point[0] + 1, (inner,), constructs=True)

    def on_initializer_list(self, node: Node) -> Expr:
        """Return a table; designated members are its keys."""
        keys: list[Expr] = []
        values: list[Expr] = []
        is_keyed = False
        for part in self.parts(node):
            key: Expr = _SPREAD
            inner: Node | None = part
            if self.kind(part) == "initializer_pair":
                inner = part.child_by_field_name("value")
                key = self._designated(part)
                is_keyed = is_keyed or key is not _SPREAD
            if inner is not None:
                keys.append(key)
                values.append(self.mention(self.expr(inner), inner))
        if is_keyed and _SPREAD not in keys:
            return Collection("dict", tuple(values[:MAX_ITEMS]), tuple(keys[:MAX_ITEMS]))
        return Collection("list", tuple(values[:MAX_ITEMS]))

    def _designated(self, pair: Node) -> Expr:
        for designator in pair.children_by_field_name("designator"):
            parts = self.parts(designator)
            if self.kind(designator) == "field_designator" and parts:
                return Constant("str", self.text(parts[0]))
            self.walk(designator)
        return _SPREAD
