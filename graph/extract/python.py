"""The facts of a Python file.

One pass over the syntax tree of tree-sitter-python. Parsing never fails: what is broken becomes an error node, and what
stands around it is still read. Facts depend on the bytes alone.
"""

from __future__ import annotations

import re

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from graph.extract.facts import Facts, Marker
from graph.extract.python_expressions import ERROR_KIND, handlers_by_kind
from graph.extract.python_statements import StatementWalker

__all__ = ["extract_python"]

_LANGUAGE = Language(tree_sitter_python.language())
_PARSER = Parser(_LANGUAGE)

_MARKER = re.compile(rb"#[^\n]*?\b(TODO|FIXME|HACK|XXX)\b[:\s]*([^\n]{0,300})")


class _Walker(StatementWalker):
    """The walker with its tables filled in."""


_Walker.expressions = handlers_by_kind(_LANGUAGE, _Walker)
_Walker.kinds = [_LANGUAGE.node_kind_for_id(kind) or "" for kind in range(_LANGUAGE.node_kind_count)]
_Walker.kinds.extend(["ERROR"] * (ERROR_KIND + 1 - len(_Walker.kinds)))
_Walker.comment_kind = _LANGUAGE.id_for_node_kind("comment", True) or -1  # noqa: FBT003 - the binding takes it by place


def extract_python(data: bytes) -> Facts:
    """Return what one Python file says; never raises, whatever the bytes are."""
    root = _PARSER.parse(data).root_node
    walker = _Walker(data)
    for child in root.named_children:
        walker.top(child)
    names = walker.public_names
    return Facts(
        language="python",
        line_count=data.count(b"\n") + (not data.endswith(b"\n") and bool(data)),
        definitions=tuple(walker.definitions),
        imports=tuple(walker.imports),
        scopes=tuple(body.scope() for body in walker.bodies),
        public_names=tuple(names) if names is not None else None,
        markers=_markers(data, root),
        doc=walker.docstring(root),
        error_count=_errors(root),
        notes=tuple(sorted(walker.notes)),
    )


def _markers(data: bytes, root: Node) -> tuple[Marker, ...]:
    """Return the debt markers that stand in comments; the tree is asked only where the text has one."""
    found: list[Marker] = []
    for match in _MARKER.finditer(data):
        start = match.start(1)
        node = root.descendant_for_byte_range(start, start)
        if node is not None and node.type == "comment":
            text = match.group(2).decode("utf-8", "replace").strip()
            found.append(Marker(match.group(1).decode(), text, node.start_point[0] + 1))
    return tuple(found)


def _errors(root: Node) -> int:
    """Count the places that the parser had to recover from; nothing below a sound node is visited."""
    if not root.has_error:
        return 0
    count = 0
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        if node.is_error or node.is_missing:
            count += 1
        open_nodes.extend(child for child in node.children if child.has_error)
    return count
