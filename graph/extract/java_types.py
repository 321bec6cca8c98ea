"""Types and the heads of methods in Java, read as expressions.

A generic type is an application of its erasure, an array an application of `[]`, a varargs parameter one of kind
`rest`. Primitive types are names that nothing binds; `var` is no annotation.
"""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, Collection, Expr, Name, Parameter, Subscript, Union
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.tree_walk import MAX_DEPTH, TreeWalker

__all__ = ["JavaTypes", "modifier_words"]

_PRIMITIVE = frozenset({"integral_type", "floating_point_type", "boolean_type", "void_type"})
_ARRAY, _THIS = Name("[]"), Name("this")


class JavaTypes(TreeWalker):
    """Walks types, parameters and type parameters."""

    comments = frozenset({"line_comment", "block_comment"})

    def assign(self, target: Expr, value: Expr, line: int, how: str = "value") -> None:
        """Record an assignment; one of a name declares it in the current body."""
        if isinstance(target, Name):
            self.body.variables.add(target.id)
        super().assign(target, value, line, how)

    def place(self, target: Expr, line: int) -> Expr:
        """Return what an assignment writes to: a name that no body around declares is a field."""
        if not isinstance(target, Name):
            return target
        body: Body | None = self.body
        while body is not None and body.kind != "class":
            if target.id in body.variables or any(item.name == target.id for item in body.parameters):
                return target
            body = body.parent
        return target if body is None else Attribute(_THIS, target.id, line)

    def type(self, node: Node | None) -> Expr:
        """Return a type as an expression; the names in it are mentioned."""
        if node is None or self.depth > MAX_DEPTH:
            return UNKNOWN
        self.depth += 1
        value = self._type(node)
        self.depth -= 1
        return value

    def _type(self, node: Node) -> Expr:
        kind = self.kind(node)
        if kind in ("type_identifier", "identifier"):
            name = self.name(node)
            return UNKNOWN if name.id == "var" else self.mention(name, node)
        if kind in _PRIMITIVE:
            return self.name(node)
        parts = [part for part in self.parts(node) if not self._annotates(part)]
        match kind:
            case "scoped_type_identifier" | "scoped_identifier" if len(parts) == 2:
                return self.mention(self.dotted(node), node)
            case "generic_type" if len(parts) == 2:
                base = self.type(parts[0])
                return self._applied(base, [self.type(part) for part in self.parts(parts[1])])
            case "array_type":
                return Subscript(_ARRAY, self.type(node.child_by_field_name("element")))
            case "annotated_type" | "wildcard" if parts:
                return self.type(parts[-1])
            case "catch_type":
                found = tuple(self.type(part) for part in parts)
                return found[0] if len(found) == 1 else Union(found)
            case _:
                return self.walk(node)

    def _annotates(self, node: Node) -> bool:
        """Tell whether a part of a type is an annotation on it, which is walked for what it mentions."""
        if self.kind(node) not in ("annotation", "marker_annotation"):
            return False
        self.expr(node)
        return True

    def dotted(self, node: Node) -> Expr:
        """Return `a.b.C` as attributes of a name, without recursion."""
        names: list[Node] = []
        while self.kind(node) in ("scoped_type_identifier", "scoped_identifier", "generic_type"):
            parts = [part for part in self.parts(node) if not self._annotates(part)]
            if not parts:
                return UNKNOWN
            if self.kind(node) != "generic_type":
                names.append(parts[-1])
            node = parts[0]
        value: Expr = self.name(node)
        for name in reversed(names):
            value = Attribute(value, self.text(name), name.start_point[0] + 1)
        return value

    @staticmethod
    def _applied(base: Expr, arguments: list[Expr]) -> Expr:
        if not arguments:
            return base
        return Subscript(base, arguments[0] if len(arguments) == 1 else Collection("tuple", tuple(arguments)))

    def type_list(self, node: Node | None) -> tuple[Expr, ...]:
        """Return the types behind `extends`, `implements`, `permits` or `throws`."""
        found: list[Expr] = []
        for part in self.parts(node) if node is not None else ():
            listed = self.parts(part) if self.kind(part) == "type_list" else [part]
            found.extend(self.type(item) for item in listed)
        return tuple(found)

    # -- heads ----------------------------------------------------------------------------------------------------

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Return parameters in order; the receiver parameter is none."""
        found: list[Parameter] = []
        for part in self.parts(node) if node is not None else ():
            match self.kind(part):
                case "formal_parameter":
                    self.annotations(part)
                    name = part.child_by_field_name("name")
                    of = self.declared(part.child_by_field_name("type"), part)
                    found.append(Parameter(self.text(name) if name is not None else "", of))
                case "spread_parameter":
                    found.append(self._spread(part))
                case "identifier":
                    found.append(Parameter(self.text(part)))
                case _:
                    pass
        return tuple(found)

    def _spread(self, node: Node) -> Parameter:
        self.annotations(node)
        inner = [part for part in self.parts(node) if self.kind(part) != "modifiers"]
        names = [part for part in inner if self.kind(part) == "variable_declarator"]
        name = names[0].child_by_field_name("name") if names else None
        types = [part for part in inner if self.kind(part) not in ("variable_declarator", "annotation")]
        of = self.type(types[0]) if types else None
        return Parameter(self.text(name) if name is not None else "", of, None, "rest")

    def declared(self, type_node: Node | None, declarator: Node) -> Expr | None:
        """Return the declared type of a name, None for `var`; `int x[]` is an array too."""
        if type_node is None or self.data[type_node.start_byte : type_node.end_byte] == b"var":
            return None
        of = self.type(type_node)
        return Subscript(_ARRAY, of) if declarator.child_by_field_name("dimensions") is not None else of

    def type_parameters(self, node: Node | None, body: Body) -> None:
        """Declare type parameters in a body: each stands for its first bound."""
        outer, self.body = self.body, body
        for parameter in self.parts(node) if node is not None else ():
            names = [part for part in self.parts(parameter) if self.kind(part) in ("type_identifier", "identifier")]
            bounds = [part for part in self.parts(parameter) if self.kind(part) == "type_bound"]
            found = self.type_list(bounds[0]) if bounds else ()
            for name in names[:1]:
                self.assign(self.name(name), found[0] if found else UNKNOWN, name.start_point[0] + 1, "type")
        self.body = outer

    def annotations(self, node: Node) -> tuple[Expr, ...]:
        """Return the annotations in the modifiers of a declaration; what they mention is recorded."""
        modifiers = self.modifiers_node(node)
        if modifiers is None:
            return ()
        listed = (part for part in self.parts(modifiers) if self.kind(part) in ("annotation", "marker_annotation"))
        return tuple(self.expr(part) for part in listed)

    def modifiers_node(self, node: Node) -> Node | None:
        """Return the modifiers of a declaration, None where it has none."""
        for child in node.named_children:
            kind = self.kind(child)
            if kind == "modifiers":
                return child
            if kind not in self.comments:
                return None
        return None


def modifier_words(modifiers: Node | None) -> frozenset[str]:
    """Return the keywords among modifiers: `public`, `static`, `default` ..."""
    if modifiers is None:
        return frozenset()
    return frozenset(child.type for child in modifiers.children if not child.is_named)
