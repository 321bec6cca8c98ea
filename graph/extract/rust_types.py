"""Types and paths of Rust, read as expressions.

`a::b::C` is the attribute chain `a.b.C`, whose first name may be `crate`, `self`, `super` or `Self`. References,
pointers, lifetimes, `dyn` and `impl` are taken off. Slices and arrays are applications of `[]`, functions of `fn`.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, Collection, Constant, Expr, Name, Subscript, Union
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.tree_walk import MAX_DEPTH, TreeWalker

__all__ = ["RustTypes"]

_NO_TYPES = frozenset({"lifetime", "mutable_specifier", "for_lifetimes", "use_bounds", "removed_trait_bound"})


class RustTypes(TreeWalker):
    """Walks types, paths, bounds and type parameters."""

    comments = frozenset({"line_comment", "block_comment"})

    # -- paths ----------------------------------------------------------------------------------------------------

    def on_identifier(self, node: Node) -> Expr:
        return self.name(node)

    on_type_identifier = on_identifier
    on_field_identifier = on_identifier
    on_shorthand_field_identifier = on_identifier
    on_self = on_identifier
    on_crate = on_identifier
    on_super = on_identifier
    on_metavariable = on_identifier
    on_primitive_type = on_identifier

    def on_scoped_identifier(self, node: Node) -> Expr:
        names: list[Node] = []
        path: Node | None = node
        while path is not None and self.kind(path) in ("scoped_identifier", "scoped_type_identifier"):
            name = path.child_by_field_name("name")
            if name is not None:
                names.append(name)
            path = path.child_by_field_name("path")
        value = self.type(path, mentioned=False) if path is not None else None
        if value == Name("self"):
            value = Name("self::")  # the module, not the receiver
        for name in reversed(names):
            # `::name` begins at the crates, where a name means what it means to `use`.
            value = Attribute(value, self.text(name), name.start_point[0] + 1) if value is not None else self.name(name)
        return value if value is not None else UNKNOWN

    on_scoped_type_identifier = on_scoped_identifier

    # -- types ----------------------------------------------------------------------------------------------------

    def type(self, node: Node | None, *, mentioned: bool = True) -> Expr:
        """Return a type as an expression; the names in it are mentioned."""
        if node is None or self.depth > MAX_DEPTH:
            return UNKNOWN
        self.depth += 1
        value = self._type(node, mentioned=mentioned)
        self.depth -= 1
        return value

    def _type(self, node: Node, *, mentioned: bool) -> Expr:
        match self.kind(node):
            case "primitive_type" | "self" | "crate" | "super" | "metavariable":
                return self.name(node)
            case "type_identifier" | "identifier":
                name = self.name(node)
                return self.mention(name, node) if mentioned and name.id != "Self" else name
            case "scoped_type_identifier" | "scoped_identifier":
                value = self.on_scoped_identifier(node)
                return self.mention(value, node) if mentioned else value
            case "generic_type" | "generic_type_with_turbofish":
                base = self.type(node.child_by_field_name("type"), mentioned=mentioned)
                arguments = self.type_arguments(node.child_by_field_name("type_arguments"))
                return self.applied(base, arguments) if mentioned else base
            case "trait_bounds" | "bounded_type":
                return self.bounds(node)
            case "qualified_type":
                self.type(node.child_by_field_name("alias"))
                return self.type(node.child_by_field_name("type"), mentioned=mentioned)
            case _:
                return self._compound(node, mentioned=mentioned)

    def _compound(self, node: Node, *, mentioned: bool) -> Expr:
        match self.kind(node):
            case "array_type" | "slice_type":
                return self._array(node)
            case "tuple_type":
                return Collection("tuple", tuple(self.type(part) for part in self.parts(node)))
            case "unit_type" | "never_type":
                return Constant("none")
            case "function_type":
                return self._function_type(node)
            case "macro_invocation":
                return self.expr(node)
            case _:
                # References, pointers, `dyn`, `impl`, brackets, `for<'a>`: what is inside of them.
                parts = [part for part in self.parts(node) if self.kind(part) not in _NO_TYPES]
                return self.type(parts[-1], mentioned=mentioned) if parts else UNKNOWN

    def applied(self, base: Expr, arguments: list[Expr]) -> Expr:
        """Return a generic type with its arguments; lifetimes alone make no application."""
        if not arguments:
            return base
        return Subscript(base, arguments[0] if len(arguments) == 1 else Collection("tuple", tuple(arguments)))

    def type_arguments(self, node: Node | None) -> list[Expr]:
        """Return type arguments; bindings such as `Item = T` are mentioned and left out."""
        found: list[Expr] = []
        for part in self.parts(node) if node is not None else ():
            match self.kind(part):
                case "lifetime":
                    pass
                case "type_binding":
                    self.type(part.child_by_field_name("type"))
                case "block" | "integer_literal" | "negative_literal" | "boolean_literal":
                    self.expr(part)
                case _:
                    found.append(self.type(part))
        return found

    def _array(self, node: Node) -> Expr:
        length = node.child_by_field_name("length")
        if length is not None:
            self.expr(length)
        return Subscript(Name("[]"), self.type(node.child_by_field_name("element")))

    def _function_type(self, node: Node) -> Expr:
        self.type(node.child_by_field_name("trait"), mentioned=False)
        parameters = node.child_by_field_name("parameters")
        types = tuple(self.type(part) for part in self.parts(parameters)) if parameters is not None else ()
        result = self.type(node.child_by_field_name("return_type"))
        return Subscript(Name("fn"), Collection("tuple", (Collection("tuple", types), result)))

    def bounds(self, node: Node | None) -> Expr:
        """Return the traits of a bound, a union for several."""
        kinds = self.bound_list(node)
        return kinds[0] if len(kinds) == 1 else Union(tuple(kinds)) if kinds else UNKNOWN

    def bound_list(self, node: Node | None) -> list[Expr]:
        """Return the traits of a bound."""
        parts = self.parts(node) if node is not None else []
        return [self.type(part) for part in parts if self.kind(part) not in _NO_TYPES]

    def type_parameters(self, node: Node | None, body: Body) -> None:
        """Declare type parameters in a body, each standing for its bounds."""
        if node is None:
            return
        outer, self.body = self.body, body
        for part in self.parts(node):
            name = part.child_by_field_name("name")
            if name is None or self.kind(part) == "lifetime_parameter":
                continue
            bounds = part.child_by_field_name("bounds")
            value = self.bounds(bounds) if bounds is not None else UNKNOWN
            if self.kind(part) == "const_parameter":
                self.assign(self.name(name), self.type(part.child_by_field_name("type")), 0, "annotation")
            else:
                self.assign(self.name(name), value, name.start_point[0] + 1, "type")
        self.body = outer

    def where(self, node: Node, body: Body) -> None:
        """Add the bounds of a `where` clause to the type parameters that it speaks of."""
        outer, self.body = self.body, body
        for clause in self.parts(node):
            for predicate in self.parts(clause) if self.kind(clause) == "where_clause" else ():
                left = predicate.child_by_field_name("left")
                bounds = self.bounds(predicate.child_by_field_name("bounds"))
                if left is None:
                    continue
                if self.kind(left) == "type_identifier":
                    self.assign(self.name(left), bounds, left.start_point[0] + 1, "type")
                else:
                    self.type(left)
        self.body = outer
