"""Types, traits and implementations of Rust.

What an `impl` defines belongs to the scope of the type where the same module declares it, else to a scope of kind
`extension`, in which `Self` stands for the type and `impl` for the trait. The variants of an enum are instances of it,
those with fields in parentheses functions that return one.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from tree_sitter import Node

from graph.extract.facts import Attribute, Collection, Expr, Name, Subscript
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.rust_attributes import Attributes, read_attributes
from graph.extract.rust_items import RustItems
from graph.model import NodeKind

__all__ = ["RustWalker"]

_KINDS = {
    "struct_item": NodeKind.STRUCT,
    "union_item": NodeKind.STRUCT,
    "enum_item": NodeKind.ENUM,
    "trait_item": NodeKind.INTERFACE,
}


class RustWalker(RustItems):
    """Walks what has members."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._types: dict[tuple[int, str], Body] = {}
        """The scopes of types, by the scope that declares them and their name."""
        self._waiting: dict[tuple[int, str], tuple[Node, list[Node]]] = {}
        """Types that are not yet defined, with their attributes: an `impl` may stand above its type."""
        self._early: set[int] = set()
        """Where types begin that were defined before their place came."""

    def await_types(self, nodes: Sequence[Node]) -> None:
        attributes: list[Node] = []
        for node in nodes:
            kind = self.kind(node)
            if kind == "attribute_item":
                attributes.append(node)
            elif kind not in self.comments:
                name = node.child_by_field_name("name") if kind in _KINDS else None
                if name is not None:
                    self._waiting.setdefault((self.body.number, self.text(name)), (node, attributes))
                attributes = []

    # -- types ----------------------------------------------------------------------------------------------------

    def on_struct_item(self, node: Node) -> Expr:
        attributes = self.taken_attributes()
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return self.walk(node)
        waiting = self._waiting.get((self.body.number, self.text(name_node)))
        if waiting is not None and waiting[0].start_byte == node.start_byte:
            del self._waiting[self.body.number, self.text(name_node)]
        if node.start_byte not in self._early:
            self._type_item(node, name_node, attributes)
        return UNKNOWN

    on_enum_item = on_struct_item
    on_union_item = on_struct_item
    on_trait_item = on_struct_item

    def _type_item(self, node: Node, name_node: Node, attributes: Attributes) -> None:
        outer, name, members = self.body, self.text(name_node), node.child_by_field_name("body")
        kind = _KINDS[self.kind(node)]
        bases = tuple(self.bound_list(node.child_by_field_name("bounds"))) if kind is NodeKind.INTERFACE else ()
        number = len(self.bodies)
        index = self.item(kind, name_node, node, attributes, body_node=members, scope=number, bases=bases)
        body = self.enter("class", f"{outer.qualname}{name}.", index)
        self._types.setdefault((outer.number, name), body)
        self.type_parameters(node.child_by_field_name("type_parameters"), body)
        self.where(node, body)
        self.assign(Name("Self"), Name(name), name_node.start_point[0] + 1, "type")
        if members is not None and kind is NodeKind.INTERFACE:
            self._members(members, is_trait=True)
        elif members is not None and kind is NodeKind.ENUM:
            self._declare_variants(members, Name(name))
        elif members is not None:
            self._declare_fields(members, is_public=False)
        self.body = outer

    def _members(self, members: Node, *, is_trait: bool) -> None:
        in_trait, self.in_trait = self.in_trait, is_trait
        self.items(members.named_children)
        self.in_trait = in_trait

    def _declare_fields(self, members: Node, *, is_public: bool) -> None:
        """Declare the fields of a struct; those of a tuple are named by their places and are no definitions."""
        attributes: list[Node] = []
        place = 0
        is_tuple = self.kind(members) == "ordered_field_declaration_list"
        for part in self.parts(members):
            kind = self.kind(part)
            if kind == "attribute_item":
                attributes.append(part)
            elif kind == "field_declaration":
                self._declare_field(part, read_attributes(self.data, attributes), is_public=is_public)
                attributes = []
            elif is_tuple and kind != "visibility_modifier":
                self.assign(Name(str(place)), self.type(part), part.end_point[0] + 1, "annotation")
                place += 1
                attributes = []

    def _declare_field(self, node: Node, attributes: Attributes, *, is_public: bool) -> None:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return
        of = self.type(node.child_by_field_name("type"))
        self.assign(self.name(name_node), of, node.end_point[0] + 1, "annotation")
        signature = self.first_line(node)
        self.item(
            NodeKind.VARIABLE,
            name_node,
            node,
            attributes,
            modifiers=("field",),
            annotation=of,
            exported=is_public,
            signature=signature,
        )

    def _declare_variants(self, members: Node, enum: Name) -> None:
        attributes: list[Node] = []
        for part in self.parts(members):
            if self.kind(part) == "attribute_item":
                attributes.append(part)
            elif self.kind(part) == "enum_variant":
                self._declare_variant(part, enum, read_attributes(self.data, attributes))
                attributes = []

    def _declare_variant(self, node: Node, enum: Name, attributes: Attributes) -> None:
        name_node, body, value = (node.child_by_field_name(name) for name in ("name", "body", "value"))
        if name_node is None:
            return
        fields = [self._payload(part) for part in self.parts(body)] if body is not None else []
        of: Expr = enum
        if body is not None and self.kind(body) == "ordered_field_declaration_list":
            payload = Collection("tuple", tuple(field for field in fields if field is not None))
            of = Subscript(Name("fn"), Collection("tuple", (payload, enum)))
        self.assign(self.name(name_node), of, node.end_point[0] + 1, "annotation")
        signature = self.first_line(node)
        self.item(
            NodeKind.VARIABLE,
            name_node,
            node,
            attributes,
            modifiers=("variant",),
            annotation=of,
            exported=True,
            signature=signature,
        )
        if value is not None:
            self.expr(value)

    def _payload(self, part: Node) -> Expr | None:
        """Return the type of a field of a variant, None for what is no field."""
        if self.kind(part) == "field_declaration":
            return self.type(part.child_by_field_name("type"))
        return None if self.kind(part) in ("attribute_item", "visibility_modifier") else self.type(part)

    # -- implementations --------------------------------------------------------------------------------------------

    def on_impl_item(self, node: Node) -> Expr:
        self.taken_attributes()
        type_node, trait_node = node.child_by_field_name("type"), node.child_by_field_name("trait")
        members = node.child_by_field_name("body")
        if type_node is None:
            return self.walk(node)
        outer = self.body
        line = node.start_point[0] + 1
        body, is_known = self._implemented(type_node, line)
        self.body = body
        self.type_parameters(node.child_by_field_name("type_parameters"), body)
        self.where(node, body)
        trait = self.type(trait_node) if trait_node is not None else None
        if trait is not None and is_known:
            self._implements(body.definition, trait)
        elif trait is not None:
            self.assign(Name("impl"), trait, line, "type")
        if members is not None:
            self._members(members, is_trait=trait is not None)
        self.body = outer
        return UNKNOWN

    def _implemented(self, type_node: Node, line: int) -> tuple[Body, bool]:
        """Return the scope for the members of an `impl`, and whether it is that of a type of this module."""
        of = self.type(type_node)
        named = of.base if isinstance(of, Subscript) else of
        name = named.name if isinstance(named, Attribute) else named.id if isinstance(named, Name) else ""
        if not name.replace("_", "a").replace("r#", "").isalnum():
            name = ""
        if isinstance(named, Name):
            key = (self.body.number, name)
            waiting = self._waiting.get(key)
            if waiting is not None and self.depth < 60:
                self._define_early(key, *waiting)
            if key in self._types:
                return self._types[key], True
        body = self.open("extension", f"{self.body.qualname}{name or self._spelled(type_node)}.")
        outer, self.body = self.body, body
        self.assign(Name("Self"), of, line, "type")
        self.body = outer
        return body, False

    def _spelled(self, node: Node) -> str:
        """Return a type without a name of its own, such as `[T]` or `(A, B)`, as it is written."""
        return "".join(self.text(node).split())[:60]

    def _define_early(self, key: tuple[int, str], node: Node, attributes: list[Node]) -> None:
        name_node = node.child_by_field_name("name")
        if name_node is not None:
            del self._waiting[key]
            self._early.add(node.start_byte)
            self._type_item(node, name_node, read_attributes(self.data, attributes))

    def _implements(self, index: int, trait: Expr) -> None:
        found = self.definitions[index]
        if trait not in found.implements:
            self.definitions[index] = replace(found, implements=(*found.implements, trait))
