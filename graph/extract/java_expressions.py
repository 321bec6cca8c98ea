"""Expressions of Java: names, calls, construction, lambdas and method references.

A cast stands as a construction of the type that runs nothing; `Foo::new` as the type; `A.this` as the attribute `this`
of the type. The value of an anonymous class is a construction of the class, the call is one of what it extends.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import (
    Attribute,
    CallExpr,
    ClassRef,
    Collection,
    Constant,
    Expr,
    FunctionRef,
    Name,
    Parameter,
    Subscript,
    Union,
)
from graph.extract.java_types import JavaTypes
from graph.extract.python_scopes import UNKNOWN
from graph.extract.tree_walk import MAX_ITEMS

__all__ = ["JavaExpressions"]

_NULL = Constant("none")
_FLOAT = Constant("float")
_STRING = Constant("str")
_THIS, _SUPER = Name("this"), Name("super")


class JavaExpressions(JavaTypes):
    """Walks expressions."""

    # -- leaves ---------------------------------------------------------------------------------------------------

    def on_identifier(self, node: Node) -> Expr:
        return self.name(node)

    def on_this(self, _node: Node) -> Expr:
        return _THIS

    def on_super(self, _node: Node) -> Expr:
        return _SUPER

    def on_line_comment(self, _node: Node) -> Expr:
        return UNKNOWN

    on_block_comment = on_line_comment
    on_underscore_pattern = on_line_comment

    def on_null_literal(self, _node: Node) -> Expr:
        return _NULL

    def on_true(self, node: Node) -> Expr:
        return Constant("bool", self.text(node))

    on_false = on_true

    def on_decimal_integer_literal(self, node: Node) -> Expr:
        return Constant("int", self.text(node)[:20])

    on_hex_integer_literal = on_decimal_integer_literal
    on_octal_integer_literal = on_decimal_integer_literal
    on_binary_integer_literal = on_decimal_integer_literal

    def on_character_literal(self, _node: Node) -> Expr:
        return Constant("char")

    def on_decimal_floating_point_literal(self, _node: Node) -> Expr:
        return _FLOAT

    on_hex_floating_point_literal = on_decimal_floating_point_literal

    def on_string_literal(self, node: Node) -> Expr:
        return self.string(node)

    def on_class_literal(self, node: Node) -> Expr:
        for part in self.parts(node):
            self.type(part)
        return Constant("class")

    # -- access ---------------------------------------------------------------------------------------------------

    def on_type_identifier(self, node: Node) -> Expr:
        return self.type(node)

    on_generic_type = on_type_identifier
    on_array_type = on_type_identifier
    on_scoped_type_identifier = on_type_identifier
    on_annotated_type = on_type_identifier

    def on_scoped_identifier(self, node: Node) -> Expr:
        return self.dotted(node)

    def on_field_access(self, node: Node) -> Expr:
        base, field = node.child_by_field_name("object"), node.child_by_field_name("field")
        if base is None or field is None:
            return self.walk(node)
        return Attribute(self.expr(base), self.text(field), field.start_point[0] + 1)

    def on_array_access(self, node: Node) -> Expr:
        base, index = node.child_by_field_name("array"), node.child_by_field_name("index")
        if base is None or index is None:
            return self.walk(node)
        return Subscript(self.expr(base), self.expr(index))

    def on_parenthesized_expression(self, node: Node) -> Expr:
        value: Expr = UNKNOWN
        for part in self.parts(node):
            value = self.expr(part)
        return value

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
        values = [self.walk(node) if node.kind_id == kind else self.expr(node)]
        values.extend(self.expr(operand) for operand in reversed(operands))
        return _STRING if any(isinstance(value, Constant) and value.type == "str" for value in values) else UNKNOWN

    def on_ternary_expression(self, node: Node) -> Expr:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self.expr(condition)
        sides = [node.child_by_field_name(side) for side in ("consequence", "alternative")]
        found = [self.mention(self.expr(side), side) for side in sides if side is not None]
        known = tuple(value for value in found if value is not UNKNOWN)
        return Union(known) if known else UNKNOWN

    def on_cast_expression(self, node: Node) -> Expr:
        type_nodes, value_node = node.children_by_field_name("type"), node.child_by_field_name("value")
        types = [self.type(part) for part in type_nodes]
        value = self.mention(self.expr(value_node), value_node) if value_node is not None else UNKNOWN
        if isinstance(value, FunctionRef) or not types:
            return value
        return CallExpr(types[0], node.start_point[0] + 1, (value,), constructs=True)

    def on_instanceof_expression(self, node: Node) -> Expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.expr(left)
        name, pattern = node.child_by_field_name("name"), node.child_by_field_name("pattern")
        of = self.type(right) if right is not None else UNKNOWN
        if name is not None:
            self.assign(self.name(name), of, name.start_point[0] + 1, "annotation")
        if pattern is not None:
            self.expr(pattern)
        return UNKNOWN

    # -- patterns -------------------------------------------------------------------------------------------------

    def on_type_pattern(self, node: Node) -> Expr:
        parts = [part for part in self.parts(node) if self.kind(part) != "modifiers"]
        if len(parts) == 2 and self.kind(parts[1]) == "identifier":
            self._bind_pattern(parts[0], parts[1])
        return UNKNOWN

    on_record_pattern_component = on_type_pattern

    def on_record_pattern(self, node: Node) -> Expr:
        for part in self.parts(node):
            if self.kind(part) == "record_pattern_body":
                self.walk(part)
            else:
                self.type(part)
        return UNKNOWN

    def _bind_pattern(self, type_node: Node, name: Node) -> None:
        of = self.declared(type_node, type_node)
        self.assign(self.name(name), of or UNKNOWN, name.start_point[0] + 1, "annotation" if of else "value")

    # -- calls ----------------------------------------------------------------------------------------------------

    def on_method_invocation(self, node: Node) -> Expr:
        name, base = node.child_by_field_name("name"), node.child_by_field_name("object")
        if name is None:
            return self.walk(node)
        function: Expr = self.name(name)
        if base is not None:
            of = self.expr(base)
            if any(self.kind(part) == "super" and part != base for part in node.named_children):
                of = Attribute(of, "super", base.end_point[0] + 1)
            function = Attribute(of, self.text(name), name.start_point[0] + 1)
        for given in node.children_by_field_name("type_arguments"):
            for part in self.parts(given):
                self.type(part)
        return self.call(function, node, name.start_point[0] + 1, node.child_by_field_name("arguments"))

    def call(self, function: Expr, node: Node, line: int, arguments: Node | None, *, constructs: bool = False) -> Expr:
        """Record a call."""
        handed = tuple(self.mention(self.expr(part), part) for part in self.parts(arguments)) if arguments else ()
        start = node.start_point[0] + 1
        call = CallExpr(function, line, handed, constructs=constructs, start_line=0 if start == line else start)
        self.body.calls.append(call)
        return call

    def on_explicit_constructor_invocation(self, node: Node) -> Expr:
        target = node.child_by_field_name("constructor")
        if target is None:
            return self.walk(node)
        if (outer := node.child_by_field_name("object")) is not None:
            self.expr(outer)
        arguments = node.child_by_field_name("arguments")
        self.call(self.expr(target), node, target.start_point[0] + 1, arguments, constructs=True)
        return UNKNOWN

    def on_object_creation_expression(self, node: Node) -> Expr:
        type_node = node.child_by_field_name("type")
        if type_node is None:
            return self.walk(node)
        of: Expr | None = None
        for part in self.parts(node):
            if part.start_byte >= type_node.start_byte:
                break
            if self.kind(part) in ("annotation", "marker_annotation", "type_arguments"):
                self.walk(part)
            else:  # `outer.new Inner()`: the name is looked up in the type of what stands before
                outer = self.expr(part)
                of = Attribute(outer, self.text(type_node), type_node.start_point[0] + 1)
        of = of or self.type(type_node)
        arguments = node.child_by_field_name("arguments")
        call = self.call(of, node, type_node.end_point[0] + 1, arguments, constructs=True)
        bodies = [part for part in self.parts(node) if self.kind(part) == "class_body"]
        if not bodies or not self.parts(bodies[0]):  # `new TypeToken<List<String>>() {}` defines nothing
            return call
        scope = self.anonymous_class(type_node, bodies[0], of)
        return CallExpr(ClassRef(scope), node.start_point[0] + 1, constructs=True)

    def anonymous_class(self, name_node: Node, body: Node, of: Expr) -> int:
        """Define a class without a name of its own and return its scope; the walker of definitions says how."""
        raise NotImplementedError

    # -- arrays, functions ------------------------------------------------------------------------------------------

    def on_array_creation_expression(self, node: Node) -> Expr:
        self.type(node.child_by_field_name("type"))
        for size in node.children_by_field_name("dimensions"):
            self.walk(size)
        value = node.child_by_field_name("value")
        return self.expr(value) if value is not None else Collection("list", ())

    def on_array_initializer(self, node: Node) -> Expr:
        values = [self.mention(self.expr(part), part) for part in self.parts(node)]
        return Collection("list", tuple(values[:MAX_ITEMS]))

    on_element_value_array_initializer = on_array_initializer

    def on_method_reference(self, node: Node) -> Expr:
        parts = [part for part in self.parts(node) if self.kind(part) != "type_arguments"]
        if not parts:
            return UNKNOWN
        base = self.expr(parts[0])
        if len(parts) == 1:  # `Foo::new`, `int[]::new`
            return base
        return Attribute(base, self.text(parts[-1]), parts[-1].start_point[0] + 1)

    def on_lambda_expression(self, node: Node) -> Expr:
        outer = self.body
        head, inner = node.child_by_field_name("parameters"), node.child_by_field_name("body")
        if head is not None and self.kind(head) == "identifier":
            parameters: tuple[Parameter, ...] = (Parameter(self.text(head)),)
        else:
            parameters = self.parameters(head)
        body = self.enter("lambda", outer.qualname)
        body.parameters = parameters
        if inner is not None:
            value = self.expr(inner)
            if self.kind(inner) != "block":
                body.returns.append(self.mention(value, inner))
        self.body = outer
        return FunctionRef(body.number)

    # -- annotations ----------------------------------------------------------------------------------------------

    def on_annotation(self, node: Node) -> Expr:
        """Mention the type of an annotation, and what its elements mention; nothing runs."""
        name = node.child_by_field_name("name")
        value = self.mention(self.expr(name), name) if name is not None else UNKNOWN
        arguments = node.child_by_field_name("arguments")
        for part in self.parts(arguments) if arguments is not None else ():
            inner = part.child_by_field_name("value") if self.kind(part) == "element_value_pair" else part
            if inner is not None:
                self.mention(self.expr(inner), inner)
        return value

    on_marker_annotation = on_annotation
