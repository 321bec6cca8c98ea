"""Types and declarators of C and C++, read as expressions.

Pointers and references stand as what they point to; an array is an application of `[]`, a pointer to a function one of
`func` to its parameters and result: names that no source can bind. `struct node` stands as `node`.
"""

from __future__ import annotations

from msgspec import Struct
from tree_sitter import Node

from graph.extract.facts import Attribute, Collection, Expr, Name, Parameter, Subscript
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.tree_walk import MAX_DEPTH, TreeWalker

__all__ = ["SPECIFIERS", "CTypes", "Declared"]

SPECIFIERS = frozenset({"struct_specifier", "union_specifier", "class_specifier", "enum_specifier"})

_NAMES = frozenset(
    {
        "identifier", "field_identifier", "type_identifier", "namespace_identifier", "qualified_identifier",
        "destructor_name", "operator_name", "operator_cast", "template_function", "template_method", "template_type",
        "structured_binding_declarator", "primitive_type", "dependent_name",
    }
)  # fmt: skip
_SKIPPED = frozenset({"attribute_specifier", "attribute_declaration", "ms_call_modifier", "ms_based_modifier"})
_ARRAY, _FUNC = Name("[]"), Name("func")


class Declared(Struct, frozen=True):
    """What a declarator says: the name, the parameters if it is a function, and what wraps the type."""

    name: Node | None
    function: Node | None = None
    """The function declarator around the name."""
    pointed: Node | None = None
    """The function declarator behind a pointer: the thing is a pointer to a function."""
    is_array: bool = False


class CTypes(TreeWalker):
    """Walks types, declarators and parameters."""

    def assign(self, target: Expr, value: Expr, line: int, how: str = "value") -> None:
        """Record an assignment; one of a name declares it in the current body."""
        if isinstance(target, Name):
            self.body.variables.add(target.id)
        super().assign(target, value, line, how)

    def write(self, target: Expr, value: Expr, line: int) -> None:
        """Record an assignment that declares nothing."""
        super().assign(target, value, line)

    def place(self, target: Expr, line: int) -> Expr:
        """Return what an assignment writes to: a name that no function around declares is a field or a global."""
        if not isinstance(target, Name) or self.body.kind not in ("function", "lambda"):
            return target
        body: Body | None = self.body
        while body is not None and body.kind in ("function", "lambda"):
            if target.id in body.variables or any(item.name == target.id for item in body.parameters):
                return target
            body = body.parent
        if body is not None and body.kind in ("class", "extension"):
            return Attribute(Name("this"), target.id, line)
        self.body.globals.append(target.id)
        return target

    # -- declarators ----------------------------------------------------------------------------------------------

    def declared(self, node: Node | None) -> Declared:
        """Take a declarator apart, from the outside to the name."""
        wrappers: list[Node] = []
        while node is not None and self.kind(node) not in _NAMES:
            wrappers.append(node)
            inner = node.child_by_field_name("declarator")
            node = inner if inner is not None else self._inner(node)
        function: Node | None = None
        pointed: Node | None = None
        is_plain, is_array = True, False
        for wrapper in reversed(wrappers):
            kind = self.kind(wrapper)
            if kind in ("function_declarator", "abstract_function_declarator"):
                function, pointed = (wrapper, pointed) if is_plain else (function, pointed or wrapper)
                is_plain = False
            elif kind in ("array_declarator", "abstract_array_declarator"):
                is_plain, is_array = False, True
            elif kind not in ("parenthesized_declarator", "attributed_declarator", "init_declarator"):
                is_plain = False
        if node is not None and self.kind(node) == "qualified_identifier":
            cast = self.leaf(node)
            function = function or (
                cast.child_by_field_name("declarator") if self.kind(cast) == "operator_cast" else None
            )
        elif node is not None and self.kind(node) == "operator_cast":
            function = function or node.child_by_field_name("declarator")
        return Declared(node, function, None if function is not None else pointed, is_array)

    def _inner(self, node: Node) -> Node | None:
        for part in node.named_children:
            if self.kind(part) not in _SKIPPED and self.kind(part) not in self.comments:
                return part if "declarator" in self.kind(part) or self.kind(part) in _NAMES else None
        return None

    def leaf(self, node: Node) -> Node:
        """Return the last name of a qualified one."""
        while self.kind(node) == "qualified_identifier":
            name = node.child_by_field_name("name")
            if name is None:
                break
            node = name
        return node

    def leaf_text(self, node: Node) -> str:
        """Return a name as it is spoken: without template arguments, `operator==`, `~Name`."""
        node = self.leaf(node)
        kind = self.kind(node)
        if kind in ("template_function", "template_method", "template_type"):
            inner = node.child_by_field_name("name")
            return self.text(inner) if inner is not None else ""
        if kind == "operator_cast":
            of = node.child_by_field_name("type")
            return f"operator {self.text(of)}" if of is not None else "operator"
        text = self.text(node)
        if kind == "operator_name":
            words = " ".join(text.split())
            return words if words[8:9].isspace() and words[9:10].isalpha() else "".join(words.split())
        return "".join(text.split()) if kind == "destructor_name" else text

    def wrapped(self, of: Expr, found: Declared) -> Expr:
        """Return the type of a declared name from the type that it is declared with."""
        if found.pointed is not None:
            of = self.function_type(found.pointed, of)
        return Subscript(_ARRAY, of) if found.is_array else of

    def function_type(self, declarator: Node, result: Expr) -> Expr:
        """Return the type of a function."""
        parameters = self.parameters(declarator.child_by_field_name("parameters"))
        types = Collection("tuple", tuple(item.annotation or UNKNOWN for item in parameters))
        return Subscript(_FUNC, Collection("tuple", (types, result)))

    # -- types ----------------------------------------------------------------------------------------------------

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
        if kind in ("type_identifier", "identifier", "namespace_identifier"):
            return self.mention(self.name(node), node)
        if kind in ("primitive_type", "sized_type_specifier"):
            return Name(" ".join(self.text(node).split())[:60])
        if kind in SPECIFIERS:
            return self.specifier(node)
        match kind:
            case "qualified_identifier":
                return self.mention(self.qualified(node), node)
            case "template_type" | "template_function" | "template_method":
                return self.template(node)
            case "type_descriptor" | "macro_type_specifier":
                found = self.declared(node.child_by_field_name("declarator"))
                return self.wrapped(self.type(node.child_by_field_name("type")), found)
            case "dependent_type" | "parameter_pack_expansion":
                parts = self.parts(node)
                return self.type(parts[-1]) if parts else UNKNOWN
            case "placeholder_type_specifier" | "auto":
                return UNKNOWN
            case _:
                return self.walk(node)

    def specifier(self, node: Node) -> Expr:
        """Return the type that a struct, union, enum or class specifier names or defines."""
        raise NotImplementedError

    def template(self, node: Node) -> Expr:
        """Return a template with its arguments."""
        name = node.child_by_field_name("name")
        base: Expr = UNKNOWN
        if name is not None:
            base = self.mention(Name(self.leaf_text(name)), name)
        return self.applied(base, node.child_by_field_name("arguments"))

    def applied(self, base: Expr, arguments: Node | None) -> Expr:
        """Return the application of a template."""
        given = [self._argument(part) for part in self.parts(arguments)] if arguments is not None else []
        if not given:
            return base
        return Subscript(base, given[0] if len(given) == 1 else Collection("tuple", tuple(given)))

    def _argument(self, node: Node) -> Expr:
        return self.type(node) if self.kind(node) == "type_descriptor" else self.expr(node)

    def qualified(self, node: Node) -> Expr:
        """Return `a::b::c` as attributes; `::a` is `a`."""
        names: list[Node] = []
        while self.kind(node) == "qualified_identifier":
            scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
            if scope is not None:
                names.append(scope)
            if name is None:
                break
            node = name
        names.append(node)
        value: Expr | None = None
        for part in names:
            kind, text = self.kind(part), self.leaf_text(part)
            value = Name(text) if value is None else Attribute(value, text, part.start_point[0] + 1)
            if kind in ("template_type", "template_function", "template_method"):
                value = self.applied(value, part.child_by_field_name("arguments"))
        return value or UNKNOWN

    # -- parameters -----------------------------------------------------------------------------------------------

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Return parameters in order; `(void)` has none, `...` is one of kind `rest`."""
        found: list[Parameter] = []
        if self.depth > MAX_DEPTH:
            return ()
        self.depth += 2  # functions that take functions take more frames a level than other nodes
        for part in self.parts(node) if node is not None else ():
            match self.kind(part):
                case "parameter_declaration" | "optional_parameter_declaration" | "variadic_parameter_declaration":
                    found.append(self._parameter(part))
                case "variadic_parameter":
                    found.append(Parameter("", None, None, "rest"))
                case "identifier":
                    found.append(Parameter(self.text(part)))
                case _:
                    pass
        self.depth -= 2
        is_void = len(found) == 1 and found[0].name == "" and found[0].annotation == Name("void")
        return () if is_void else tuple(found)

    def _parameter(self, node: Node) -> Parameter:
        of = self.type(node.child_by_field_name("type"))
        inner = self.declared(node.child_by_field_name("declarator"))
        if inner.function is not None:
            inner = Declared(inner.name, None, inner.function)  # a function as a parameter is a pointer to one
        name = self.leaf_text(inner.name) if inner.name is not None else ""
        default = node.child_by_field_name("default_value")
        value = self.mention(self.expr(default), default) if default is not None else None
        kind = "rest" if self.kind(node) == "variadic_parameter_declaration" else "positional"
        return Parameter(name, self.wrapped(of, inner), value, kind)
