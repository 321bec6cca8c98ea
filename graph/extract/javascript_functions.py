"""Functions of JavaScript and TypeScript: their definitions, parameters and bodies.

A function gets a definition when something names it: a declaration, the variable, property or field it is assigned to,
or its own name. Every other one is a scope without a definition, whose calls belong to the nearest named encloser.
"""

from __future__ import annotations

from typing import Unpack

from tree_sitter import Node

from graph.extract.facts import Attribute, Expr, FunctionRef, Parameter
from graph.extract.javascript_jsdoc import NO_TYPES, DocTypes, doc_types
from graph.extract.javascript_patterns import bind
from graph.extract.javascript_types import annotation, bind_type_parameters, record_type_parameters
from graph.extract.javascript_walk import Extras, Walk, first_named
from graph.model import NodeKind

__all__ = [
    "FUNCTIONS",
    "anonymous_function",
    "define_function",
    "function_declaration",
    "function_scope",
    "named_function_expression",
    "parameters",
    "wrapped_component",
]

_WRAPPING = frozenset({"memo", "forwardRef"})
"""Calls that make a component of the function they get, which goes by the name of the variable."""

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
"""Nodes that are a function as a value."""


def define_function(
    walk: Walk,
    node: Node,
    name: str,
    name_line: int,
    *,
    kind: NodeKind = NodeKind.FUNCTION,
    outer: Node | None = None,
    **extras: Unpack[Extras],
) -> int:
    """Define the function `node` and read its body; return the number of its scope.

    `outer` is the whole declaration where that is more than the function (`f = () => 1`).
    """
    body = node.child_by_field_name("body")
    scope = walk.next_scope()
    extras["scope"] = scope
    extras["body_start"] = body.start_byte if body is not None else node.end_byte
    if _is_async(node):
        extras["modifiers"] = (*extras.get("modifiers", ()), "async")
    index = walk.define(kind, name, outer or node, name_line, **extras)
    definition = walk.definitions[index]
    raw = "" if walk.typed else walk.comments.raw_above(definition.start_line)
    function_scope(walk, node, index, f"{definition.qualname}.", doc_types(raw))
    return scope


def wrapped_component(walk: Walk, value: Node) -> Node | None:
    """Return the function without a name that `const Page = memo(() => ...)` makes a component of."""
    is_wrapped = False
    for _ in range(len(_WRAPPING)):  # `memo(forwardRef(...))`
        callee, given = value.child_by_field_name("function"), value.child_by_field_name("arguments")
        if value.type != "call_expression" or callee is None or given is None:
            break
        first = first_named(given)
        if first is None or walk.text(callee).rpartition(".")[2] not in _WRAPPING:
            return None
        value, is_wrapped = first, True
    is_function = value.type in FUNCTIONS and value.child_by_field_name("name") is None
    return value if is_wrapped and is_function else None


def anonymous_function(walk: Walk, node: Node) -> int:
    """Read a function that nothing names; return the number of its scope."""
    if walk.component is not None and walk.component[0] == node.id:
        _, name, line, outer = walk.component
        walk.component = None
        return define_function(walk, node, name, line, outer=outer)
    return function_scope(walk, node, -1, None, NO_TYPES)


def named_function_expression(walk: Walk, node: Node, name: Node) -> int:
    """Define a function expression by its own name, which only its own body can see."""
    line = node.start_point[0] + 1
    return define_function(walk, node, walk.text(name), max(line, name.start_point[0] + 1), modifiers=("detached",))


def function_declaration(walk: Walk, node: Node) -> Expr:
    """Define `function f() {}`, `function* f() {}`, and signatures without a body (overloads, `declare`)."""
    name = node.child_by_field_name("name")
    if name is None:
        return FunctionRef(anonymous_function(walk, node))
    modifiers = ("overload",) if node.type == "function_signature" else ()
    define_function(walk, node, walk.text(name), name.start_point[0] + 1, modifiers=modifiers)
    return walk.name(walk.text(name))


def function_scope(walk: Walk, node: Node, definition: int, prefix: str | None, types: DocTypes) -> int:
    """Read parameters and body into a new scope; return its number."""
    is_arrow = node.type == "arrow_function"
    number, outer = walk.open_scope("lambda" if is_arrow else "function", definition, prefix)
    generics, exporting, walk.is_exporting = walk.generics, walk.is_exporting, False
    walk.scope.span = (node.start_byte, node.end_byte)
    walk.scope.is_async = _is_async(node)
    walk.scope.is_generator = any(child.type == "*" for child in node.children[:6]) if not is_arrow else False
    record_type_parameters(walk, bind_type_parameters(walk, node, str(number)), node.start_point[0] + 1)
    _own_name(walk, node, number)
    if (given := node.child_by_field_name("parameters") or node.child_by_field_name("parameter")) is not None:
        parameters(walk, given, types)
    returned = node.child_by_field_name("return_type")
    walk.scope.return_annotation = annotation(walk, returned) if returned is not None else types.returns
    if (body := node.child_by_field_name("body")) is not None:
        if body.type == "statement_block":
            walk.visit_all(body.named_children)
        else:
            walk.scope.returns.append(walk.value(body))
    walk.generics, walk.is_exporting = generics, exporting
    walk.enter(outer)
    return number


def parameters(walk: Walk, node: Node, types: DocTypes = NO_TYPES) -> None:
    """Read a parameter list (or the single name of `x => x`) into the current scope."""
    if node.type != "formal_parameters":
        walk.scope.parameters.append(Parameter(walk.text(node), types.parameters.get(walk.text(node))))
        return
    for child in node.named_children:
        if child.type in {"required_parameter", "optional_parameter"}:
            _typed_parameter(walk, child, types)
        elif child.type not in {"comment", "decorator"}:
            _parameter(walk, child, None, None, types)


def _typed_parameter(walk: Walk, node: Node, types: DocTypes) -> None:
    pattern = node.child_by_field_name("pattern")
    if pattern is None:
        return
    type_node, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    declared = annotation(walk, type_node) if type_node is not None else None
    if pattern.type == "this":  # a type for `this`, no parameter
        if declared is not None:
            walk.assign(walk.name("this"), declared, pattern.start_point[0] + 1, "annotation")
        return
    before = node.children[: node.named_child_count + 1]
    if any(child.type in {"accessibility_modifier", "readonly", "override_modifier"} for child in before):
        _parameter_property(walk, node, pattern, declared)
    for child in before:
        if child.type == "decorator":
            walk.visit(child)
    _parameter(walk, pattern, declared, value, types)


def _parameter(walk: Walk, pattern: Node, declared: Expr | None, value: Node | None, types: DocTypes) -> None:
    kind = "positional"
    if pattern.type == "assignment_pattern":
        value = pattern.child_by_field_name("right")
        pattern = pattern.child_by_field_name("left") or pattern
    if pattern.type == "rest_pattern":
        kind = "rest"
        pattern = first_named(pattern) or pattern
    default = walk.value(value) if value is not None else None
    if pattern.type == "identifier":
        name = walk.text(pattern)
        walk.scope.parameters.append(Parameter(name, declared or types.parameters.get(name), default, kind))
        return
    source = walk.temporary()
    position = len(walk.scope.parameters)
    walk.scope.parameters.append(Parameter(source.id, declared or types.at(position), default, kind))
    bind(walk, pattern, source)


def _parameter_property(walk: Walk, node: Node, pattern: Node, declared: Expr | None) -> None:
    """`constructor(private a: A)` declares a field and assigns it."""
    name, line = walk.text(pattern), pattern.start_point[0] + 1
    constructor, owner = walk.current, walk.scope.parent
    walk.assign(Attribute(walk.name("this"), name, line), walk.name(name), line)
    walk.enter(owner)
    is_private = any(
        child.type == "accessibility_modifier" and walk.text(child) == "private" for child in node.children
    )
    modifiers = ("private",) if is_private else ()
    walk.define(NodeKind.VARIABLE, name, node, line, annotation=declared, modifiers=modifiers)
    if declared is not None:
        walk.assign(walk.name(name), declared, line, "annotation")
    walk.enter(constructor)


def _own_name(walk: Walk, node: Node, number: int) -> None:
    """Bind the name of a function expression inside of it, whatever the outside calls it."""
    if node.type in {"function_expression", "generator_function"} and (name := node.child_by_field_name("name")):
        walk.assign(walk.name(walk.text(name)), FunctionRef(number), name.start_point[0] + 1)


def _is_async(node: Node) -> bool:
    return any(child.type == "async" for child in node.children[:5])
