"""Types and the heads of functions in Go, read as expressions.

`*T` and `(T)` stand as `T`. Slices, arrays, maps, channels and functions are applications of `[]`, `map`, `chan` and
`func`, which are names that no Go source can bind; `G[T]` is an application of `G`.
"""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, ClassRef, Collection, Expr, Name, Parameter, Subscript
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.tree_walk import MAX_DEPTH, TreeWalker

__all__ = ["GoTypes", "is_alone", "is_exported", "named_type"]

_BASIC = frozenset(
    {
        "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8",
        "int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
    }
)  # fmt: skip

_SEQUENCE = Name("[]")


class GoTypes(TreeWalker):
    """Walks types, parameters and results."""

    def type(self, node: Node | None) -> Expr:
        """Return a type as an expression; the names in it are mentioned."""
        if node is None or self.depth > MAX_DEPTH:
            return UNKNOWN
        self.depth += 1
        value = self._type(node)
        self.depth -= 1
        return value

    def _type(self, node: Node) -> Expr:
        parts = self.parts(node)
        match self.kind(node):
            case "type_identifier" | "identifier":
                name = self.name(node)
                return name if name.id in _BASIC else self.mention(name, node)
            case "qualified_type" if len(parts) == 2:
                return self.mention(self.qualified(parts[0], parts[1]), node)
            case "pointer_type" | "parenthesized_type" | "negated_type" | "type_elem" | "type_constraint" if parts:
                values = [self.type(part) for part in parts]
                return values[0] if len(values) == 1 else UNKNOWN
            case "generic_type" if len(parts) == 2:
                base = self.type(parts[0])
                return self.applied(base, [self.type(part) for part in self.parts(parts[1])])
            case "slice_type" | "array_type" | "implicit_length_array_type":
                length = node.child_by_field_name("length")
                if length is not None:
                    self.expr(length)
                return Subscript(_SEQUENCE, self.type(node.child_by_field_name("element")))
            case "map_type":
                key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
                return Subscript(Name("map"), Collection("tuple", (self.type(key), self.type(value))))
            case "channel_type":
                return Subscript(Name("chan"), self.type(node.child_by_field_name("value")))
            case "function_type":
                return self._function_type(node)
            case "struct_type" | "interface_type":
                return self.anonymous(node)
            case _:
                return self.walk(node)

    def named(self, node: Node) -> list[Node]:
        """Return the names that a declaration declares; the grammar hands out commas among them."""
        return [name for name in node.children_by_field_name("name") if name.is_named]

    def qualified(self, package: Node, name: Node) -> Attribute:
        """Return `package.Name`."""
        return Attribute(self.name(package), self.text(name), name.start_point[0] + 1)

    def applied(self, base: Expr, arguments: list[Expr]) -> Expr:
        """Return a generic type or function with its type arguments."""
        return Subscript(base, arguments[0] if len(arguments) == 1 else Collection("tuple", tuple(arguments)))

    def _function_type(self, node: Node) -> Expr:
        parameters = self.parameters(node.child_by_field_name("parameters"))
        types = tuple(item.annotation or UNKNOWN for item in parameters)
        result = self.result(node.child_by_field_name("result"), None)
        return Subscript(Name("func"), Collection("tuple", (Collection("tuple", types), result or UNKNOWN)))

    def anonymous(self, node: Node) -> Expr:
        """Return a type without a name: the scope that declares the fields of a struct; interfaces are only noted."""
        if self.kind(node) == "interface_type":
            if any(self.kind(part) == "method_elem" for part in self.parts(node)):
                self.notes.add("methods of an interface without a name were not recorded")
            return Name("any")
        outer = self.body
        body = self.body = self.open("class", outer.qualname)
        for listed in self.parts(node):
            for field in self.parts(listed):
                self._anonymous_field(field)
        # What a type mentions is mentioned where it stands.
        outer.references.extend(body.references)
        body.references.clear()
        self.body = outer
        return ClassRef(body.number)

    def _anonymous_field(self, field: Node) -> None:
        type_node = field.child_by_field_name("type")
        of = self.type(type_node)
        embedded = named_type(type_node)
        names = self.named(field)
        for name in names or ([embedded] if embedded is not None else []):
            self.assign(self.name(name), of, field.end_point[0] + 1, "annotation")

    # -- heads ----------------------------------------------------------------------------------------------------

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Return parameters in order; `a, b int` are two, `int` alone is one without a name."""
        found: list[Parameter] = []
        for declaration in self.parts(node) if node is not None else ():
            kind = "rest" if self.kind(declaration) == "variadic_parameter_declaration" else "positional"
            of = self.type(declaration.child_by_field_name("type"))
            names = self.named(declaration)
            found.extend(Parameter(self.text(name), of, None, kind) for name in names)
            if not names:
                found.append(Parameter("", of, None, kind))
        return tuple(found)

    def result(self, node: Node | None, body: Body | None) -> Expr | None:
        """Return the type of a result, a tuple for several; named results are declared in the body."""
        if node is None:
            return None
        if self.kind(node) != "parameter_list":
            return self.type(node)
        results = self.parameters(node)
        if body is not None:
            line = node.start_point[0] + 1
            outer, self.body = self.body, body
            for item in results:
                if item.name not in ("", "_"):
                    self.assign(Name(item.name), item.annotation or UNKNOWN, line, "annotation")
            self.body = outer
        types = tuple(item.annotation or UNKNOWN for item in results)
        return types[0] if len(types) == 1 else Collection("tuple", types)

    def type_parameters(self, node: Node | None, body: Body) -> None:
        """Declare type parameters in a body: each stands for its constraint."""
        if node is None:
            return
        outer, self.body = self.body, body
        for declaration in self.parts(node):
            constraint = self.type(declaration.child_by_field_name("type"))
            for name in self.named(declaration):
                self.assign(self.name(name), constraint, name.start_point[0] + 1, "type")
        self.body = outer


def is_exported(name: str) -> bool:
    """Tell whether a name is seen outside of its package."""
    return name[:1].isupper()


def is_alone(declaration: Node, spec: Node) -> bool:
    """Tell whether a declaration has no parentheses, so that what stands above it is said of its one spec."""
    return declaration.start_point[0] == spec.start_point[0]


def named_type(node: Node | None) -> Node | None:
    """Return the node of the name of a type behind pointers, parentheses, packages and type arguments."""
    while node is not None:
        match node.type:
            case "type_identifier":
                return node
            case "generic_type":
                node = node.child_by_field_name("type")
            case "qualified_type":
                node = node.child_by_field_name("name")
            case "pointer_type" | "parenthesized_type":
                inner = node.named_children
                node = inner[0] if inner else None
            case _:
                return None
    return None
