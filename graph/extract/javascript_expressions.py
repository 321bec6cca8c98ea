"""Expressions of JavaScript and TypeScript: calls, members, literals, JSX, what is erased, and what is not followed.

`await x`, `(x)`, `x!` and `x satisfies T` stand as `x`; `a && b` as `b`, since a value that is called or read further
is the right one; `a || b`, `a ?? b` and `c ? a : b` as any of theirs; `...x` as `<each>[x]`, any of its elements.
"""

from __future__ import annotations

from operator import is_

from msgspec.structs import replace
from tree_sitter import Node

from graph.extract.facts import (
    Attribute,
    CallExpr,
    Constant,
    Expr,
    FunctionRef,
    Name,
    Subscript,
    Union,
    Unknown,
)
from graph.extract.facts import Collection as Collected
from graph.extract.javascript_commonjs import amd_module, export_by_call
from graph.extract.javascript_functions import anonymous_function, named_function_expression
from graph.extract.javascript_modules import dynamic_import, required_module
from graph.extract.javascript_properties import assign_by_call, assign_by_helper
from graph.extract.javascript_types import type_arguments
from graph.extract.javascript_walk import UNKNOWN, Handler, Walk, first_named, last_named

__all__ = ["EXPRESSIONS"]

_CAST = Name("<as>")
"""`x as T` stands as `<as>[x, T]`: what T says is used where it says something."""

_AMD = frozenset({"define", "require", "requirejs"})
_EACH = Name("<each>")

CHAIN_LIMIT = 40
"""Links of `a.b().c()...` that one expression keeps: each is written again in the call that follows it."""

NESTING_LIMIT = 3
"""Calls within the arguments of a call that keep their own arguments."""

ELEMENT_LIMIT = 400
"""Elements of a literal that are followed; a table of functions is shorter, a table of data may be endless."""

_MAX_OPTIONS = 64
"""Alternatives of a chain of `||` that are kept."""
_STRING_LIMIT = 200


def chain(walk: Walk, node: Node) -> Expr:
    """Follow `a.b(c)[d].e()` from its base outwards, without recursion: builder chains get long."""
    spine: list[Node] = []
    base: Node | None = node
    while base is not None:
        match base.type:
            case "call_expression":
                inner = base.child_by_field_name("function")
            case "member_expression" | "subscript_expression":
                inner = base.child_by_field_name("object")
            case "non_null_expression" | "instantiation_expression":
                inner = first_named(base)
                base = inner
                continue
            case _:
                break
        spine.append(base)
        base = inner
    expr = walk.visit(base) if base is not None else UNKNOWN
    for links, link in enumerate(reversed(spine), start=1):
        if links % CHAIN_LIMIT == 0:
            expr = UNKNOWN
        expr = _link(walk, link, expr)
    return expr


def _link(walk: Walk, node: Node, base: Expr) -> Expr:
    match node.type:
        case "call_expression":
            return _call(walk, node, base)
        case "member_expression":
            prop = node.child_by_field_name("property")
            if prop is None:
                return UNKNOWN
            return Attribute(base, walk.text(prop), prop.start_point[0] + 1)
        case _:
            return _subscript(walk, node, base)


def _subscript(walk: Walk, node: Node, base: Expr) -> Expr:
    index_node = node.child_by_field_name("index")
    if index_node is None:
        return UNKNOWN
    index = walk.visit(index_node)
    if isinstance(index, Constant) and index.type == "str" and index.value:
        return Attribute(base, index.value, index_node.start_point[0] + 1)
    return Subscript(base, index)


def _call(walk: Walk, node: Node, function: Expr) -> Expr:
    arguments_node = node.child_by_field_name("arguments")
    arguments = _arguments(walk, arguments_node) if arguments_node is not None else ()
    given = _given_types(walk, node)
    line, start_line = _lines(function, node)
    export_by_call(walk, function, arguments)
    if isinstance(function, Attribute):
        assign_by_call(walk, function, arguments, line)
    elif isinstance(function, Name):
        assign_by_helper(walk, function, arguments, line)
    if isinstance(function, Name) and function.id in {"require", "import"}:
        (required_module if function.id == "require" else dynamic_import)(walk, arguments, node)
    if isinstance(function, Name) and function.id in _AMD:
        amd_module(walk, function, arguments, line)
    return walk.call(CallExpr(function, line, arguments, given, start_line=start_line))


def _given_types(walk: Walk, node: Node) -> tuple[tuple[str, Expr], ...]:
    """Return the type arguments of `f<A>()` and `new C<A>()`, as a keyword that no parameter can have."""
    types = node.child_by_field_name("type_arguments")
    arguments = type_arguments(walk, types) if types is not None else ()
    return (("<>", Collected("tuple", arguments)),) if any(not isinstance(item, Unknown) for item in arguments) else ()


def _lines(function: Expr, node: Node) -> tuple[int, int]:
    """Return the line of the callee's name, and of the start of the call where that differs (else 0)."""
    first = node.start_point[0] + 1
    line = function.line if isinstance(function, Attribute) else first
    return line, first if first != line else 0


def _arguments(walk: Walk, node: Node) -> tuple[Expr, ...]:
    if node.type == "template_string":  # a tagged template: the tag gets the strings, then each substitution
        return (Constant("template"), *_substitutions(walk, node))
    return tuple(_bounded(walk.value(child), NESTING_LIMIT) for child in node.named_children if child.type != "comment")


def _bounded(expr: Expr, levels: int) -> Expr:
    """Drop the arguments of calls nested deeper than `levels` calls: each of them would repeat them."""
    match expr:
        case CallExpr(arguments=arguments) if arguments:
            kept = tuple(_bounded(argument, levels - 1) for argument in arguments) if levels else ()
            return expr if levels and all(map(is_, kept, arguments)) else replace(expr, arguments=kept)
        case Collected(values=values) if values:
            bounded = tuple(_bounded(value, levels) for value in values)
            return expr if all(map(is_, bounded, values)) else replace(expr, values=bounded)
        case Subscript(base=base, index=index):
            inner = _bounded(base, levels), _bounded(index, levels)
            return expr if inner[0] is base and inner[1] is index else Subscript(*inner)
        case _:
            return expr


def construct(walk: Walk, node: Node) -> Expr:
    """Read `new C(...)`."""
    constructor = node.child_by_field_name("constructor")
    function = walk.visit(constructor) if constructor is not None else UNKNOWN
    arguments_node = node.child_by_field_name("arguments")
    arguments = _arguments(walk, arguments_node) if arguments_node is not None else ()
    given = _given_types(walk, node)
    line, start_line = _lines(function, constructor or node)
    first = node.start_point[0] + 1
    return walk.call(
        CallExpr(function, line, arguments, given, constructs=True, start_line=first if first != line else start_line)
    )


def identifier(walk: Walk, node: Node) -> Expr:
    """Return a name as written, `this`, `super` and `import` included."""
    text = walk.text(node)
    if text == "arguments":
        walk.takes_all_arguments()
    return walk.name(text)


def string(walk: Walk, node: Node) -> Expr:
    """Return a string literal; the value of a long one is not kept."""
    start, end = node.start_byte + 1, node.end_byte - 1
    if end - start > _STRING_LIMIT:
        return Constant("str")
    return Constant("str", walk.data[start:end].decode("utf-8", "replace"))


def template(walk: Walk, node: Node) -> Expr:
    """Return a template literal, whose substitutions are visited."""
    parts = _substitutions(walk, node)
    for part in parts:
        if isinstance(part, Name | Attribute):  # runs without being written: line 0
            line = node.start_point[0] + 1
            walk.call(CallExpr(Attribute(part, "toString", line), 0, start_line=line))
    if not parts and node.end_byte - node.start_byte <= _STRING_LIMIT:
        return Constant("str", walk.data[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "replace"))
    return Constant("template")


def _substitutions(walk: Walk, node: Node) -> tuple[Expr, ...]:
    inner = (first_named(child) for child in node.named_children if child.type == "template_substitution")
    return tuple(walk.value(child) for child in inner if child is not None)


def number(walk: Walk, node: Node) -> Expr:
    """Return a number with its digits: they index tuples."""
    return Constant("int", walk.text(node)) if node.end_byte - node.start_byte < 12 else Constant("float")


def erased(walk: Walk, node: Node) -> Expr:
    """Return what is wrapped without being changed; with the type of `x as T` and `<T>x` beside it, for `<as>`."""
    inner = [child for child in node.named_children if child.type != "comment"]
    operand = next((child for child in inner if child.type != "type_arguments"), None)
    value = walk.visit(operand) if operand is not None else UNKNOWN
    types = [declared for child in inner if child is not operand for declared in type_arguments(walk, child)]
    known = types[-1] if types and node.type != "satisfies_expression" else UNKNOWN
    return value if isinstance(known, Unknown) else Subscript(_CAST, Collected("tuple", (value, known)))


def awaited(walk: Walk, node: Node) -> Expr:
    """Return `x` for `await x`."""
    operand = last_named(node)
    return walk.visit(operand) if operand is not None else UNKNOWN


def spread(walk: Walk, node: Node) -> Expr:
    """Return any element of x for `...x`."""
    operand = last_named(node)
    return Subscript(_EACH, walk.value(operand)) if operand is not None else UNKNOWN


def yielded(walk: Walk, node: Node) -> Expr:
    """`yield x`: what iterating over the call gives; what it evaluates to is sent from outside."""
    if operand := first_named(node):
        value = walk.value(operand)
        is_delegated = any(child.type == "*" for child in node.children[:2])
        walk.frame().yields.append(walk.given_back(Subscript(_EACH, value) if is_delegated else value))
    return UNKNOWN


def binary(walk: Walk, node: Node) -> Expr:
    """Operators; a chain of them leans left and is walked without recursion."""
    rights: list[tuple[str, Node]] = []
    left: Node | None = node
    while left is not None and left.type == "binary_expression":
        operator, right = left.child_by_field_name("operator"), left.child_by_field_name("right")
        if right is not None:
            rights.append((operator.type if operator is not None else "", right))
        left = left.child_by_field_name("left")
    expr = _operand(walk, left) if left is not None else UNKNOWN
    for symbol, operand in reversed(rights):
        expr = _combined(symbol, expr, _operand(walk, operand))
    return expr


def _operand(walk: Walk, node: Node) -> Expr:
    """Visit an operand; a property is read there, by its getter if it has one."""
    return walk.value(node) if node.type == "member_expression" else walk.visit(node)


def statement(walk: Walk, node: Node) -> Expr:
    """Visit an expression that stands alone."""
    for child in node.named_children:
        _operand(walk, child)
    return UNKNOWN


def _combined(operator: str, left: Expr, right: Expr) -> Expr:
    match operator:
        case "&&":
            return right
        case "||" | "??":
            if not isinstance(left, Union):
                return Union((left, right))
            # A union in a union for each operator would be nested deeper than facts can be written down.
            return Union((*left.options, right)) if len(left.options) < _MAX_OPTIONS else left
        case "+" if isinstance(left, Constant) and left.type in {"str", "template"}:
            if isinstance(right, Constant) and right.type == left.type == "str" and left.value and right.value:
                return Constant("str", (left.value + right.value)[:_STRING_LIMIT])
            return Constant("template")
        case "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "in" | "instanceof":
            return Constant("bool")
        case _:
            return UNKNOWN


def ternary(walk: Walk, node: Node) -> Expr:
    """`c ? a : b`."""
    if condition := node.child_by_field_name("condition"):
        walk.visit(condition)
    branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
    return Union(tuple(walk.visit(branch) for branch in branches if branch is not None))


def sequence(walk: Walk, node: Node) -> Expr:
    """Return the last one of `a, b`."""
    expr: Expr = UNKNOWN
    for child in node.named_children:
        expr = walk.visit(child)
    return expr


def unary(walk: Walk, node: Node) -> Expr:
    """`!x`, `typeof x`, `void x`, `-x`: the operand is visited, the value not followed."""
    if argument := node.child_by_field_name("argument"):
        walk.visit(argument)
    return UNKNOWN


def array(walk: Walk, node: Node) -> Expr:
    """Return an array literal; the elements past `ELEMENT_LIMIT` are visited and not kept."""
    values = [walk.value(child) for child in node.named_children if child.type != "comment"]
    return Collected("list", tuple(values[:ELEMENT_LIMIT]))


def function_value(walk: Walk, node: Node) -> Expr:
    """Return a function expression in a place that gives it no name."""
    name = node.child_by_field_name("name")
    if name is not None:
        return FunctionRef(named_function_expression(walk, node, name))
    return FunctionRef(anonymous_function(walk, node))


def nothing(walk: Walk, node: Node) -> Expr:
    """Skip what holds no code: comments, text, labels."""
    del walk, node
    return UNKNOWN


def _constant(kind: str) -> Handler:
    value = Constant(kind)

    def handle(walk: Walk, node: Node) -> Expr:
        del walk, node
        return value

    return handle


EXPRESSIONS: dict[str, Handler] = {
    **dict.fromkeys(("call_expression", "member_expression", "subscript_expression", "non_null_expression"), chain),
    "instantiation_expression": chain,
    **dict.fromkeys(("identifier", "this", "super", "import", "shorthand_property_identifier"), identifier),
    "meta_property": identifier,
    "property_identifier": identifier,
    "private_property_identifier": identifier,
    "undefined": _constant("none"),
    "null": _constant("none"),
    "true": _constant("bool"),
    "false": _constant("bool"),
    "regex": _constant("regex"),
    "number": number,
    "string": string,
    "template_string": template,
    "new_expression": construct,
    **dict.fromkeys(("parenthesized_expression", "as_expression", "satisfies_expression", "type_assertion"), erased),
    "expression_statement": statement,
    "await_expression": awaited,
    "spread_element": spread,
    "yield_expression": yielded,
    "binary_expression": binary,
    "ternary_expression": ternary,
    "sequence_expression": sequence,
    "unary_expression": unary,
    "update_expression": unary,
    "array": array,
    **dict.fromkeys(("arrow_function", "function_expression", "generator_function"), function_value),
    **dict.fromkeys(
        (
            "comment",
            "html_comment",
            "hash_bang_line",
            "jsx_text",
            "statement_identifier",
            "empty_statement",
            "debugger_statement",
            "html_character_reference",
        ),
        nothing,
    ),
}
"""What each kind of expression node means; the tables of the sibling modules hold the rest."""
