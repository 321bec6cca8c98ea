"""Items of Rust that hold no members: functions, modules, constants, aliases, macros; and lists of items."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from graph.extract.facts import Expr
from graph.extract.python_scopes import UNKNOWN
from graph.extract.rust_attributes import Attributes, read_attributes
from graph.extract.rust_uses import RustUses
from graph.model import NodeKind

__all__ = ["RustItems"]

_MEMBERS = frozenset({"class", "extension"})
"""The kinds of scopes whose functions are methods."""


class RustItems(RustUses):
    """Walks items, each with the attributes that stand before it."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._attributes: list[Node] = []
        self.in_tests = False
        """Around is a module that is compiled for tests only."""
        self.in_trait = False
        """Around is a trait or the implementation of one, whose members are as public as it is."""

    # -- lists of items -----------------------------------------------------------------------------------------------

    def file(self, root: Node) -> None:
        """Walk a whole file."""
        items = root.named_children
        self.await_types(items)
        for item in items:
            self.top(item)
            self._pass(item)

    def items(self, nodes: Sequence[Node]) -> Expr:
        value: Expr = UNKNOWN
        self.await_types(nodes)
        kept, self._attributes = self._attributes, []
        for node in nodes:
            value = self.expr(node)
            self._pass(node)
        self._attributes = kept
        return value

    def await_types(self, nodes: Sequence[Node]) -> None:
        """Note the types of a list before its items are walked; the walker of types says how."""
        raise NotImplementedError

    def _pass(self, node: Node) -> None:
        """Forget the attributes of an item that was walked."""
        if self._attributes and self.kind(node) != "attribute_item" and self.kind(node) not in self.comments:
            self._attributes = []

    def on_attribute_item(self, node: Node) -> Expr:
        self._attributes.append(node)
        return UNKNOWN

    def on_inner_attribute_item(self, _node: Node) -> Expr:
        return UNKNOWN

    def on_use_declaration(self, node: Node) -> Expr:
        self.is_conditional = "conditional" in self.taken_attributes().modifiers
        super().on_use_declaration(node)
        self.is_conditional = False
        return UNKNOWN

    def taken_attributes(self) -> Attributes:
        """Return the attributes that stand before the item being walked; what is inside of it has its own."""
        found, self._attributes = self._attributes, []
        return read_attributes(self.data, found)

    def item(  # noqa: PLR0913 - a definition has this many parts; each caller names them
        self,
        kind: NodeKind,
        name_node: Node,
        node: Node,
        attributes: Attributes,
        *,
        modifiers: Sequence[str] = (),
        body_node: Node | None = None,
        scope: int = -1,
        annotation: Expr | None = None,
        bases: tuple[Expr, ...] = (),
        exported: bool = False,
        signature: str | None = None,
    ) -> int:
        """Define an item with what its attributes say of it."""
        return self.define(
            kind,
            name_node,
            node,
            first=attributes.first,
            body_node=body_node,
            doc=attributes.doc(self.data, node),
            scope=scope,
            annotation=annotation,
            bases=bases,
            decorators=attributes.decorators,
            modifiers=tuple({*modifiers, *attributes.modifiers} - {"exported"}),
            exported=exported or self.is_public(node) or self.in_trait or "exported" in attributes.modifiers,
            is_test=attributes.is_test or self.in_tests,
            signature=signature,
        )

    # -- functions ------------------------------------------------------------------------------------------------

    def on_function_item(self, node: Node) -> Expr:
        attributes = self.taken_attributes()
        name_node, block = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None:
            return self.walk(node)
        outer, name = self.body, self.text(name_node)
        kind = NodeKind.METHOD if outer.kind in _MEMBERS else NodeKind.FUNCTION
        modifiers = self._modifiers(node, name_node, block, kind)
        number = len(self.bodies)
        index = self.item(kind, name_node, node, attributes, modifiers=modifiers, body_node=block, scope=number)
        body = self.enter("function", f"{outer.qualname}{name}.", index)
        body.is_async = "async" in modifiers
        self.type_parameters(node.child_by_field_name("type_parameters"), body)
        self.where(node, body)
        body.parameters = self.parameters(node.child_by_field_name("parameters"))
        returns = node.child_by_field_name("return_type")
        body.return_annotation = self.type(returns) if returns is not None else None
        if block is not None:
            self._walk_body(block)
        self.body = outer
        return UNKNOWN

    on_function_signature_item = on_function_item

    def _walk_body(self, block: Node) -> None:
        in_trait, self.in_trait = self.in_trait, False
        value = self.mention(self.expr(block), block)
        if value is not UNKNOWN:
            self.body.returns.append(value)
        self.in_trait = in_trait

    def _modifiers(self, node: Node, name_node: Node, block: Node | None, kind: NodeKind) -> list[str]:
        head = self.data[node.start_byte : name_node.start_byte].split()
        found = [word.decode() for word in (b"async", b"unsafe", b"const") if word in head]
        if kind is NodeKind.METHOD and not self._has_receiver(node.child_by_field_name("parameters")):
            found.append("static")
        if block is None:
            found.append("abstract" if kind is NodeKind.METHOD else "external")
        return found

    def _has_receiver(self, parameters: Node | None) -> bool:
        parts = self.parts(parameters) if parameters is not None else []
        if not parts:
            return False
        pattern = parts[0].child_by_field_name("pattern")
        return self.kind(parts[0]) == "self_parameter" or (pattern is not None and self.kind(pattern) == "self")

    # -- modules --------------------------------------------------------------------------------------------------

    def on_mod_item(self, node: Node) -> Expr:
        attributes = self.taken_attributes()
        name_node, members = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None:
            return self.walk(node)
        outer, name, in_tests = self.body, self.text(name_node), self.in_tests
        if members is None:
            self.is_conditional = "conditional" in attributes.modifiers
            self.declare_module(name, attributes.path, node)
            self.is_conditional = False
            return UNKNOWN
        number = len(self.bodies)
        index = self.item(NodeKind.MODULE, name_node, node, attributes, body_node=members, scope=number)
        self.enter("module", f"{outer.qualname}{name}.", index)
        self.in_tests = in_tests or attributes.is_test
        self.items(members.named_children)
        self.body, self.in_tests = outer, in_tests
        return UNKNOWN

    def on_foreign_mod_item(self, node: Node) -> Expr:
        members = node.child_by_field_name("body")
        return self.items(members.named_children) if members is not None else UNKNOWN

    # -- values, aliases, macros ------------------------------------------------------------------------------------

    def on_const_item(self, node: Node) -> Expr:
        attributes = self.taken_attributes()
        name_node, value_node = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name_node is None:
            return self.walk(node)
        of, line = self.type(node.child_by_field_name("type")), node.end_point[0] + 1
        self.assign(self.name(name_node), of, line, "annotation")
        if value_node is not None:
            self.assign(self.name(name_node), self.mention(self.expr(value_node), value_node), line)
        if self.body.kind not in ("function", "lambda") and self.text(name_node) != "_":
            words = ("constant",) if self.kind(node) == "const_item" else ("static",)
            signature = self.first_line(node)
            self.item(
                NodeKind.VARIABLE, name_node, node, attributes, modifiers=words, annotation=of, signature=signature
            )
        return UNKNOWN

    on_static_item = on_const_item

    def on_type_item(self, node: Node) -> Expr:
        attributes = self.taken_attributes()
        name_node, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name_node is None:
            return self.walk(node)
        of = self.type(type_node) if type_node is not None else self.bounds(node.child_by_field_name("bounds"))
        self.assign(self.name(name_node), of, node.end_point[0] + 1, "type")
        words = () if type_node is not None else ("abstract",)
        signature = self.first_line(node)
        self.item(NodeKind.TYPE, name_node, node, attributes, modifiers=words, annotation=of, signature=signature)
        return UNKNOWN

    on_associated_type = on_type_item

    def on_macro_definition(self, node: Node) -> Expr:
        attributes = self.taken_attributes()
        name_node = node.child_by_field_name("name")
        if name_node is not None:
            signature = f"macro_rules! {self.text(name_node)}"[:300]
            self.item(NodeKind.MACRO, name_node, node, attributes, signature=signature)
        return UNKNOWN
