"""Classes, interfaces, enums, type aliases and namespaces of JavaScript and TypeScript.

What a class body runs stands in two scopes of their own, `initializer` for an instance and `static` for the class, as
assignments to `this.field`: a field initialiser does not see the other fields by their bare names.
"""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, ClassRef, Expr, FunctionRef, Subscript
from graph.extract.facts import Collection as Collected
from graph.extract.javascript_functions import FUNCTIONS, define_function
from graph.extract.javascript_jsdoc import doc_types
from graph.extract.javascript_patterns import property_name
from graph.extract.javascript_types import (
    GENERIC,
    annotation,
    bind_type_parameters,
    object_members,
    record_type_parameters,
    type_arguments,
    type_signature,
)
from graph.extract.javascript_walk import UNKNOWN, Extras, Handler, Walk, first_named
from graph.model import NodeKind

__all__ = ["CLASSES", "define_class", "method", "method_modifiers"]

_MODIFIERS = {
    "static": "static",
    "async": "async",
    "get": "property",
    "set": "setter",
    "abstract": "abstract",
    "override_modifier": "override",
    "readonly": "readonly",
    "declare": "ambient",
}


def define_class(
    walk: Walk, node: Node, name: str, name_line: int, *, outer: Node | None = None, modifiers: tuple[str, ...] = ()
) -> int:
    """Define the class `node` and read its members; return the number of its scope."""
    decorators = _decorators(walk, node)
    generics = walk.generics
    parameters = bind_type_parameters(walk, node)
    bases, applied, implements = _heritage(walk, node)
    body = node.child_by_field_name("body")
    scope = walk.next_scope()
    first = next((child for child in node.children if child.type != "decorator"), node)
    definition = walk.define(
        NodeKind.CLASS,
        name,
        outer or node,
        name_line=name_line,
        body_start=body.start_byte if body is not None else node.end_byte,
        signature_start=first.start_byte if first.start_byte != node.start_byte else -1,
        scope=scope,
        bases=bases,
        implements=implements,
        decorators=decorators,
        modifiers=(*modifiers, "abstract") if node.type == "abstract_class_declaration" else modifiers,
    )
    _class_body(walk, body, definition, parameters, applied)
    walk.generics = generics
    return scope


def _class_body(
    walk: Walk, body: Node | None, definition: int, parameters: tuple[Expr, ...], applied: tuple[Expr, ...]
) -> None:
    exporting, walk.is_exporting = walk.is_exporting, False
    _, outer = walk.open_scope("class", definition, f"{walk.definitions[definition].qualname}.")
    line = walk.definitions[definition].name_line
    record_type_parameters(walk, parameters, line)
    for base in applied:
        walk.assign(UNKNOWN, base, line, "extends")
    if body is not None:
        _Members(walk).read(body)
    walk.enter(outer)
    walk.is_exporting = exporting


def class_value(walk: Walk, node: Node) -> Expr:
    """Read a class declaration, or a class expression in a place that gives it no name."""
    name = node.child_by_field_name("name")
    line = (name or node).start_point[0] + 1
    if node.type == "class":  # an expression: its name, if any, is seen from inside only
        text = walk.text(name) if name is not None else "class"
        return ClassRef(define_class(walk, node, text, line, modifiers=("detached",)))
    text = walk.text(name) if name is not None else "default"
    define_class(walk, node, text, line)
    return walk.name(text)


def _decorators(walk: Walk, node: Node) -> tuple[Expr, ...]:
    before, walk.decorators = walk.decorators, ()
    return (*before, *(walk.visit(child) for child in node.children_by_field_name("decorator")))


def decorator(walk: Walk, node: Node) -> Expr:
    """`@d` and `@d()`: a reference or a call at the place of the decorated thing."""
    inner = first_named(node)
    return walk.value(inner) if inner is not None else UNKNOWN


def _heritage(walk: Walk, node: Node) -> tuple[tuple[Expr, ...], tuple[Expr, ...], tuple[Expr, ...]]:
    """Return the base classes as values, those of them that get type arguments as types, and the interfaces."""
    bases: list[Expr] = []
    applied: list[Expr] = []
    implements: list[Expr] = []
    for child in node.named_children:
        if child.type == "class_heritage":
            for clause in child.named_children:
                if clause.type == "implements_clause":
                    implements += type_arguments_of(walk, clause)
                elif clause.type == "extends_clause":
                    bases += _extended(walk, clause, applied)
                elif clause.type != "comment":
                    bases.append(walk.value(clause))
    return tuple(bases), tuple(applied), tuple(implements)


def _extended(walk: Walk, clause: Node, applied: list[Expr]) -> list[Expr]:
    bases = [walk.value(value) for value in clause.children_by_field_name("value")]
    for given in clause.children_by_field_name("type_arguments"):
        arguments = type_arguments(walk, given)
        if bases and arguments:
            applied.append(Subscript(bases[-1], arguments[0] if len(arguments) == 1 else Collected("tuple", arguments)))
    return bases


def type_arguments_of(walk: Walk, clause: Node) -> list[Expr]:
    """Return the types listed in an `implements` or an interface's `extends` clause."""
    listed = (annotation(walk, child) for child in clause.named_children if child.type != "comment")
    return [expr for expr in listed if expr is not None]


class _Members:
    """The members of one class body, read in order; the scopes for initialisers are opened when first needed."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._class_scope = walk.current
        self._initializers: dict[str, int] = {}
        self._decorators: list[Expr] = []
        self._decorated_line = 0

    def read(self, body: Node) -> None:
        for node in body.named_children:
            match node.type:
                case "decorator":
                    self._decorators.append(self._walk.visit(node))
                    self._decorated_line = self._decorated_line or node.start_point[0] + 1
                    continue
                case "method_definition":
                    method(self._walk, node, decorators=tuple(self._decorators), start_line=self._decorated_line)
                case "method_signature" | "abstract_method_signature":
                    self._signature(node)
                case "public_field_definition" | "field_definition":
                    self._field(node)
                case "class_static_block":
                    self._run(node, "static")
                case "comment":
                    continue
                case _:
                    pass
            self._decorators.clear()
            self._decorated_line = 0

    def _signature(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        walk = self._walk
        kind = "abstract" if node.type == "abstract_method_signature" else "overload"
        scope = walk.next_scope()
        definition = walk.define(
            NodeKind.METHOD,
            property_name(walk, name) or walk.text(name),
            node,
            name.start_point[0] + 1,
            scope=scope,
            modifiers=(kind, *method_modifiers(walk, node)),
        )
        type_signature(walk, node, definition, f"{walk.definitions[definition].qualname}.")

    def _field(self, node: Node) -> None:
        walk = self._walk
        name_node = node.child_by_field_name("name") or node.child_by_field_name("property")
        if name_node is None:
            return
        name, line = property_name(walk, name_node), name_node.start_point[0] + 1
        value = node.child_by_field_name("value")
        extras = self._field_extras(node, line)
        side = "static" if "static" in extras.get("modifiers", ()) else "initializer"
        if value is not None and value.type in FUNCTIONS and name:
            self._enter(side)
            extras["owner"] = self._class_scope
            define_function(walk, value, name, line, kind=NodeKind.METHOD, outer=node, **extras)
            walk.enter(self._class_scope)
            return
        if name:
            if value is not None and value.end_point[0] != line - 1:
                extras["body_start"] = value.start_byte
            walk.define(NodeKind.VARIABLE, name, node, line, **extras)
            if (declared := extras.get("annotation")) is not None:
                walk.assign(walk.name(name), declared, line, "annotation")
        if value is not None:
            self._initialize(side, name, line, value)

    def _field_extras(self, node: Node, line: int) -> Extras:
        walk = self._walk
        type_node = node.child_by_field_name("type")
        declared = annotation(walk, type_node) if type_node is not None else None
        if declared is None and not walk.typed:
            declared = doc_types(walk.comments.raw_above(line)).type
        return Extras(
            start_line=self._decorated_line,
            modifiers=method_modifiers(walk, node),
            annotation=declared,
            decorators=(*self._decorators, *(walk.visit(child) for child in node.children_by_field_name("decorator"))),
        )

    def _initialize(self, side: str, name: str, line: int, value: Node) -> None:
        walk = self._walk
        self._enter(side)
        walk.literal_prefix = f"{walk.scope.prefix}{name}." if value.type == "object" and name else None
        result = walk.value(value)
        walk.assign(Attribute(walk.name("this"), name, line), result, line)
        walk.enter(self._class_scope)

    def _run(self, node: Node, side: str) -> None:
        self._enter(side)
        if (body := node.child_by_field_name("body")) is not None:
            self._walk.visit_all(body.named_children)
        self._walk.enter(self._class_scope)

    def _enter(self, side: str) -> None:
        known = self._initializers.get(side)
        if known is None:
            self._initializers[side], _ = self._walk.open_scope(side)
        else:
            self._walk.enter(known)


def method(walk: Walk, node: Node, *, decorators: tuple[Expr, ...] = (), start_line: int = 0) -> FunctionRef:
    """Define a method of a class or an object literal in the current scope."""
    name = node.child_by_field_name("name")
    text = (property_name(walk, name) or walk.text(name)) if name is not None else ""
    scope = define_function(
        walk,
        node,
        text,
        (name or node).start_point[0] + 1,
        kind=NodeKind.METHOD,
        start_line=start_line,
        modifiers=method_modifiers(walk, node),
        decorators=decorators,
    )
    return FunctionRef(scope)


def method_modifiers(walk: Walk, node: Node) -> tuple[str, ...]:
    """Return the modifiers written before a member's name (`async` is added where the function is read)."""
    found: set[str] = set()
    for child in node.children:
        kind = child.type
        if kind == "accessibility_modifier":
            access = walk.text(child)
            if access != "public":
                found.add(access)
        elif kind == "private_property_identifier":
            found.add("private")
        elif kind in _MODIFIERS and kind != "async":
            found.add(_MODIFIERS[kind])
        if kind in {"property_identifier", "private_property_identifier", "computed_property_name", "string"}:
            break
    return tuple(found)


def interface(walk: Walk, node: Node) -> Expr:
    """`interface I extends J { ... }`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return UNKNOWN
    generics = walk.generics
    parameters = bind_type_parameters(walk, node)
    clauses = [child for child in node.named_children if child.type in {"extends_type_clause", "extends_clause"}]
    bases = tuple(base for clause in clauses for base in type_arguments_of(walk, clause))
    scope = walk.next_scope()
    definition = walk.define(
        NodeKind.INTERFACE,
        walk.text(name),
        node,
        name.start_point[0] + 1,
        body_start=body.start_byte if body is not None else -1,
        scope=scope,
        bases=bases,
    )
    exporting, walk.is_exporting = walk.is_exporting, False
    _, outer = walk.open_scope("class", definition, f"{walk.definitions[definition].qualname}.")
    record_type_parameters(walk, parameters, name.start_point[0] + 1)
    object_members(walk, body.named_children if body is not None else [], defines=True)
    walk.enter(outer)
    walk.is_exporting, walk.generics = exporting, generics
    return walk.name(walk.text(name))


def type_alias(walk: Walk, node: Node) -> Expr:
    """`type T = ...`; its definition says in `annotation` what it stands for."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return UNKNOWN
    generics = walk.generics
    parameters = bind_type_parameters(walk, node)
    text = walk.text(name)
    start, walk.statement_start = walk.statement_start, -1
    exporting, walk.is_exporting = walk.is_exporting, False
    walk.literal_prefix = f"{walk.scope.prefix}{text}." if value.type == "object_type" else None
    stands_for = annotation(walk, value)
    walk.literal_prefix, walk.is_exporting, walk.statement_start = None, exporting, start
    if parameters and stands_for is not None:
        stands_for = Subscript(GENERIC, Collected("tuple", (stands_for, *parameters)))
    walk.define(NodeKind.TYPE, text, node, name.start_point[0] + 1, annotation=stands_for)
    walk.generics = generics
    return UNKNOWN


def enum(walk: Walk, node: Node) -> Expr:
    """`enum E { A, B = f() }`: its members are variables."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return UNKNOWN
    scope = walk.next_scope()
    definition = walk.define(
        NodeKind.ENUM,
        walk.text(name),
        node,
        name.start_point[0] + 1,
        body_start=body.start_byte if body is not None else -1,
        scope=scope,
    )
    exporting, walk.is_exporting = walk.is_exporting, False
    _, outer = walk.open_scope("class", definition, f"{walk.definitions[definition].qualname}.")
    for member in body.named_children if body is not None else []:
        key = member.child_by_field_name("name") if member.type == "enum_assignment" else member
        if key is None or member.type == "comment":
            continue
        walk.define(NodeKind.VARIABLE, property_name(walk, key), member, key.start_point[0] + 1)
        if (value := member.child_by_field_name("value")) is not None:
            walk.visit(value)
    walk.enter(outer)
    walk.is_exporting = exporting
    return UNKNOWN


def namespace(walk: Walk, node: Node) -> Expr:
    """`namespace A.B { ... }` and `declare module "x" { ... }`: a module of its own inside the file."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return UNKNOWN
    text = walk.text(name).strip("\"'")
    scope = walk.next_scope()
    definition = walk.define(
        NodeKind.MODULE,
        text,
        node,
        name.start_point[0] + 1,
        body_start=body.start_byte if body is not None else -1,
        scope=scope,
    )
    exporting, walk.is_exporting = walk.is_exporting, False
    _, outer = walk.open_scope("module", definition, f"{walk.definitions[definition].qualname}.")
    walk.visit_all(body.named_children if body is not None else [])
    walk.enter(outer)
    walk.is_exporting = exporting
    return UNKNOWN


CLASSES: dict[str, Handler] = {
    **dict.fromkeys(("class_declaration", "abstract_class_declaration", "class"), class_value),
    "decorator": decorator,
    "interface_declaration": interface,
    "type_alias_declaration": type_alias,
    "enum_declaration": enum,
    **dict.fromkeys(("module", "internal_module"), namespace),
}
