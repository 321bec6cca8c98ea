"""Blocks that bind names of their own: `{ const f = 1 }` inside of a function that means another `f` elsewhere.

Most blocks need no scope: what they declare is named nowhere else in their function, and then it does not matter who
owns it. A block gets one, of kind `block`, where one of its names also stands outside of it.
"""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Expr
from graph.extract.javascript_walk import UNKNOWN, Handler, Walk

__all__ = ["BLOCKS", "open_head"]

_SPAN_LIMIT = 100_000
"""Bytes of a function in which names are looked for: each block looks through all of it."""
_MAX_FOUND = 30
"""Places that may be parts of longer names, after which a name counts as used outside."""
_MAX_NAMES = 60
_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_DECLARING = frozenset({"lexical_declaration", "using_declaration"})
_DEFINING = frozenset({"class_declaration", "abstract_class_declaration"})
_FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration"})


def block(walk: Walk, node: Node) -> Expr:
    """Visit `{ ... }`, in a scope of its own where its names mean something else around it."""
    children = node.named_children
    outer = _open(walk, node, _declared(walk, children))
    walk.visit_all(children)
    walk.enter(outer)
    return UNKNOWN


def open_head(walk: Walk, node: Node, pattern: Node) -> int:
    """Open a scope for the names of `for (const x of xs)` or `catch (e)`; return the scope to `enter` behind it."""
    names: set[str] = set()
    _collect(walk, pattern, names)
    return _open(walk, node, names)


def _open(walk: Walk, node: Node, names: set[str]) -> int:
    """Open a scope for names that mean something else around a node, if they do; return the one around."""
    if not names or not _is_named_outside(walk, node, names):
        return walk.current
    flow = walk.scope.flow
    _, outer = walk.open_scope("block")
    walk.scope.flow = flow
    walk.scope.declared.update(names)
    return outer


def _declared(walk: Walk, children: list[Node]) -> set[str]:
    """Return the names that a block binds itself; functions only where they surely do not reach out of it."""
    names: set[str] = set()
    for child in children:
        kind = child.type
        if kind in _DECLARING:
            for declarator in child.named_children:
                if (pattern := declarator.child_by_field_name("name")) is not None:
                    _collect(walk, pattern, names)
        elif (kind in _DEFINING or (kind in _FUNCTIONS and walk.typed)) and (
            name := child.child_by_field_name("name")
        ) is not None:
            names.add(walk.text(name))
    return names


def _collect(walk: Walk, pattern: Node, names: set[str]) -> None:
    pending = [pattern]
    while pending and len(names) < _MAX_NAMES:
        node = pending.pop()
        if node.type in _NAMES:
            names.add(walk.text(node))
        elif node.type in {"pair_pattern", "assignment_pattern", "object_assignment_pattern"}:
            part = node.child_by_field_name("value" if node.type == "pair_pattern" else "left")
            pending += [part] if part is not None else []
        elif node.type in {"object_pattern", "array_pattern", "rest_pattern"}:
            pending += node.named_children


def _is_named_outside(walk: Walk, node: Node, names: set[str]) -> bool:
    """Tell whether the function around a block names one of these elsewhere."""
    start, end = walk.frame().span
    end = end if end >= 0 else len(walk.data)
    if end - start > _SPAN_LIMIT:
        return False
    words = [name.encode() for name in names]
    return any(
        _has(walk.data, word, start, node.start_byte) or _has(walk.data, word, node.end_byte, end) for word in words
    )


def _has(data: bytes, word: bytes, start: int, end: int) -> bool:
    at = data.find(word, start, end)
    for _ in range(_MAX_FOUND):
        if at < 0:
            return False
        behind = at + len(word)
        if not _continues(data[at - 1 : at]) and not _continues(data[behind : behind + 1]):
            return True
        at = data.find(word, behind, end)
    return True


def _continues(byte: bytes) -> bool:
    return byte.isalnum() or byte in {b"_", b"$"} or byte >= b"\x80"


BLOCKS: dict[str, Handler] = {"statement_block": block}
