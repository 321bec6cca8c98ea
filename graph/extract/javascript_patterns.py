"""What destructuring binds: patterns of declarations, parameters, loops and assignments, taken apart into `Assign`s.

`const {a, b: [c]} = f()` becomes one assignment to a name that no source can write, and one `field:` or `unpack:`
assignment for each name in the pattern, so that the value is written down once.
"""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, Collection, Constant, Expr, Name, Subscript, Union, Unknown
from graph.extract.javascript_walk import UNKNOWN, Walk, first_named
from graph.model import NodeKind

__all__ = ["bind", "property_name"]

_REST = Name("<rest>")
_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern", "undefined"})


def bind(walk: Walk, pattern: Node, value: Expr, how: str = "value", *, defines: bool = False) -> None:
    """Record that `pattern` takes what `how` says of `value`; `defines` makes each name a variable of the graph."""
    line = pattern.start_point[0] + 1
    match pattern.type:
        case kind if kind in _NAMES:
            name = walk.text(pattern)
            walk.assign(walk.name(name), value, line, how)
            if defines:
                walk.define(NodeKind.VARIABLE, name, pattern, line)
        case "object_pattern" | "array_pattern":
            if walk.is_too_deep():
                return
            walk.descend(1)
            source = _source(walk, value, how, line)
            (_object if pattern.type == "object_pattern" else _array)(walk, pattern, source, defines=defines)
            walk.descend(-1)
        case "assignment_pattern" | "object_assignment_pattern":
            _with_default(walk, pattern, value, how, defines=defines)
        case "rest_pattern" | "parenthesized_expression" | "non_null_expression":
            if inner := first_named(pattern):
                bind(walk, inner, value, how, defines=defines)
        case "comment":
            pass
        case _:  # `[a.b, c[0]] = pair`: the targets are expressions
            walk.assign(walk.visit(pattern), value, line, how)


def _source(walk: Walk, value: Expr, how: str, line: int) -> Expr:
    if how == "value" and isinstance(value, Name | Attribute | Unknown):
        return value
    temporary = walk.temporary()
    walk.assign(temporary, value, line, how)
    return temporary


def _with_default(walk: Walk, pattern: Node, value: Expr, how: str, *, defines: bool) -> None:
    left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
    if left is None:
        return
    default = walk.value(right) if right is not None else UNKNOWN
    if left.type in {"object_pattern", "array_pattern"} and how == "value" and not isinstance(default, Unknown):
        bind(walk, left, Union((value, default)), defines=defines)
        return
    bind(walk, left, value, how, defines=defines)
    if right is not None and left.type in _NAMES and not isinstance(default, Constant):
        walk.assign(walk.name(walk.text(left)), default, left.start_point[0] + 1)


def _object(walk: Walk, pattern: Node, source: Expr, *, defines: bool) -> None:
    for child in pattern.named_children:
        match child.type:
            case "pair_pattern":
                key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and target is not None:
                    _pair(walk, property_name(walk, key), target, source, defines=defines)
            case "object_assignment_pattern":
                left = child.child_by_field_name("left")
                how = f"field:{walk.text(left)}" if left is not None else "value"
                _with_default(walk, child, source, how, defines=defines)
            case "shorthand_property_identifier_pattern":
                bind(walk, child, source, f"field:{walk.text(child)}", defines=defines)
            case _:
                bind(walk, child, source, defines=defines)


def _pair(walk: Walk, key: str, target: Node, source: Expr, *, defines: bool) -> None:
    if not key:
        bind(walk, target, UNKNOWN, defines=defines)
        return
    inner = target.child_by_field_name("left") if target.type == "assignment_pattern" else target
    if inner is not None and inner.type in {"object_pattern", "array_pattern"}:
        bind(walk, target, _member(source, key, target), defines=defines)
    else:
        bind(walk, target, source, f"field:{key}", defines=defines)


def _member(source: Expr, key: str, node: Node) -> Expr:
    return UNKNOWN if isinstance(source, Unknown) else Attribute(source, key, node.start_point[0] + 1)


def _array(walk: Walk, pattern: Node, source: Expr, *, defines: bool) -> None:
    position = 0
    for child in pattern.children:  # the holes of `[, b]` have no nodes: only the commas tell positions
        if child.type == ",":
            position += 1
        elif child.type in {"object_pattern", "array_pattern"}:
            known = not isinstance(source, Unknown)
            bind(walk, child, Subscript(source, Constant("int", str(position))) if known else UNKNOWN, defines=defines)
        elif child.type == "rest_pattern":
            bind(walk, child, _rest(source, position), defines=defines)
        elif child.is_named:
            bind(walk, child, source, f"unpack:{position}", defines=defines)


def _rest(source: Expr, position: int) -> Expr:
    """Return `<rest>[source, position]`: a list of what is left from a position on."""
    if position == 0 or isinstance(source, Unknown):
        return source
    return Subscript(_REST, Collection("tuple", (source, Constant("int", str(position)))))


def property_name(walk: Walk, key: Node) -> str:
    """Return the name of a property key, without quotes; empty for a computed one that is no string."""
    match key.type:
        case "string":
            return walk.data[key.start_byte + 1 : key.end_byte - 1].decode("utf-8", "replace")
        case "computed_property_name":
            inner = first_named(key)
            if inner is None:
                return ""
            expr = walk.visit(inner)
            if isinstance(expr, Constant) and expr.type == "str":
                return expr.value
            return f"[{walk.text(inner)}]" if isinstance(expr, Attribute) and len(walk.text(inner)) < 60 else ""
        case _:
            return walk.text(key)
