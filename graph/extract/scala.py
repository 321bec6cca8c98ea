"""The facts of a Scala file, of version 2 or 3: what it defines, what it imports, the names of what it calls.

Packages are kept as the export `package`, the clauses of a file joined. Calls stay names: implicits, `apply` and
overloads are told apart by types.
"""

from __future__ import annotations

import tree_sitter_scala
from tree_sitter import Language, Node

from graph.extract.facts import Attribute, Constant, Facts, ImportedName
from graph.extract.outline_comments import SLASHES
from graph.extract.outline_core import Defines, Outline, OutlineReader, extract_outline, reader_of
from graph.extract.outline_names import last_name, named_expr
from graph.extract.python_scopes import UNKNOWN
from graph.model import NodeKind

__all__ = ["extract_scala"]

_SELECTORS = ("namespace_selectors", "namespace_wildcard", "as_renamed_identifier", "arrow_renamed_identifier")


def _package(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    text = "".join(walk.text(name).split())
    outer = next((value.value for _, value in walk.exports if isinstance(value, Constant)), "")
    is_chained = bool(outer) and node.child_by_field_name("body") is None and walk.body.number == 0
    if is_chained:
        walk.exports.clear()
        text = f"{outer}.{text}"
    walk.package(text)


def _import(walk: OutlineReader, node: Node) -> None:
    """Record one import for each name that braces list: each may stand in a file of its own."""
    path: list[str] = []
    for child in node.named_children:
        if child.type == "identifier":
            path.append(walk.text(child).strip("`"))
        elif child.type in _SELECTORS:
            _selectors(walk, node, path, child)
            path = []
    if path:
        walk.imported(node, ".".join(path), "names", (ImportedName(path[-1], path[-1]),))


def _selectors(walk: OutlineReader, node: Node, path: list[str], group: Node) -> None:
    prefix = ".".join(path)
    items = group.named_children if group.type == "namespace_selectors" else [group]
    for item in items:
        if "wildcard" in item.type:
            walk.imported(node, prefix, "module", (ImportedName("*", "*"),))
        elif "renamed" in item.type:
            name, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
            if name is not None and alias is not None and alias.type == "identifier":
                text = walk.text(name)
                walk.imported(item, f"{prefix}.{text}", "names", (ImportedName(text, walk.text(alias)),))
        elif item.type == "identifier":
            text = walk.text(item)
            walk.imported(item, f"{prefix}.{text}", "names", (ImportedName(text, text),))


def _type(kind: NodeKind, *words: str) -> Defines:
    return Defines(kind, opens="class", modifiers=words)


def _class(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        is_case = any(child.type == "case" for child in node.children)
        kind = NodeKind.ENUM if node.type == "enum_definition" else NodeKind.CLASS
        stop = node.child_by_field_name("body")
        walk.define(kind, name, node, opens="class", stop=stop, extra=("case",) if is_case else ())


def _parameter(walk: OutlineReader, node: Node) -> None:
    """Define a parameter of a class, a member where it says `val` or `var` or the class is a case class."""
    name = node.child_by_field_name("name")
    definition = walk.body.definition
    if name is None or definition < 0 or walk.body.kind != "class":
        return
    words = {child.type for child in node.children}
    is_first_list = node.start_byte > 0 and "case" in walk.definitions[definition].modifiers
    if is_first_list or not {"val", "var"}.isdisjoint(words):
        walk.define(NodeKind.VARIABLE, name, node)


def _function(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        stop = node.child_by_field_name("body")
        walk.define(NodeKind.FUNCTION, name, node, name=walk.text(name).strip("`"), opens="function", stop=stop)


def _value(walk: OutlineReader, node: Node) -> None:
    if walk.body.kind == "function":
        return
    pattern = node.child_by_field_name("pattern") or walk.child(node, "name", "identifier", "identifiers")
    if pattern is None:
        return
    items = [pattern] if pattern.type == "identifier" else walk.children(pattern, "identifier")
    for item in items:
        walk.define(NodeKind.VARIABLE, item, node, name=walk.text(item).strip("`"))
    if items and node.child_by_field_name("value") is not None:
        walk.enter("function", node, f"{walk.definitions[-1].qualname}.", len(walk.definitions) - 1)


def _given(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    stop = node.child_by_field_name("body")
    opens = "class" if stop is not None and "template" in stop.type else "function"
    if name is not None:
        walk.define(NodeKind.VARIABLE, name, node, opens=opens, stop=stop, extra=("given",))
        return
    over = node.child_by_field_name("return_type")
    expr = named_expr(walk.text(over, 200)) if over is not None else None
    if over is not None and expr is not None:
        text = expr.name if isinstance(expr, Attribute) else walk.text(over, 200).split("[", 1)[0]
        walk.define(NodeKind.VARIABLE, over, node, name=f"given_{text}", opens=opens, stop=stop, extra=("given",))


def _case(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        walk.define(NodeKind.VARIABLE, name, node, extra=("case",))


def _new_body(walk: OutlineReader, node: Node) -> None:
    """Open the body of an anonymous class."""
    if any(child.type == "template_body" for child in node.named_children):
        walk.enter("class", node, f"{walk.body.qualname}new@{node.start_point[0] + 1}.")


def _call(walk: OutlineReader, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is None:
        return
    if function.type == "generic_function" and function.named_children:
        function = function.named_children[0]
    text = walk.tail(function)
    name = last_name(text)
    if name:
        walk.call(Attribute(UNKNOWN, name), node, function.child_by_field_name("field") or function)


SCALA = Outline(
    language="scala",
    nodes={
        "package_clause": _package,
        "package_object": _type(NodeKind.MODULE),
        "import_declaration": _import,
        "class_definition": _class,
        "enum_definition": _class,
        "trait_definition": _type(NodeKind.INTERFACE),
        "object_definition": _type(NodeKind.CLASS, "object"),
        "class_parameter": _parameter,
        "function_definition": _function,
        "function_declaration": _function,
        "val_definition": _value,
        "val_declaration": _value,
        "var_definition": _value,
        "var_declaration": _value,
        "type_definition": Defines(NodeKind.TYPE, body=()),
        "given_definition": _given,
        "simple_enum_case": _case,
        "full_enum_case": _case,
        "instance_expression": _new_body,
        "call_expression": _call,
    },
    comments=frozenset({"comment", "block_comment"}),
    style=SLASHES,
    names=("identifier", "type_identifier"),
    modifiers=frozenset({"modifiers"}),
    annotations=frozenset({"annotation"}),
    bases=frozenset({"extends_clause"}),
    not_bases=frozenset({"arguments"}),
    uses=frozenset({"identifier", "type_identifier"}),
)

_READER = reader_of(SCALA, Language(tree_sitter_scala.language()))


def extract_scala(data: bytes) -> Facts:
    """Return what one Scala file says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
