"""Quoted annotations of Python read as expressions: `"Flask | None"` means what it would mean without the quotes."""

from __future__ import annotations

import ast

from graph.extract.facts import Attribute, Collection, Constant, Expr, Name, Subscript, Union, Unknown

__all__ = ["quoted_annotation"]

_MAX_LENGTH = 300
"""No annotation that a person writes is longer; the bound keeps hostile strings away from the parser's recursion."""

_MAX_DEPTH = 20


def quoted_annotation(text: str, line: int) -> Expr:
    """Return the expression in a quoted annotation, Unknown when it is none."""
    if len(text) > _MAX_LENGTH:
        return Unknown()
    if text.isidentifier():
        return Name(text)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Unknown()
    return _expression(tree.body, line, 0)


def _expression(node: ast.expr, line: int, depth: int) -> Expr:
    if depth > _MAX_DEPTH:
        return Unknown()
    deeper = depth + 1
    match node:
        case ast.Name(id=name):
            return Name(name)
        case ast.Attribute(value=value, attr=attr):
            return Attribute(_expression(value, line, deeper), attr, line)
        case ast.Subscript(value=value, slice=index):
            return Subscript(_expression(value, line, deeper), _expression(index, line, deeper))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return Union((_expression(left, line, deeper), _expression(right, line, deeper)))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return Collection("tuple", tuple(_expression(element, line, deeper) for element in elements))
        case ast.Constant(value=None):
            return Constant("none")
        case ast.Constant(value=str() as inner):
            return Name(inner) if inner.isidentifier() else Unknown()
        case _:
            return Unknown()
