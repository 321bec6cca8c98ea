"""Expressions and statements that C++ has beyond C: qualified names, templates, construction, lambdas, ranges.

A named cast stands as a construction of its type that runs nothing. `T x(a)` and `T x{a}` are calls that construct;
inside of functions so is what reads as a prototype whose parameters are all plain names.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.c_definitions import CDefinitions
from graph.extract.c_types import Declared
from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, FunctionRef, Name
from graph.extract.python_scopes import BRANCH, LOOP, UNKNOWN

__all__ = ["CppExpressions"]

_THIS = Name("this")
_CASTS = frozenset({"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"})
_MAX_BINDINGS = 64


class CppExpressions(CDefinitions):
    """Walks expressions and statements."""

    # -- leaves ---------------------------------------------------------------------------------------------------

    def on_this(self, _node: Node) -> Expr:
        return _THIS

    def on_raw_string_literal(self, _node: Node) -> Expr:
        return Constant("str")

    def on_user_defined_literal(self, node: Node) -> Expr:
        self.walk(node)
        return UNKNOWN

    def on_access_specifier(self, _node: Node) -> Expr:
        return UNKNOWN

    on_literal_suffix = on_access_specifier
    on_ref_qualifier = on_access_specifier
    on_virtual_specifier = on_access_specifier
    on_auto = on_access_specifier

    def on_class_specifier(self, node: Node) -> Expr:
        return self.type(node)

    def on_qualified_identifier(self, node: Node) -> Expr:
        return self.qualified(node)

    def on_template_function(self, node: Node) -> Expr:
        name = node.child_by_field_name("name")
        base: Expr = Name(self.leaf_text(name)) if name is not None else UNKNOWN
        return self.applied(base, node.child_by_field_name("arguments"))

    on_template_method = on_template_function

    def on_template_type(self, node: Node) -> Expr:
        return self.type(node)

    # -- calls and construction -----------------------------------------------------------------------------------

    def on_call_expression(self, node: Node) -> Expr:
        function_node, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function_node is not None and self.kind(function_node) == "template_function":
            name = function_node.child_by_field_name("name")
            if name is not None and self.text(name) in _CASTS:
                return self._named_cast(node, function_node, arguments)
        return super().on_call_expression(node)

    def _named_cast(self, node: Node, function_node: Node, arguments: Node | None) -> Expr:
        given = function_node.child_by_field_name("arguments")
        types = [self.type(part) for part in self.parts(given)] if given is not None else []
        values = self.handed(arguments)
        value = values[0] if values else UNKNOWN
        return self.cast(types[0], value, node) if types else value

    def cast(self, of: Expr, value: Expr, node: Node) -> Expr:
        if of is UNKNOWN or of == Name("void") or isinstance(value, FunctionRef):
            return value
        return CallExpr(of, node.start_point[0] + 1, (value,), constructs=True)

    def on_new_expression(self, node: Node) -> Expr:
        type_node, arguments = node.child_by_field_name("type"), node.child_by_field_name("arguments")
        placement = node.child_by_field_name("placement")
        self.handed(placement)
        if type_node is None:
            return self.walk(node)
        if (declarator := node.child_by_field_name("declarator")) is not None:
            self.walk(declarator)
        return self.call(self.type(type_node), node, arguments, constructs=True)

    def on_compound_literal_expression(self, node: Node) -> Expr:
        """Read `T{a, b}`, which constructs."""
        type_node, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        return self.call(self.type(type_node), node, value, constructs=True)

    def first_value(self, value_node: Node | None, of: Expr, declarator: Node) -> Expr | None:
        if value_node is None:
            return None
        if self.kind(value_node) in ("argument_list", "initializer_list") and of is not UNKNOWN:
            name = self.declared(declarator)
            is_object = name.pointed is None and not name.is_array and not self._is_table(declarator, value_node)
            if is_object:
                return self.call(of, declarator, value_node, constructs=True)
        return super().first_value(value_node, of, declarator)

    def _is_table(self, declarator: Node, value_node: Node) -> bool:
        """Tell whether a value is written `= {...}`, which may fill a plain struct rather than call anything."""
        return self.kind(value_node) == "initializer_list" and any(child.type == "=" for child in declarator.children)

    def prototype(self, found: Declared, of: Expr, line: int) -> None:
        parts = self._constructed(found)
        if parts and found.name is not None and found.function is not None:
            handed = tuple(self.mention(self.expr(part), part) for part in parts)
            call = CallExpr(of, found.name.start_point[0] + 1, handed, constructs=True)
            self.body.calls.append(call)
            self.assign(Name(self.leaf_text(found.name)), of, line, "annotation")
            self.assign(Name(self.leaf_text(found.name)), call, line)
            return
        super().prototype(found, of, line)

    def _constructed(self, found: Declared) -> list[Node]:
        """Return the arguments of `T x(a, b);` in a function, where only the types of names could tell it apart."""
        if found.function is None or self.body.kind not in ("function", "lambda"):
            return []
        listed = found.function.child_by_field_name("parameters")
        types: list[Node] = []
        for part in self.parts(listed) if listed is not None else ():
            of = part.child_by_field_name("type")
            if (
                of is None
                or len(self.parts(part)) != 1
                or self.kind(of) not in ("type_identifier", "qualified_identifier")
            ):
                return []
            types.append(of)
        return types

    # -- lambdas ----------------------------------------------------------------------------------------------------

    def on_lambda_expression(self, node: Node) -> Expr:
        outer = self.body
        captures, block = node.child_by_field_name("captures"), node.child_by_field_name("body")
        declarator = node.child_by_field_name("declarator")
        head = declarator.child_by_field_name("parameters") if declarator is not None else None
        parameters = self.parameters(head)
        body = self.open("lambda", outer.qualname)
        for capture in self.parts(captures) if captures is not None else ():
            self._capture(capture, body.number)
        body.parameters = parameters
        if block is not None:
            self.body = body
            self.expr(block)
            self.body = outer
        return FunctionRef(body.number)

    def _capture(self, node: Node, number: int) -> None:
        """Bind `[x = value]` in the lambda; other captures are seen by scope."""
        if self.kind(node) != "lambda_capture_initializer":
            return
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        value, outer = self.mention(self.expr(right), right), self.body
        self.body = self.bodies[number]
        self.assign(self.name(left), value, node.start_point[0] + 1)
        self.body = outer

    # -- statements -------------------------------------------------------------------------------------------------

    def on_for_range_loop(self, node: Node) -> Expr:
        right = node.child_by_field_name("right")
        of = self.type(node.child_by_field_name("type"))
        value = self.expr(right) if right is not None else UNKNOWN
        found = self.declared(node.child_by_field_name("declarator"))
        line = node.start_point[0] + 1
        before, self.body.flow = self.body.flow, max(self.body.flow, LOOP)
        if found.name is not None and self.kind(found.name) == "structured_binding_declarator":
            for place, name in enumerate(self.parts(found.name)[:_MAX_BINDINGS]):
                self.assign(self.name(name), value, line, f"iterate:{place}")
        elif found.name is not None:
            target = self.name(found.name)
            if of is not UNKNOWN:
                self.assign(target, of, line, "annotation")
            self.assign(target, value, line, "iterate")
        inner = node.child_by_field_name("body")
        if inner is not None:
            self.expr(inner)
        self.body.flow = before
        return UNKNOWN

    def declare(self, node: Node, declarator: Node, of: Expr, value_node: Node | None, words: tuple[str, ...]) -> None:
        found = self.declared(declarator)
        if found.name is None or self.kind(found.name) != "structured_binding_declarator":
            super().declare(node, declarator, of, value_node, words)
            return
        value = self.expr(value_node) if value_node is not None else UNKNOWN
        for place, name in enumerate(self.parts(found.name)[:_MAX_BINDINGS]):
            self.assign(self.name(name), value, declarator.end_point[0] + 1, f"unpack:{place}")

    def on_try_statement(self, node: Node) -> Expr:
        self.under(BRANCH, node.named_children)
        return UNKNOWN

    def on_catch_clause(self, node: Node) -> Expr:
        for parameter in self.parameters(node.child_by_field_name("parameters")):
            if parameter.name and parameter.annotation is not None:
                self.assign(Name(parameter.name), parameter.annotation, node.start_point[0] + 1, "annotation")
        body = node.child_by_field_name("body")
        return self.expr(body) if body is not None else UNKNOWN

    def on_co_return_statement(self, node: Node) -> Expr:
        return self.on_return_statement(node)

    def on_field_initializer_list(self, node: Node) -> Expr:
        """Record what a constructor gives to fields, and the bases that it constructs; which is which types tell."""
        for part in self.parts(node):
            name, *rest = self.parts(part) or [part]
            value: Expr = UNKNOWN
            handed = self.handed(rest[0]) if rest else ()
            if self.kind(name) == "field_identifier":
                value = handed[0] if len(handed) == 1 else Collection("list", handed)
                self.assign(Attribute(_THIS, self.text(name)), value, part.end_point[0] + 1)
                of: Expr = self.name(name)
            else:
                of = self.type(name)
            self.body.calls.append(CallExpr(of, 0, handed, constructs=True))
        return UNKNOWN

    def on_requires_expression(self, node: Node) -> Expr:
        del node
        self.notes.add("what a concept requires was not followed")
        return UNKNOWN

    on_requires_clause = on_requires_expression
