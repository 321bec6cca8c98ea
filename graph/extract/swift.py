"""The facts of a Swift file: what it defines, the modules it imports, the names of what it calls.

An extension is no definition: its members belong to the type it names, as a body of that type where the file has it.
Calls stay names, because overloads and members are told apart by types.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from tree_sitter import Language, Node

from graph.extract.facts import Attribute, Expr, Facts, ImportedName
from graph.extract.outline_comments import SLASHES
from graph.extract.outline_core import Defines, Outline, OutlineReader, extract_outline, reader_of
from graph.extract.outline_names import last_name, named_expr
from graph.extract.python_scopes import UNKNOWN
from graph.model import NodeKind

__all__ = ["extract_swift"]

_KINDS = {"struct": NodeKind.STRUCT, "enum": NodeKind.ENUM, "class": NodeKind.CLASS, "actor": NodeKind.CLASS}


def _import(walk: OutlineReader, node: Node) -> None:
    path = walk.child(node, "identifier")
    if path is None:
        return
    specifier = "".join(walk.text(path).split())
    module, _, rest = specifier.partition(".")
    if rest:
        walk.imported(node, module, "names", (ImportedName(rest, rest.rsplit(".", 1)[-1]),))
    else:
        walk.imported(node, module, "module", (ImportedName("*", "*"),))


def _type(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    word = next((child.type for child in node.children if child.type in _KINDS or child.type == "extension"), "class")
    body = node.child_by_field_name("body")
    if word == "extension":
        _extension(walk, node, walk.text(name, 200))
        return
    walk.define(_KINDS[word], name, node, opens="class", stop=body, bases=_bases(walk, node))


def _extension(walk: OutlineReader, node: Node, name: str) -> None:
    plain = name.split("<", 1)[0].strip().strip("[]?")
    known = walk.types.get(plain)
    if known is not None:
        walk.reenter(node, walk.bodies[known])
    else:
        opened = walk.enter("class", node, f"{plain}.", parent=walk.bodies[0])
        walk.types[plain] = opened.number


def _bases(walk: OutlineReader, node: Node) -> tuple[Expr, ...]:
    items = walk.children(node, "inheritance_specifier")
    return tuple(expr for item in items if (expr := named_expr(walk.text(item, 200))) is not None)


def _protocol(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        stop = node.child_by_field_name("body")
        walk.define(NodeKind.INTERFACE, name, node, opens="class", stop=stop, bases=_bases(walk, node))


def _function(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    stop = node.child_by_field_name("body")
    if name is None or name.type != "simple_identifier":
        places = [place for place, child in enumerate(node.children) if child.type == "func"]
        name = node.children[places[0] + 1]
    text = walk.text(name, 200).strip("`")
    is_test = text.startswith("test") and walk.body.kind == "class"
    walk.define(NodeKind.FUNCTION, name, node, name=text, opens="function", stop=stop, is_test=is_test)


def _special(walk: OutlineReader, node: Node) -> None:
    """Define `init`, `deinit` and `subscript` under their keyword."""
    word = next((child for child in node.children if child.type in ("init", "deinit", "subscript")), None)
    if word is not None:
        stop = walk.child(node, "body", "computed_property")
        walk.define(NodeKind.METHOD, word, node, name=word.type, opens="function", stop=stop)


def _property(walk: OutlineReader, node: Node) -> None:
    if walk.body.kind == "function":
        return
    stop = walk.child(node, "computed_value", "willset_didset_block")
    found: list[Node] = []
    for pattern in node.children_by_field_name("name"):
        if pattern.type == "pattern":
            found.extend(_bound(pattern))
    for name in found:
        walk.define(NodeKind.VARIABLE, name, node, name=walk.text(name).strip("`"), stop=stop)
    if stop is not None and found:
        walk.enter("function", node, f"{walk.definitions[-1].qualname}.", len(walk.definitions) - 1)


def _bound(pattern: Node) -> list[Node]:
    """Return the names in a pattern; tuples are followed as deep as people write them."""
    found: list[Node] = []
    level = [pattern]
    for _ in range(4):
        found += [child for item in level for child in item.named_children if child.type == "simple_identifier"]
        level = [child for item in level for child in item.named_children if "pattern" in child.type]
    return found


def _entry(walk: OutlineReader, node: Node) -> None:
    for name in node.children_by_field_name("name"):
        if name.type == "simple_identifier":
            walk.define(NodeKind.VARIABLE, name, node, name=walk.text(name).strip("`"))


def _closure(walk: OutlineReader, node: Node) -> None:
    if walk.body.kind != "function":
        walk.enter("function", node, walk.body.qualname, walk.body.definition)


def _call(walk: OutlineReader, node: Node) -> None:
    function = node.named_children[0]
    text = walk.tail(function)
    name = last_name(text)
    if name:
        at = function.child_by_field_name("suffix") or function
        walk.call(Attribute(UNKNOWN, name), node, at)


SWIFT = Outline(
    language="swift",
    nodes={
        "import_declaration": _import,
        "class_declaration": _type,
        "protocol_declaration": _protocol,
        "function_declaration": _function,
        "protocol_function_declaration": _function,
        "init_declaration": _special,
        "deinit_declaration": _special,
        "subscript_declaration": _special,
        "property_declaration": _property,
        "protocol_property_declaration": _property,
        "enum_entry": _entry,
        "typealias_declaration": Defines(NodeKind.TYPE),
        "associatedtype_declaration": Defines(NodeKind.TYPE),
        "macro_declaration": Defines(NodeKind.MACRO),
        "lambda_literal": _closure,
        "call_expression": _call,
    },
    comments=frozenset({"comment", "multiline_comment"}),
    style=SLASHES,
    names=("simple_identifier", "type_identifier"),
    modifiers=frozenset({"modifiers"}),
    annotations=frozenset({"attribute"}),
    test_annotations=frozenset({"Test"}),
    uses=frozenset({"type_identifier", "simple_identifier"}),
)

_GRAMMAR = cast("Callable[[], object]", import_module("tree_sitter_swift").language)  # the wheel types it as a number
_READER = reader_of(SWIFT, Language(_GRAMMAR()))


def extract_swift(data: bytes) -> Facts:
    """Return what one Swift file says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
