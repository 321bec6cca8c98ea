"""The facts of a PHP file: what it defines, what it uses and includes, and calls of functions and methods.

A namespace is no part of a name: it is kept as the export `package`. PHP never means a method by a bare name, so
`f()`, `new C`, `C::m()` and `$this->m()` keep what they say; other receivers are not followed.
"""

from __future__ import annotations

import tree_sitter_php
from tree_sitter import Language, Node

from graph.extract.facts import Attribute, Expr, Facts, ImportedName, Name
from graph.extract.outline_comments import SLASHES
from graph.extract.outline_core import Defines, Outline, OutlineReader, extract_outline, reader_of
from graph.extract.outline_names import named_expr
from graph.extract.python_scopes import UNKNOWN
from graph.model import NodeKind

__all__ = ["extract_php"]

_SELF = frozenset({"self", "static", "parent"})


def _namespace(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    walk.package(walk.text(name).replace("\\", ".") if name is not None else "")


def _use(walk: OutlineReader, node: Node) -> None:
    r"""Record one import for each name: `use A\{B, C as D}` names two files."""
    prefix = next((walk.text(child) + "\\" for child in node.named_children if child.type == "namespace_name"), "")
    kind = next((child.type for child in node.children if child.type in ("function", "const")), "")
    group = node.child_by_field_name("body") or node
    for clause in walk.children(group, "namespace_use_clause"):
        alias = clause.child_by_field_name("alias")
        target = next((child for child in clause.named_children if child.type in ("name", "qualified_name")), None)
        if target is None:
            continue
        full = (prefix + walk.text(target)).lstrip("\\").replace("\\", ".")
        own = next((child.type for child in clause.children if child.type in ("function", "const")), kind)
        last = full.rsplit(".", 1)[-1]
        bound = walk.text(alias) if alias is not None else last
        walk.imported(clause, full, own or "names", (ImportedName(last, bound),))


def _include(walk: OutlineReader, node: Node) -> None:
    inner = node.named_children[0] if node.named_children else None
    while inner is not None and inner.type == "parenthesized_expression" and inner.named_children:
        inner = inner.named_children[0]
    here = ""
    if inner is not None and inner.type == "binary_expression":
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        here = walk.text(left, 100).replace(" ", "") if left is not None else ""
        inner = right if here in ("__DIR__", "dirname(__FILE__)") else None
    text = walk.string(inner)
    if text is None:
        walk.notes.add("an include of what is not written out was not followed")
    else:
        walk.imported(node, text.lstrip("/") if here else text, "require", level=1 if here else 0)


def _type(kind: NodeKind, *words: str) -> Defines:
    return Defines(kind, opens="class", modifiers=words)


def _method(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    text = walk.text(name)
    is_test = text.startswith("test") and walk.body.kind == "class" and not text[4:5].islower()
    walk.define(NodeKind.METHOD, name, node, opens="function", stop=node.child_by_field_name("body"), is_test=is_test)


def _promoted(walk: OutlineReader, node: Node) -> None:
    """Define a parameter of a constructor that is a property too."""
    name = node.child_by_field_name("name")
    parent = walk.body.parent
    if name is not None and parent is not None:
        walk.define(NodeKind.VARIABLE, name, node, name=walk.text(name).lstrip("&$"), body=parent)


def _properties(walk: OutlineReader, node: Node) -> None:
    for element in walk.children(node, "property_element"):
        name = element.child_by_field_name("name") or walk.child(element, "variable_name")
        if name is not None:
            walk.define(NodeKind.VARIABLE, name, node, name=walk.text(name).lstrip("$"))


def _constants(walk: OutlineReader, node: Node) -> None:
    for element in walk.children(node, "const_element"):
        name = walk.child(element, "name")
        if name is not None:
            walk.define(NodeKind.VARIABLE, name, node, extra=("const",))


def _anonymous(walk: OutlineReader, node: Node) -> None:
    walk.enter("class", node, f"{walk.body.qualname}class@{node.start_point[0] + 1}.")


def _function_call(walk: OutlineReader, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is None or function.type not in ("name", "qualified_name"):
        return
    text = walk.text(function, 200)
    if text.lstrip("\\").lower() == "define" and walk.body.kind != "class":
        arguments = node.child_by_field_name("arguments")
        first = arguments.named_children[0].named_children[0] if arguments is not None else None
        if first is not None and (name := walk.string(first)):
            walk.define(NodeKind.VARIABLE, first, node, name=name, extra=("const",), body=walk.bodies[0])
        return
    walk.call(Name(text) if "\\" not in text else Attribute(UNKNOWN, text.rsplit("\\", 1)[-1]), node, function)


def _method_call(walk: OutlineReader, node: Node) -> None:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    if owner is None or name is None or name.type != "name":
        return
    is_own = owner.type == "variable_name" and walk.text(owner, 20) == "$this"
    walk.call(Attribute(Name("this") if is_own else UNKNOWN, walk.text(name)), node, name)


def _static_call(walk: OutlineReader, node: Node) -> None:
    owner, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if owner is None or name is None or name.type != "name":
        return
    text = walk.text(owner, 200)
    base: Expr = Name(text) if owner.type == "name" and text.lower() not in _SELF else UNKNOWN
    walk.call(Attribute(base, walk.text(name)), node, name)


def _new(walk: OutlineReader, node: Node) -> None:
    made = next((child for child in node.named_children if child.type in ("name", "qualified_name")), None)
    if made is None:
        return
    text = walk.text(made, 200)
    if text.lower() not in _SELF:
        expr = named_expr(text)
        plain: Expr = (
            expr if isinstance(expr, Name) and "\\" not in text else Attribute(UNKNOWN, text.rsplit("\\", 1)[-1])
        )
        walk.call(plain, node, made, constructs=True)


def _traits(walk: OutlineReader, node: Node) -> None:
    if walk.body.kind == "class":
        walk.notes.add("what traits add to a class is not followed")
    del node


PHP = Outline(
    language="php",
    nodes={
        "namespace_definition": _namespace,
        "namespace_use_declaration": _use,
        "include_expression": _include,
        "include_once_expression": _include,
        "require_expression": _include,
        "require_once_expression": _include,
        "class_declaration": _type(NodeKind.CLASS),
        "interface_declaration": _type(NodeKind.INTERFACE),
        "trait_declaration": _type(NodeKind.INTERFACE, "trait"),
        "enum_declaration": _type(NodeKind.ENUM),
        "enum_case": Defines(NodeKind.VARIABLE),
        "anonymous_class": _anonymous,
        "function_definition": Defines(NodeKind.FUNCTION, opens="function"),
        "method_declaration": _method,
        "property_promotion_parameter": _promoted,
        "property_declaration": _properties,
        "const_declaration": _constants,
        "use_declaration": _traits,
        "function_call_expression": _function_call,
        "member_call_expression": _method_call,
        "nullsafe_member_call_expression": _method_call,
        "scoped_call_expression": _static_call,
        "object_creation_expression": _new,
    },
    comments=frozenset({"comment"}),
    style=SLASHES,
    names=("name",),
    modifiers=frozenset(
        {"visibility_modifier", "static_modifier", "abstract_modifier", "final_modifier", "readonly_modifier"}
    ),
    annotations=frozenset({"attribute_list"}),
    bases=frozenset({"base_clause", "class_interface_clause"}),
    test_annotations=frozenset({"Test"}),
)

_READER = reader_of(PHP, Language(tree_sitter_php.language_php()))


def extract_php(data: bytes) -> Facts:
    """Return what one PHP file says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
