"""JSX: an element of a component is a construction of it with its attributes; host elements only hold values."""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr
from graph.extract.javascript_walk import UNKNOWN, Handler, Walk, first_named

__all__ = ["JSX"]


def jsx_element(walk: Walk, node: Node) -> Expr:
    """`<Component prop={x}>...</Component>`: a component is constructed, a plain tag only holds values."""
    tag = node.child_by_field_name("open_tag") if node.type == "jsx_element" else node
    expr = _jsx_tag(walk, tag) if tag is not None else UNKNOWN
    if node.type == "jsx_element":
        for child in node.named_children:
            if child.type not in {"jsx_opening_element", "jsx_closing_element", "jsx_text"}:
                walk.value(child)
    return expr


def _jsx_tag(walk: Walk, tag: Node) -> Expr:
    name = tag.child_by_field_name("name")
    function = _component(walk, name)
    attributes: list[tuple[Expr, Expr]] = []
    for child in tag.named_children:
        if child.type == "jsx_attribute":
            attributes.append(_jsx_attribute(walk, child))
        elif child.type == "jsx_expression" and (inner := first_named(child)) is not None:
            attributes.append((Constant("spread"), _spread(walk, inner)))
    if function is None or name is None:
        return UNKNOWN
    line, first = name.end_point[0] + 1, tag.start_point[0] + 1
    return walk.call(
        CallExpr(function, line, (_props(attributes),), constructs=True, start_line=first if first != line else 0)
    )


def _component(walk: Walk, name: Node | None) -> Expr | None:
    """Return what a tag name refers to; None for host elements (`div`), which are no code."""
    if name is None:
        return None
    if name.type == "identifier":
        text = walk.text(name)
        return walk.name(text) if text[:1].isupper() or text[:1] in "_$" else None
    if name.type == "jsx_namespace_name":
        return None
    first, *rest = walk.text(name).split(".")
    expr: Expr = walk.name(first.strip())
    for part in rest:
        expr = Attribute(expr, part.strip(), name.end_point[0] + 1)
    return expr


def _props(attributes: list[tuple[Expr, Expr]]) -> Expr:
    """Return the object that a component gets as its only argument."""
    return Collection("object", tuple(value for _, value in attributes), tuple(key for key, _ in attributes))


def _spread(walk: Walk, node: Node) -> Expr:
    inner = first_named(node) if node.type == "spread_element" else node
    return walk.value(inner) if inner is not None else UNKNOWN


def _jsx_attribute(walk: Walk, node: Node) -> tuple[Expr, Expr]:
    parts = node.named_children
    key = Constant("str", walk.text(parts[0]) if parts else "")
    return key, walk.value(parts[1]) if len(parts) > 1 else Constant("bool")


def jsx_expression(walk: Walk, node: Node) -> Expr:
    """`{x}` in JSX; it may be empty or a comment."""
    inner = next((child for child in node.named_children if child.type != "comment"), None)
    return walk.visit(inner) if inner is not None else UNKNOWN


JSX: dict[str, Handler] = {
    "jsx_element": jsx_element,
    "jsx_self_closing_element": jsx_element,
    "jsx_expression": jsx_expression,
}
