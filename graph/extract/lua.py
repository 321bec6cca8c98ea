"""The facts of a Lua file: functions in all their forms, top-level variables, what it requires, what it calls.

A table is no class: `function M:f()` is a method of the name `M.f`, whatever `M` holds.
"""

from __future__ import annotations

import tree_sitter_lua
from tree_sitter import Language, Node

from graph.extract.facts import Attribute, Expr, Facts, ImportedName, Name
from graph.extract.outline_comments import DASHES
from graph.extract.outline_core import Outline, OutlineReader, extract_outline, reader_of
from graph.extract.python_scopes import UNKNOWN
from graph.model import NodeKind

__all__ = ["extract_lua"]

_INDEXES = frozenset({"dot_index_expression", "method_index_expression"})


def _function(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    is_local = any(child.type == "local" for child in node.children)
    walk.define(
        NodeKind.METHOD if name.type == "method_index_expression" else NodeKind.FUNCTION,
        _last(name),
        node,
        name=_dotted(walk, name),
        opens="function",
        stop=node.child_by_field_name("body"),
        extra=("local",) if is_local else (),
    )


def _last(name: Node) -> Node:
    return name.child_by_field_name("field") or name.child_by_field_name("method") or name


def _dotted(walk: OutlineReader, name: Node) -> str:
    return "".join(walk.text(name, 300).split()).replace(":", ".")


def _assignment(walk: OutlineReader, node: Node) -> None:
    """Define names at the top level, and functions wherever they are given a name."""
    targets, values = walk.child(node, "variable_list"), walk.child(node, "expression_list")
    names = targets.children_by_field_name("name") if targets is not None else []
    given = values.named_children if values is not None else []
    for place, name in enumerate(names):
        value = given[place] if place < len(given) else None
        if name.type != "identifier" and name.type not in _INDEXES:
            continue
        if value is not None and value.type == "function_definition":
            walk.define(
                NodeKind.FUNCTION,
                _last(name),
                node,
                name=_dotted(walk, name),
                stop=walk.child(value, "body"),
            )
            _pending(walk, value)
        elif walk.body.kind == "module":
            _variable(walk, node, name, value)


def _variable(walk: OutlineReader, node: Node, name: Node, value: Node | None) -> None:
    text = _dotted(walk, name)
    if text in walk.body.variables:
        return
    walk.body.variables.add(text)
    walk.define(NodeKind.VARIABLE, _last(name), node, name=text)
    if value is not None and value.type == "table_constructor" and name.type == "identifier":
        for field in walk.children(value, "field"):
            _field(walk, field, text)


def _field(walk: OutlineReader, field: Node, owner: str) -> None:
    """Define an entry of a table that a top-level name holds; keys that are computed name nothing."""
    key, value = field.child_by_field_name("name"), field.child_by_field_name("value")
    text = (walk.string(key) or (walk.text(key, 100) if key.type == "identifier" else "")) if key is not None else ""
    if key is None or not text.isidentifier():
        return
    if value is not None and value.type == "function_definition":
        walk.define(NodeKind.FUNCTION, key, field, name=f"{owner}.{text}", stop=walk.child(value, "body"))
        _pending(walk, value)
    else:
        walk.define(NodeKind.VARIABLE, key, field, name=f"{owner}.{text}")


def _pending(walk: OutlineReader, value: Node) -> None:
    """Remember which definition the body of a function expression belongs to, for when it is met."""
    walk.waiting[value.start_byte] = len(walk.definitions) - 1


def _body(walk: OutlineReader, node: Node) -> None:
    index = walk.waiting.pop(node.start_byte, -1)
    if index >= 0:
        walk.enter("function", node, f"{walk.definitions[index].qualname}.", index)
        walk.own(index)
    else:
        walk.enter("function", node, walk.body.qualname)


def _call(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    text = walk.text(name, 100)
    arguments = node.child_by_field_name("arguments")
    items = arguments.named_children if arguments is not None else []
    if text == "require" and arguments is not None:
        literal = walk.string(items[0] if items else arguments)
        if literal is None:
            walk.notes.add("a `require` of what is not written out was not followed")
        else:
            walk.imported(node, literal, "require", (ImportedName("", ""),))
        return
    if text == "pcall" and len(items) > 1 and walk.text(items[0], 20) == "require":
        literal = walk.string(items[1])
        if literal is not None:
            walk.imported(node, literal, "require", (ImportedName("", ""),), conditional=True)
        return
    if name.type == "identifier":
        walk.call(Name(text), node, name)
    elif name.type in _INDEXES:
        last = _last(name)
        base: Expr = UNKNOWN
        walk.call(Attribute(base, walk.text(last, 100)), node, last)


LUA = Outline(
    language="lua",
    nodes={
        "function_declaration": _function,
        "function_definition": _body,
        "assignment_statement": _assignment,
        "function_call": _call,
    },
    comments=frozenset({"comment", "comment_content"}),
    style=DASHES,
    hidden=frozenset({"local"}),
)

_READER = reader_of(LUA, Language(tree_sitter_lua.language()))


def extract_lua(data: bytes) -> Facts:
    """Return what one Lua file says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
