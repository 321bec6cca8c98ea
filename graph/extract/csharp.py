"""The facts of a C# file: what it defines, the namespaces it takes in, the names of what it calls.

A namespace is no part of a name: it is kept as the export `package`. Calls stay names, because overloads are told
apart by types only.
"""

from __future__ import annotations

import tree_sitter_c_sharp
from tree_sitter import Language, Node

from graph.extract.facts import Attribute, Facts, ImportedName
from graph.extract.outline_comments import SLASHES_WITH_TAGS
from graph.extract.outline_core import Defines, Outline, OutlineReader, extract_outline, reader_of
from graph.extract.outline_names import last_name, named_expr
from graph.extract.python_scopes import UNKNOWN
from graph.model import NodeKind

__all__ = ["extract_csharp"]

_SAYING = frozenset({"public", "private", "protected", "internal"})


def _namespace(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        walk.package(walk.text(name))


def _using(walk: OutlineReader, node: Node) -> None:
    words = {child.type for child in node.children}
    named = [child for child in node.named_children if child.type != "comment"]
    alias = node.child_by_field_name("name")
    if not named:
        return
    specifier = "".join(walk.text(named[-1]).split())
    if alias is not None and len(named) > 1:
        walk.imported(node, specifier, "names", (ImportedName(specifier.rsplit(".", 1)[-1], walk.text(alias)),))
    elif "static" in words:
        walk.imported(node, specifier, "names", (ImportedName(specifier.rsplit(".", 1)[-1], ""),))
    else:
        walk.imported(node, specifier, "module", (ImportedName("*", "*"),))


def _type(kind: NodeKind) -> Defines:
    return Defines(kind, opens="class")


def _record(walk: OutlineReader, node: Node) -> None:
    is_struct = any(child.type == "struct" for child in node.children)
    walk.define_by(_type(NodeKind.STRUCT if is_struct else NodeKind.CLASS), node)


def _member(walk: OutlineReader, node: Node) -> None:
    """Define a method; without a word on its visibility it is private, except in an interface."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    extra = ("private",) if _is_silent(walk, node) else ()
    walk.define(NodeKind.METHOD, name, node, opens="function", stop=_stop(walk, node), extra=extra)


def _is_silent(walk: OutlineReader, node: Node) -> bool:
    owner = walk.body.definition
    in_interface = owner >= 0 and walk.definitions[owner].kind is NodeKind.INTERFACE
    words = {walk.text(child) for child in walk.children(node, "modifier")}
    explicit = any(child.type == "explicit_interface_specifier" for child in node.named_children)
    return not in_interface and not explicit and _SAYING.isdisjoint(words)


def _stop(walk: OutlineReader, node: Node) -> Node | None:
    return walk.child(node, "body", "accessors", "value", "constructor_initializer")


def _destructor(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        walk.define(NodeKind.METHOD, name, node, name=f"~{walk.text(name)}", opens="function", stop=_stop(walk, node))


def _operator(walk: OutlineReader, node: Node) -> None:
    stop = _stop(walk, node)
    if node.type == "conversion_operator_declaration":
        target = node.child_by_field_name("type")
        if target is not None:
            name = f"operator({walk.text(target)})"
            walk.define(NodeKind.METHOD, target, node, name=name, opens="function", stop=stop)
        return
    sign = node.child_by_field_name("operator")
    if sign is None:
        places = [place for place, child in enumerate(node.children) if child.type == "operator"]
        sign = node.children[places[0] + 1]
    walk.define(NodeKind.METHOD, sign, node, name=f"operator{walk.text(sign)}", opens="function", stop=stop)


def _indexer(walk: OutlineReader, node: Node) -> None:
    this = next((child for child in node.children if child.type == "this"), None)
    if this is not None:
        walk.define(NodeKind.METHOD, this, node, name="this[]", opens="function", stop=_stop(walk, node))


def _property(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        extra = ("private",) if _is_silent(walk, node) else ()
        walk.define(NodeKind.VARIABLE, name, node, stop=_stop(walk, node), extra=extra, opens="function")


def _field(walk: OutlineReader, node: Node) -> None:
    extra = ("private",) if _is_silent(walk, node) else ()
    for declaration in walk.children(node, "variable_declaration"):
        for item in walk.children(declaration, "variable_declarator"):
            name = item.child_by_field_name("name") or walk.child(item, "identifier")
            if name is not None:
                walk.define(NodeKind.VARIABLE, name, node, extra=extra)


def _call(walk: OutlineReader, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is None:
        return
    text = walk.tail(function)
    name = last_name(text.split("<", 1)[0] if text.endswith(">") else text)
    if name and name != "nameof":
        walk.call(Attribute(UNKNOWN, name), node, _at_end(function))


def _at_end(node: Node) -> Node:
    """Return the last name of a chain: a call may go over many lines."""
    return node.child_by_field_name("name") or node


def _new(walk: OutlineReader, node: Node) -> None:
    made = node.child_by_field_name("type")
    expr = named_expr(walk.text(made, 200)) if made is not None else None
    if made is not None and expr is not None:
        name = expr.name if isinstance(expr, Attribute) else walk.text(made, 200).split("<", 1)[0]
        walk.call(Attribute(UNKNOWN, name), node, made, constructs=True)


CSHARP = Outline(
    language="csharp",
    nodes={
        "namespace_declaration": _namespace,
        "file_scoped_namespace_declaration": _namespace,
        "using_directive": _using,
        "class_declaration": _type(NodeKind.CLASS),
        "struct_declaration": _type(NodeKind.STRUCT),
        "interface_declaration": _type(NodeKind.INTERFACE),
        "enum_declaration": _type(NodeKind.ENUM),
        "record_declaration": _record,
        "enum_member_declaration": Defines(NodeKind.VARIABLE),
        "delegate_declaration": Defines(NodeKind.TYPE),
        "method_declaration": _member,
        "constructor_declaration": _member,
        "destructor_declaration": _destructor,
        "operator_declaration": _operator,
        "conversion_operator_declaration": _operator,
        "indexer_declaration": _indexer,
        "property_declaration": _property,
        "event_declaration": _property,
        "event_field_declaration": _field,
        "field_declaration": _field,
        "local_function_statement": Defines(NodeKind.FUNCTION, opens="function"),
        "invocation_expression": _call,
        "object_creation_expression": _new,
    },
    comments=frozenset({"comment"}),
    style=SLASHES_WITH_TAGS,
    modifiers=frozenset({"modifier"}),
    annotations=frozenset({"attribute_list"}),
    bases=frozenset({"base_list"}),
    not_bases=frozenset({"argument_list", "predefined_type"}),
    test_annotations=frozenset({"Fact", "Theory", "Test", "TestCase", "TestMethod", "DataTestMethod"}),
    uses=frozenset({"identifier"}),
)

_READER = reader_of(CSHARP, Language(tree_sitter_c_sharp.language()))


def extract_csharp(data: bytes) -> Facts:
    """Return what one C# file says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
