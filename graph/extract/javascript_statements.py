"""Statements of JavaScript and TypeScript: declarations, assignments, object literals, loops, returns.

What only holds other statements (`if`, `try`) needs no entry here: its children are visited.
"""

from __future__ import annotations

from typing import Unpack

from tree_sitter import Node

from graph.extract.facts import Attribute, ClassRef, Constant, Expr, FunctionRef, Name
from graph.extract.facts import Collection as Collected
from graph.extract.javascript_classes import define_class, method
from graph.extract.javascript_commonjs import common_export
from graph.extract.javascript_functions import (
    FUNCTIONS,
    define_function,
    function_declaration,
    named_function_expression,
    wrapped_component,
)
from graph.extract.javascript_jsdoc import doc_types
from graph.extract.javascript_modules import requires
from graph.extract.javascript_patterns import bind, property_name
from graph.extract.javascript_properties import assign_by_loop
from graph.extract.javascript_types import annotation
from graph.extract.javascript_walk import UNKNOWN, Extras, Handler, Walk, first_named
from graph.model import NodeKind

__all__ = ["STATEMENTS", "named_value"]

_ELEMENT_LIMIT = 400
_TRANSPARENT = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression"})
_GLOBALS = frozenset({"module", "exports", "this", "window", "self", "globalThis", "global"})


def variable_declaration(walk: Walk, node: Node) -> Expr:
    """`const`, `let`, `var`, also inside `for (...)` and `declare`."""
    start, walk.statement_start = walk.statement_start, -1
    for child in node.named_children:
        if child.type == "variable_declarator":
            walk.statement_start = start if start >= 0 else node.start_byte
            _declarator(walk, child, node)
    walk.statement_start = -1
    return UNKNOWN


def _declarator(walk: Walk, node: Node, statement: Node) -> None:
    pattern, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if pattern is None or (value is not None and requires(walk, pattern, value)):
        return
    type_node = node.child_by_field_name("type")
    declared = annotation(walk, type_node) if type_node is not None else None
    line = pattern.start_point[0] + 1
    if declared is None and not walk.typed:
        declared = doc_types(walk.comments.raw_above(statement.start_point[0] + 1)).type
    is_variable = walk.frame().kind == "module"
    if pattern.type != "identifier":
        start, walk.statement_start = walk.statement_start, -1
        taken = walk.value(value) if value is not None else UNKNOWN
        walk.statement_start = start
        bind(walk, pattern, declared or taken, "annotation" if declared else "value", defines=is_variable)
        return
    name = walk.text(pattern)
    if declared is not None:
        walk.assign(walk.name(name), declared, line, "annotation")
    literal = _literal(value) if value is not None else None
    if value is not None and literal is not None and (literal.type in FUNCTIONS or literal.type == "class"):
        taken = named_value(walk, value, name, line, node, annotation=declared)
        if literal.child_by_field_name("name") is not None:
            walk.assign(walk.name(name), taken, line)
        return
    component = wrapped_component(walk, literal) if literal is not None and name[:1].isupper() else None
    if literal is not None and component is not None:
        walk.component = (component.id, name, line, node)
        walk.value(literal)
        return
    if is_variable:
        walk.define(NodeKind.VARIABLE, name, node, line, annotation=declared)
    walk.statement_start = -1
    taken = named_value(walk, value, name, line, node) if value is not None else UNKNOWN
    if value is not None or declared is None:
        walk.assign(walk.name(name), taken, node.end_point[0] + 1)


def named_value(
    walk: Walk,
    value: Node,
    name: str,
    line: int,
    outer: Node,
    *,
    kind: NodeKind = NodeKind.FUNCTION,
    **extras: Unpack[Extras],
) -> Expr:
    """Visit a value that gets a name here: a function or class is defined by it, an object literal's members too.

    A function or class that has a name of its own is defined by that, and reached through its value.
    """
    literal = _literal(value)
    own = literal.child_by_field_name("name") if literal.type in FUNCTIONS or literal.type == "class" else None
    if own is not None:
        name, line = walk.text(own), own.start_point[0] + 1
        extras["modifiers"] = ("detached",)
    if literal.type in FUNCTIONS:
        return FunctionRef(define_function(walk, literal, name, line, kind=kind, outer=outer, **extras))
    if literal.type == "class":
        return ClassRef(define_class(walk, literal, name, line, outer=outer, modifiers=extras.get("modifiers", ())))
    if literal.type == "object":
        prefix = extras.get("prefix")
        walk.literal_prefix = f"{walk.scope.prefix if prefix is None else prefix}{name}."
    return walk.value(value)


def _literal(value: Node) -> Node:
    """Look through parentheses and `as T`: what stands in them still gets the name."""
    while value.type in _TRANSPARENT and (inner := first_named(value)) is not None:
        value = inner
    return value


def assignment(walk: Walk, node: Node) -> Expr:
    """`target = value`; a function assigned to a name or a property is defined by it."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return UNKNOWN
    line = left.start_point[0] + 1
    if left.type in {"object_pattern", "array_pattern"}:
        value = walk.value(right)
        walk.scope.is_writing = True
        bind(walk, left, value)
        walk.scope.is_writing = False
        return value
    target = walk.visit(left)
    # `a ??= () => 1` gives a default to something that has a name already.
    is_plain = node.type == "assignment_expression"
    name, prefix, is_prototype = _target_name(walk, target) if is_plain else ("", "", False)
    if isinstance(target, Attribute):
        line = target.line
    if not walk.typed and (declared := doc_types(walk.comments.raw_above(node.start_point[0] + 1)).type) is not None:
        walk.scope.is_writing = True
        walk.assign(target, declared, line, "annotation")
        walk.scope.is_writing = False
    if name:
        exporting = walk.is_exporting
        walk.is_exporting = walk.current == 0 and _is_common_export(target)
        kind = NodeKind.METHOD if is_prototype else NodeKind.FUNCTION
        value = named_value(walk, right, name, line, node, prefix=prefix, kind=kind, modifiers=("detached",))
        walk.is_exporting = exporting
    else:
        value = walk.value(right)
    walk.scope.is_writing = True
    walk.assign(target, value, node.end_point[0] + 1)
    walk.scope.is_writing = False
    common_export(walk, target, value)
    assign_by_loop(walk, target, value, line)
    return value


def _is_common_export(target: Expr) -> bool:
    while isinstance(target, Attribute):
        target = target.base
    return isinstance(target, Name) and target.id in {"module", "exports"}


def _target_name(walk: Walk, target: Expr) -> tuple[str, str, bool]:
    """Return the name that an assignment gives, what stands before it, and whether it is a prototype's.

    `A.prototype.m` is `A.` and `m`; `exports.f`, `this.f` and `f` are just `f`.
    """
    if isinstance(target, Name):
        return target.id, walk.scope.prefix, False
    if not isinstance(target, Attribute):
        return "", "", False
    parts: list[str] = []
    base = target.base
    while isinstance(base, Attribute):
        parts.append(base.name)
        base = base.base
    if isinstance(base, Name):
        parts.append(base.id)
    parts.reverse()
    while parts and parts[0] in _GLOBALS:
        del parts[0]
        if parts and parts[0] == "exports":
            del parts[0]
    is_prototype = "prototype" in parts
    parts = [part for part in parts if part != "prototype"]
    if target.name == "prototype":  # `A.prototype = {...}`: the literal's members are A's
        return (
            (parts[-1], walk.scope.prefix + "".join(f"{part}." for part in parts[:-1]), True)
            if parts
            else ("", "", True)
        )
    return target.name, walk.scope.prefix + "".join(f"{part}." for part in parts[:4]), is_prototype


def augmented_assignment(walk: Walk, node: Node) -> Expr:
    """Assign in `a ||= b`, `a ??= b`, `a &&= b`; `a += b` and the like are only visited."""
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in {"||=", "??=", "&&="}:
        return assignment(walk, node)
    walk.visit_all(node.named_children)
    return UNKNOWN


def object_literal(walk: Walk, node: Node) -> Expr:
    """Read `{a, b: 1, m() {}, ...rest}`; its functions are defined by their keys, in a scope of their own."""
    prefix, walk.literal_prefix = walk.literal_prefix, None
    exporting, walk.is_exporting = walk.is_exporting, False
    walk.statement_start = -1
    literal = _ObjectLiteral(walk, prefix)
    for child in node.named_children:
        literal.member(child)
    walk.is_exporting = exporting
    return literal.collection()


class _ObjectLiteral:
    """The members of one object literal, read in order."""

    def __init__(self, walk: Walk, prefix: str | None) -> None:
        self._walk = walk
        self._prefix = prefix
        self._outer = walk.current
        self._scope = -1
        self._keys: list[Expr] = []
        self._values: list[Expr] = []
        self._plain: list[tuple[str, Expr, int]] = []

    def member(self, node: Node) -> None:
        walk = self._walk
        line = node.start_point[0] + 1
        match node.type:
            case "method_definition":
                self._enter()
                function = method(walk, node)
                walk.enter(self._outer)
                name = node.child_by_field_name("name")
                self._add(walk.text(name).strip("\"'") if name is not None else "", function, line, is_function=True)
            case "pair":
                self._pair(node, line)
            case "shorthand_property_identifier":
                self._add(walk.text(node), walk.value(node), line)
            case "spread_element":
                inner = first_named(node)
                spread = walk.value(inner) if inner is not None else UNKNOWN
                self._keys.append(Constant("spread"))
                self._values.append(spread)
                self._plain.append(("...", spread, line))
            case _:
                pass

    def _pair(self, node: Node, line: int) -> None:
        walk = self._walk
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None or value is None:
            return
        name = property_name(walk, key)
        own = value.child_by_field_name("name") if name == "value" and value.type in FUNCTIONS else None
        if own is not None:  # in the descriptor of a property a function goes by its own name
            self._enter()
            scope = named_function_expression(walk, value, own)
            walk.enter(self._outer)
            self._add(name, FunctionRef(scope), line)
            return
        if value.type in FUNCTIONS and name.replace("-", "_").replace("#", "_").isidentifier():
            self._enter()
            scope = define_function(walk, value, name, key.start_point[0] + 1, outer=node)
            walk.enter(self._outer)
            self._add(name, FunctionRef(scope), line, is_function=True)
            return
        if value.type == "object" and self._prefix is not None and name.isidentifier():
            walk.literal_prefix = f"{self._prefix}{name}."
        self._add(name, walk.value(value), line)

    def _add(self, key: str, value: Expr, line: int, *, is_function: bool = False) -> None:
        if len(self._keys) < _ELEMENT_LIMIT:
            self._keys.append(Constant("str", key) if key else UNKNOWN)
            self._values.append(value)
            if key and not is_function:
                self._plain.append((key, value, line))

    def _enter(self) -> None:
        if self._scope < 0:
            self._scope, _ = self._walk.open_scope("object", -1, self._prefix)
        else:
            self._walk.enter(self._scope)

    def collection(self) -> Collected:
        walk = self._walk
        if self._scope >= 0:
            walk.enter(self._scope)
            for key, value, line in self._plain:
                walk.assign(walk.name(key), value, line)
            walk.enter(self._outer)
        return Collected("object", tuple(self._values), tuple(self._keys), self._scope)


def returned(walk: Walk, node: Node) -> Expr:
    """`return x`."""
    value = next((child for child in node.named_children if child.type != "comment"), None)
    if value is not None:
        expr = walk.value(value)
        walk.frame().returns.append(walk.given_back(expr))
    return UNKNOWN


def ambient(walk: Walk, node: Node) -> Expr:
    """`declare ...` and `declare global { ... }`: what it declares is real elsewhere."""
    for child in node.named_children:
        walk.visit(child)
    return UNKNOWN


STATEMENTS: dict[str, Handler] = {
    **dict.fromkeys(("lexical_declaration", "variable_declaration", "using_declaration"), variable_declaration),
    "assignment_expression": assignment,
    "augmented_assignment_expression": augmented_assignment,
    "object": object_literal,
    "return_statement": returned,
    "ambient_declaration": ambient,
    **dict.fromkeys(
        ("function_declaration", "generator_function_declaration", "function_signature"), function_declaration
    ),
}
