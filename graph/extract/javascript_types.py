"""Type annotations of TypeScript as expressions: functions and object types as scopes, type parameters by their place.

`A & B` and `A | B` are both a `Union` (a member is looked up in each), `null` and `undefined` dropped; `T[]` is
`Array[T]`; `typeof x` is `typeof[x]`; a function type is a `FunctionRef` to a scope that has parameters and a return
annotation and no body; an object type is a `ClassRef` to a scope of annotated names; a type parameter is
`<T>[place, name, bound]`. What says nothing of values
(`keyof`, template types, `infer`) is `Unknown`.
"""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from graph.extract.facts import Attribute, ClassRef, Constant, Expr, FunctionRef, Name, Subscript, Union, Unknown
from graph.extract.facts import Collection as Collected
from graph.extract.javascript_walk import UNKNOWN, Handler, Walk, first_named
from graph.model import NodeKind

__all__ = [
    "GENERIC",
    "annotation",
    "bind_type_parameters",
    "object_members",
    "record_type_parameters",
    "type_arguments",
    "type_signature",
]

_PRIMITIVES = frozenset(
    {"string", "number", "boolean", "any", "unknown", "void", "never", "object", "symbol", "bigint"}
)
_OPTION_LIMIT = 24

_VARIABLE = Name("<T>")
_IS = Name("<is>")
GENERIC = Name("<generic>")
"""A type alias with parameters stands for `<generic>[type, parameters...]`."""


def annotation(walk: Walk, node: Node) -> Expr | None:
    """Return what an annotation says; None when it says nothing that can be followed."""
    expr = _type(walk, node)
    return None if isinstance(expr, Unknown) else expr


def type_arguments(walk: Walk, node: Node) -> tuple[Expr, ...]:
    """Return the types in `<A, B>` (or a single type node), recorded as used."""
    if node.type != "type_arguments":
        return (_type(walk, node),)
    return tuple(_type(walk, child) for child in node.named_children if child.type != "comment")


def bind_type_parameters(walk: Walk, declaration: Node, place: str = "") -> tuple[Expr, ...]:
    """Bring the type parameters of a declaration into sight and return them in order.

    `place` is empty where the declaration has not opened its scope yet. The caller restores `walk.generics`, and
    records the parameters where they belong (`record_type_parameters`). In a bound the others have no bounds of their
    own: they are written out wherever they are used.
    """
    given = declaration.child_by_field_name("type_parameters")
    if given is None:
        return ()
    walk.generics = dict(walk.generics)
    place = place or f"{walk.next_scope()}.{len(walk.definitions)}"  # no other declaration is read at this count
    named = ((child.child_by_field_name("name"), child) for child in given.named_children)
    known = [(walk.text(written), parameter) for written, parameter in named if written is not None]
    names = [name for name, _ in known]
    walk.generics.update((name, _variable(place, name, UNKNOWN)) for name in names)
    bounds: dict[str, Expr] = {}
    for name, parameter in known:
        bound = parameter.child_by_field_name("constraint") or parameter.child_by_field_name("value")
        if bound is not None:
            bounds[name] = _variable(place, name, _type(walk, bound))
    walk.generics.update(bounds)
    return tuple(walk.generics[name] for name in names)


def _variable(place: str, name: str, bound: Expr) -> Expr:
    """Return a use of a type parameter: its place and name tell it apart, its bound is what it surely is."""
    return Subscript(_VARIABLE, Collected("tuple", (Constant("str", place), Constant("str", name), bound)))


def record_type_parameters(walk: Walk, parameters: tuple[Expr, ...], line: int) -> None:
    """Record the type parameters of the function or class whose scope is the current one."""
    for parameter in parameters:
        walk.assign(UNKNOWN, parameter, line, "generic")


def type_signature(walk: Walk, node: Node, definition: int = -1, prefix: str | None = None) -> int:
    """Read a function type or a signature without a body into a scope; return its number."""
    from graph.extract.javascript_functions import parameters

    number, outer = walk.open_scope("function", definition, prefix)
    generics = walk.generics
    record_type_parameters(walk, bind_type_parameters(walk, node, str(number)), node.start_point[0] + 1)
    if (given := node.child_by_field_name("parameters")) is not None:
        parameters(walk, given)
    returned = node.child_by_field_name("return_type") or node.child_by_field_name("type")
    walk.scope.return_annotation = annotation(walk, returned) if returned is not None else None
    walk.generics = generics
    walk.enter(outer)
    return number


def object_members(walk: Walk, nodes: list[Node], *, defines: bool) -> None:
    """Read the members of an interface or object type into the current scope, as annotations.

    A signature of calls, or of `new`, is the member `()`, an index signature `[]`.
    """
    for node in nodes:
        match node.type:
            case "property_signature":
                _property_signature(walk, node, defines=defines)
            case "method_signature":
                _method_signature(walk, node, defines=defines)
            case "call_signature" | "construct_signature":
                walk.assign(Name("()"), FunctionRef(type_signature(walk, node)), node.start_point[0] + 1, "annotation")
            case "index_signature":
                if (indexed := node.child_by_field_name("type")) is not None:
                    walk.assign(Name("[]"), _type(walk, indexed), node.start_point[0] + 1, "annotation")
            case _:
                pass


def _property_signature(walk: Walk, node: Node, *, defines: bool) -> None:
    name = node.child_by_field_name("name")
    if name is None or name.type == "computed_property_name":
        return
    text, line = _member_name(walk, name), name.start_point[0] + 1
    type_node = node.child_by_field_name("type")
    declared = annotation(walk, type_node) if type_node is not None else None
    if defines:
        walk.define(NodeKind.VARIABLE, text, node, line, annotation=declared)
    if declared is not None:
        walk.assign(walk.name(text), declared, line, "annotation")


def _method_signature(walk: Walk, node: Node, *, defines: bool) -> None:
    name = node.child_by_field_name("name")
    if name is None or name.type == "computed_property_name":
        return
    text, line = _member_name(walk, name), name.start_point[0] + 1
    if not defines:
        walk.assign(walk.name(text), FunctionRef(type_signature(walk, node)), line, "annotation")
        return
    scope = walk.next_scope()
    definition = walk.define(NodeKind.METHOD, text, node, line, scope=scope, modifiers=("abstract",))
    type_signature(walk, node, definition, f"{walk.definitions[definition].qualname}.")


def _member_name(walk: Walk, node: Node) -> str:
    return walk.text(node).strip("\"'")


def _type(walk: Walk, node: Node) -> Expr:
    handler = _TYPES.get(node.type)
    if handler is None or walk.is_too_deep():
        return UNKNOWN
    walk.descend(1)
    expr = handler(walk, node)
    walk.descend(-1)
    return expr


def _named(walk: Walk, node: Node) -> Expr:
    text = walk.text(node)
    bound = walk.generics.get(text)
    if bound is not None:
        return bound
    name = walk.name(text)
    walk.scope.references.append((name, node.start_point[0] + 1))
    return name


def _qualified(walk: Walk, node: Node) -> Expr:
    first, *rest = (part.strip() for part in walk.text(node).split("."))
    line = node.end_point[0] + 1
    expr: Expr = walk.name(first)
    for part in rest:
        expr = Attribute(expr, part, line)
    if first.startswith("import("):
        return walk.visit(node)
    walk.scope.references.append((expr, line))
    return expr


def _generic(walk: Walk, node: Node) -> Expr:
    name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    if name is None:
        return UNKNOWN
    base = _type(walk, name)
    arguments = type_arguments(walk, given) if given is not None else ()
    if not arguments or isinstance(base, Unknown):
        return base
    return Subscript(base, arguments[0] if len(arguments) == 1 else Collected("tuple", arguments))


def _first(walk: Walk, node: Node) -> Expr:
    inner = first_named(node)
    return _type(walk, inner) if inner is not None else UNKNOWN


def _options(walk: Walk, node: Node) -> Expr:
    """Flatten `A | B | C`, which nests to the left, without recursion."""
    leaves: list[Node] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if top.type in {"union_type", "intersection_type"}:
            stack.extend(child for child in reversed(top.named_children) if child.type != "comment")
        else:
            leaves.append(top)
    return _union(_type(walk, leaf) for leaf in leaves[:_OPTION_LIMIT])


def _union(options: Iterable[Expr]) -> Expr:
    known = tuple(option for option in options if not isinstance(option, Unknown) and not _is_nothing(option))
    if not known:
        return UNKNOWN
    return known[0] if len(known) == 1 else Union(known)


def _is_nothing(expr: Expr) -> bool:
    return isinstance(expr, Constant) and expr.type == "none"


def _array(walk: Walk, node: Node) -> Expr:
    return Subscript(walk.name("Array"), _first(walk, node))


def _tuple(walk: Walk, node: Node) -> Expr:
    elements = tuple(_type(walk, child) for child in node.named_children if child.type != "comment")
    return Subscript(walk.name("tuple"), Collected("tuple", elements))


def _tuple_element(walk: Walk, node: Node) -> Expr:
    """`name: T` in a tuple."""
    declared = node.child_by_field_name("type")
    return _type(walk, declared) if declared is not None else UNKNOWN


def _function(walk: Walk, node: Node) -> Expr:
    return FunctionRef(type_signature(walk, node))


def _object(walk: Walk, node: Node) -> Expr:
    prefix, walk.literal_prefix = walk.literal_prefix, None
    members = node.named_children
    if not members:
        return UNKNOWN
    number, outer = walk.open_scope("class", -1, prefix)
    object_members(walk, members, defines=prefix is not None)
    walk.enter(outer)
    return ClassRef(number)


def _conditional(walk: Walk, node: Node) -> Expr:
    for side in ("left", "right"):
        if (tested := node.child_by_field_name(side)) is not None:
            _type(walk, tested)
    branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
    return _union(_type(walk, branch) for branch in branches if branch is not None)


def _query(walk: Walk, node: Node) -> Expr:
    inner = first_named(node)
    if inner is None:
        return UNKNOWN
    return Subscript(walk.name("typeof"), walk.value(inner))


def _lookup(walk: Walk, node: Node) -> Expr:
    parts = node.named_children
    base = _type(walk, parts[0]) if parts else UNKNOWN
    key = _type(walk, parts[1]) if len(parts) > 1 else UNKNOWN
    if isinstance(base, Unknown) or not isinstance(key, Constant) or not key.value:
        return UNKNOWN
    return Attribute(base, key.value, node.start_point[0] + 1)


def _literal(walk: Walk, node: Node) -> Expr:
    inner = first_named(node)
    if inner is None:
        return UNKNOWN
    return walk.visit(inner)


def _predefined(walk: Walk, node: Node) -> Expr:
    text = walk.text(node)
    return walk.name(text) if text in _PRIMITIVES and text not in {"any", "unknown"} else UNKNOWN


def _predicate(walk: Walk, node: Node) -> Expr:
    """`x is T`: the value is a boolean, and stands as `<is>[x, T]`."""
    for child in node.named_children:
        declared = child.child_by_field_name("type") if child.type in {"type_predicate", "asserts"} else None
        name = child.child_by_field_name("name")
        if declared is not None:
            subject = Constant("str", walk.text(name) if name is not None else "")
            return Subscript(_IS, Collected("tuple", (subject, _type(walk, declared))))
    return walk.name("boolean")


def _visited(walk: Walk, node: Node) -> Expr:
    """For its uses only: `keyof T`, `infer U`, template types."""
    for child in node.named_children:
        _type(walk, child)
    return UNKNOWN


_TYPES: dict[str, Handler] = {
    **dict.fromkeys(("type_identifier", "identifier", "this_type"), _named),
    **dict.fromkeys(("nested_type_identifier", "nested_identifier", "member_expression"), _qualified),
    "generic_type": _generic,
    **dict.fromkeys(
        (
            "type_annotation",
            "parenthesized_type",
            "readonly_type",
            "optional_type",
            "rest_type",
            "constraint",
            "default_type",
            "omitting_type_annotation",
            "adding_type_annotation",
            "opting_type_annotation",
            "flow_maybe_type",
        ),
        _first,
    ),
    **dict.fromkeys(("union_type", "intersection_type"), _options),
    "array_type": _array,
    "tuple_type": _tuple,
    **dict.fromkeys(("required_parameter", "optional_parameter"), _tuple_element),
    **dict.fromkeys(("function_type", "constructor_type"), _function),
    "object_type": _object,
    "conditional_type": _conditional,
    "type_query": _query,
    "lookup_type": _lookup,
    "literal_type": _literal,
    "predefined_type": _predefined,
    **dict.fromkeys(("type_predicate_annotation", "asserts_annotation"), _predicate),
    **dict.fromkeys(("index_type_query", "template_literal_type", "template_type", "infer_type"), _visited),
}
