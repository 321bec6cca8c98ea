"""Types of Go and what belongs to them: fields, embedded types, methods of interfaces, and the scope for methods.

A package-level type is defined when it or the first of its methods is met, so that it stands before them in the facts.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from graph.extract.facts import Expr, Name, Parameter
from graph.extract.go_statements import GoStatements
from graph.extract.go_types import is_alone, is_exported, named_type
from graph.extract.python_scopes import UNKNOWN, Body
from graph.model import NodeKind

__all__ = ["GoTypeDefinitions"]


class GoTypeDefinitions(GoStatements):
    """Walks declarations of types."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._types: dict[str, Body] = {}
        """The scopes of package-level types, by name."""
        self._waiting: dict[str, tuple[Node, Node]] = {}
        """Package-level types that are not yet defined: a method may stand above its type."""

    def await_types(self, items: list[Node]) -> None:
        """Note the package-level types of a file before its items are walked."""
        for item in items:
            if self.kind(item) == "type_declaration":
                for spec in self.parts(item):
                    name = spec.child_by_field_name("name")
                    if name is not None:
                        self._waiting.setdefault(self.text(name), (spec, item))

    def type_scope(self, name: str) -> Body:
        """Return the scope that the methods of a type belong to."""
        waiting = self._waiting.get(name)
        if waiting is not None and self.depth < 20:
            self._type_spec(*waiting)
        found = self._types.get(name)
        if found is None:
            found = self._types[name] = self.open("extension", f"{name}.")
        return found

    def on_type_declaration(self, node: Node) -> Expr:
        for spec in self.parts(node):
            name_node = spec.child_by_field_name("name")
            if name_node is None:
                self.walk(spec)
                continue
            waiting = self._waiting.get(self.text(name_node))
            is_done = self.body.number == 0 and self.text(name_node) in self._types and waiting is None
            if not is_done or self._types[self.text(name_node)].kind == "extension":
                self._type_spec(spec, node)
        return UNKNOWN

    def _type_spec(self, spec: Node, declaration: Node) -> None:
        name_node, type_node = spec.child_by_field_name("name"), spec.child_by_field_name("type")
        if name_node is None:
            return
        outer, name = self.body, self.text(name_node)
        if outer.number == 0:
            self._waiting.pop(name, None)
        if self.kind(spec) == "type_alias":
            value = self.type(type_node)
            self.assign(self.name(name_node), value, spec.end_point[0] + 1, "type")
            self._define_type(NodeKind.TYPE, spec, declaration, name_node, annotation=value)
            return
        kind = {"struct_type": NodeKind.STRUCT, "interface_type": NodeKind.INTERFACE}.get(
            self.kind(type_node) if type_node is not None else "", NodeKind.TYPE
        )
        index = self._define_type(kind, spec, declaration, name_node, scope=len(self.bodies))
        body = self.enter("class", f"{outer.qualname}{name}.", index)
        if outer.number == 0:
            self._types.setdefault(name, body)
        self.type_parameters(spec.child_by_field_name("type_parameters"), body)
        if type_node is not None and kind is NodeKind.STRUCT:
            self._embed(index, [base for part in self.parts(type_node) for base in self._fields(part)])
        elif type_node is not None and kind is NodeKind.INTERFACE:
            self._embed(index, [base for part in self.parts(type_node) for base in self._interface_element(part)])
        else:
            self._underlying(index, self.type(type_node))
        self.body = outer

    def _define_type(
        self,
        kind: NodeKind,
        spec: Node,
        declaration: Node,
        name_node: Node,
        *,
        annotation: Expr | None = None,
        scope: int = -1,
    ) -> int:
        type_node = spec.child_by_field_name("type")
        has_members = kind in (NodeKind.STRUCT, NodeKind.INTERFACE) and type_node is not None
        head = self.signature(spec, type_node if has_members else None)
        words = {NodeKind.STRUCT: " struct", NodeKind.INTERFACE: " interface"}
        return self.define(
            kind,
            name_node,
            spec,
            first=declaration if is_alone(declaration, spec) else spec,
            scope=scope,
            annotation=annotation,
            exported=is_exported(self.text(name_node)),
            signature=f"type {head}{words.get(kind, '') if has_members else ''}",
        )

    def _embed(self, index: int, bases: list[Expr]) -> None:
        if bases:
            self.definitions[index] = replace(self.definitions[index], bases=tuple(bases))

    def _underlying(self, index: int, of: Expr) -> None:
        self.definitions[index] = replace(self.definitions[index], annotation=of)

    def _fields(self, listed: Node) -> list[Expr]:
        """Define the fields of a struct; return the types that it embeds."""
        embedded: list[Expr] = []
        for field in self.parts(listed):
            if self.kind(field) != "field_declaration":
                continue
            of = self.type(field.child_by_field_name("type"))
            names = self.named(field)
            for name_node in names:
                self._field(field, name_node, of)
            type_node = named_type(field.child_by_field_name("type"))
            if not names and type_node is not None:
                embedded.append(of)
                self._field(field, type_node, of)
        return embedded

    def _field(self, field: Node, name_node: Node, of: Expr) -> None:
        name = self.text(name_node)
        if name == "_":
            return
        self.assign(Name(name), of, field.end_point[0] + 1, "annotation")
        self.define(
            NodeKind.VARIABLE,
            name_node,
            field,
            annotation=of,
            modifiers=("field",),
            exported=is_exported(name),
            signature=self.first_line(field),
        )

    def _interface_element(self, element: Node) -> list[Expr]:
        """Define a method of an interface; return the interface that it embeds, if it does."""
        if self.kind(element) == "method_elem":
            self._interface_method(element)
            return []
        types = self.parts(element)
        value = self.type(element)
        if len(types) > 1 or (types and self.kind(types[0]) == "negated_type"):
            self.notes.add("the type set of a constraint is not followed")
            return []
        return [] if value is UNKNOWN else [value]

    def _interface_method(self, element: Node) -> None:
        name_node = element.child_by_field_name("name")
        if name_node is None:
            return
        outer = self.body
        name, number = self.text(name_node), len(self.bodies)
        index = self.define(
            NodeKind.METHOD,
            name_node,
            element,
            scope=number,
            modifiers=("abstract",),
            exported=is_exported(name),
        )
        body = self.enter("function", f"{outer.qualname}{name}.", index)
        of = Name(self.definitions[outer.definition].name) if outer.definition >= 0 else UNKNOWN
        own = self.parameters(element.child_by_field_name("parameters"))
        body.parameters = (Parameter("", of), *own)
        body.return_annotation = self.result(element.child_by_field_name("result"), body)
        self.body = outer
