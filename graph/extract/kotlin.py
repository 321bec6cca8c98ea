"""The facts of a Kotlin file: what it defines, what it imports, the names of what it calls.

The package is kept as the export `package`. Calls stay names: a bare one may mean a member of a receiver that only
types tell (`apply`, `with`), and overloads are told apart by types too.
"""

from __future__ import annotations

import tree_sitter_kotlin
from tree_sitter import Language, Node

from graph.extract.facts import Attribute, Facts, ImportedName
from graph.extract.outline_comments import SLASHES
from graph.extract.outline_core import Outline, OutlineReader, extract_outline, reader_of
from graph.extract.outline_names import last_name
from graph.extract.python_scopes import UNKNOWN
from graph.model import NodeKind

__all__ = ["extract_kotlin"]


def _package(walk: OutlineReader, node: Node) -> None:
    if node.named_children:
        walk.package("".join(walk.text(node.named_children[0]).split()))


def _import(walk: OutlineReader, node: Node) -> None:
    path = walk.child(node, "qualified_identifier", "identifier")
    if path is None:
        return
    specifier = "".join(walk.text(path).split()).replace("`", "")
    if any(child.type == "*" for child in node.children):
        walk.imported(node, specifier, "module", (ImportedName("*", "*"),))
        return
    aliases = [child for child in node.named_children if child.type == "identifier" and child != path]
    last = specifier.rsplit(".", 1)[-1]
    walk.imported(node, specifier, "names", (ImportedName(last, walk.text(aliases[-1]) if aliases else last),))


def _class(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    words = walk.text(node, name.end_byte - node.start_byte).split()
    kind = NodeKind.CLASS
    if any(child.type == "interface" for child in node.children):
        kind = NodeKind.INTERFACE
    elif "enum" in words:
        kind = NodeKind.ENUM
    walk.define(kind, name, node, opens="class", stop=walk.child(node, "class_body", "enum_class_body"))


def _object(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    stop = walk.child(node, "class_body")
    if name is not None:
        walk.define(NodeKind.CLASS, name, node, opens="class", stop=stop, extra=("object",))
        return
    words = [child for child in node.children if child.type in ("companion", "object")]
    walk.define(
        NodeKind.CLASS, words[0] if words else node, node, name="Companion", opens="class", stop=stop, extra=("object",)
    )


def _entry(walk: OutlineReader, node: Node) -> None:
    name = walk.child(node, "identifier")
    if name is not None:
        has_body = walk.child(node, "class_body") is not None
        walk.define(
            NodeKind.VARIABLE, name, node, opens="class" if has_body else "", stop=walk.child(node, "class_body")
        )


def _anonymous(walk: OutlineReader, node: Node) -> None:
    walk.enter("class", node, f"{walk.body.qualname}object@{node.start_point[0] + 1}.")


def _function(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    is_anonymous_owner = walk.body.kind == "class" and walk.body.definition < 0
    if is_anonymous_owner:
        walk.enter("function", node, f"{walk.body.qualname}{walk.text(name, 80)}.")
        return
    stop = walk.child(node, "function_body")
    walk.define(NodeKind.FUNCTION, name, node, name=walk.text(name).strip("`"), opens="function", stop=stop)


def _constructor(walk: OutlineReader, node: Node) -> None:
    word = next((child for child in node.children if child.type == "constructor"), None)
    if word is not None:
        stop = walk.child(node, "constructor_delegation_call", "block")
        walk.define(NodeKind.METHOD, word, node, opens="function", stop=stop)


def _parameter(walk: OutlineReader, node: Node) -> None:
    """Define a parameter of a primary constructor, a property where it says `val` or `var`."""
    name = walk.child(node, "identifier")
    if name is not None and any(child.type in ("val", "var") for child in node.children):
        walk.define(NodeKind.VARIABLE, name, node)


def _property(walk: OutlineReader, node: Node) -> None:
    if walk.body.kind == "function" or (walk.body.kind == "class" and walk.body.definition < 0):
        return
    for group in walk.children(node, "variable_declaration", "multi_variable_declaration"):
        items = [group] if group.type == "variable_declaration" else walk.children(group, "variable_declaration")
        for item in items:
            name = walk.child(item, "identifier")
            if name is not None:
                walk.define(NodeKind.VARIABLE, name, node, name=walk.text(name).strip("`"))
    if walk.child(node, "getter", "setter", "property_delegate") is not None:
        walk.enter("function", node, walk.body.qualname, len(walk.definitions) - 1)


def _block(walk: OutlineReader, node: Node) -> None:
    """Open a body: what an initializer or a lambda declares is local to it."""
    if walk.body.kind != "function":
        walk.enter("function", node, walk.body.qualname, walk.body.definition)


def _alias(walk: OutlineReader, node: Node) -> None:
    name = walk.child(node, "type", "identifier")
    if name is not None:
        walk.define(NodeKind.TYPE, name, node)


def _call(walk: OutlineReader, node: Node) -> None:
    if not node.named_children:
        return
    function = node.named_children[0]
    if function.type == "call_expression":
        return
    name = last_name(walk.tail(function))
    if name:
        at = function.named_children[-1] if function.type == "navigation_expression" else function
        walk.call(Attribute(UNKNOWN, name), node, at)


KOTLIN = Outline(
    language="kotlin",
    nodes={
        "package_header": _package,
        "import": _import,
        "class_declaration": _class,
        "object_declaration": _object,
        "companion_object": _object,
        "object_literal": _anonymous,
        "enum_entry": _entry,
        "function_declaration": _function,
        "secondary_constructor": _constructor,
        "class_parameter": _parameter,
        "property_declaration": _property,
        "anonymous_initializer": _block,
        "lambda_literal": _block,
        "type_alias": _alias,
        "call_expression": _call,
    },
    comments=frozenset({"line_comment", "block_comment"}),
    style=SLASHES,
    modifiers=frozenset({"modifiers"}),
    annotations=frozenset({"annotation"}),
    bases=frozenset({"delegation_specifiers"}),
    test_annotations=frozenset({"Test", "ParameterizedTest", "RepeatedTest"}),
    uses=frozenset({"identifier"}),
)

_READER = reader_of(KOTLIN, Language(tree_sitter_kotlin.language()))


def extract_kotlin(data: bytes) -> Facts:
    """Return what one Kotlin file says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
