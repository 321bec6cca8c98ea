"""Types of Java and their members: classes, interfaces, enums, records, annotation types, wherever they stand.

A class without a name is an object that is made where it is written: a variable called `$` and what it extends, with
the scope of a class. A constructor is called like its class. What initializers run stands in
scopes of kind `static` and `initializer` of the class.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Assign, Attribute, Expr, Name, Parameter
from graph.extract.java_statements import JavaStatements
from graph.extract.java_types import modifier_words
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.tree_walk import MAX_SIGNATURE
from graph.model import NodeKind

__all__ = ["JavaDefinitions"]

_TESTS = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"})
_WORDS = frozenset(
    {
        "abstract", "default", "final", "native", "non-sealed", "private", "protected", "public", "sealed", "static",
        "strictfp", "synchronized", "transient", "volatile",
    }
)  # fmt: skip


class JavaDefinitions(JavaStatements):
    """Walks what defines names for others."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.initializers: dict[tuple[int, str], Body] = {}
        """What runs the initializers of a class, by its scope and kind."""

    # -- types ----------------------------------------------------------------------------------------------------

    def on_class_declaration(self, node: Node) -> Expr:
        self.type_definition(NodeKind.CLASS, node)
        return UNKNOWN

    def on_interface_declaration(self, node: Node) -> Expr:
        self.type_definition(NodeKind.INTERFACE, node)
        return UNKNOWN

    def on_annotation_type_declaration(self, node: Node) -> Expr:
        self.type_definition(NodeKind.INTERFACE, node, "annotation")
        return UNKNOWN

    def on_enum_declaration(self, node: Node) -> Expr:
        self.type_definition(NodeKind.ENUM, node)
        return UNKNOWN

    def on_record_declaration(self, node: Node) -> Expr:
        self.type_definition(NodeKind.CLASS, node, "record")
        return UNKNOWN

    def type_definition(self, kind: NodeKind, node: Node, *words: str) -> None:
        """Define a type, and walk its body."""
        outer, name_node, body_node = self.body, node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None:
            self.walk(node)
            return
        bases, implements = self._heads(node)
        modifiers = (*sorted(_WORDS & modifier_words(self.modifiers_node(node))), *words)
        index = self.define(
            kind,
            name_node,
            node,
            scope=len(self.bodies),
            bases=bases,
            implements=implements,
            decorators=self.annotations(node),
            modifiers=modifiers,
            exported=self.is_seen(modifiers),
            signature=self.head(node, body_node),
        )
        body = self.enter("class", f"{outer.qualname}{self.text(name_node)}.", index)
        self.type_parameters(node.child_by_field_name("type_parameters"), body)
        if "record" in words:
            self._components(node.child_by_field_name("parameters"))
        for part in self.parts(body_node) if body_node is not None else ():
            self.member(part)
        self.body = outer

    def _heads(self, node: Node) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """Return what a type extends and what it implements; what it permits is mentioned."""
        bases: list[Expr] = []
        implements: list[Expr] = []
        for part in self.parts(node):
            match self.kind(part):
                case "superclass" | "extends_interfaces":
                    bases.extend(self.type_list(part))
                case "super_interfaces":
                    implements.extend(self.type_list(part))
                case "permits":
                    self.type_list(part)
                case _:
                    pass
        return tuple(bases), tuple(implements)

    def is_seen(self, modifiers: tuple[str, ...]) -> bool:
        """Tell whether other packages see what has these modifiers in the current body."""
        if "public" in modifiers or "protected" in modifiers:
            return True
        definition = self.body.definition
        is_interface = definition >= 0 and self.definitions[definition].kind is NodeKind.INTERFACE
        return is_interface and "private" not in modifiers

    def anonymous_class(self, name_node: Node, body: Node, of: Expr) -> int:
        outer = self.body
        base = of.id if isinstance(of, Name) else of.name if isinstance(of, Attribute) else ""
        name = f"${base or self.text(name_node).split('<', 1)[0].rsplit('.', 1)[-1]}"
        index = self.define(
            NodeKind.VARIABLE,
            name_node,
            body,
            name=name,
            doc="",
            scope=len(self.bodies),
            bases=(of,),
            modifiers=("anonymous",),
            exported=False,
            signature=f"new {self.text(name_node)}()"[:MAX_SIGNATURE].replace("\n", " ").replace("\r", " "),
        )
        inner = self.enter("class", f"{outer.qualname}{name}.", index)
        for part in self.parts(body):
            self.member(part)
        self.body = outer
        return inner.number

    # -- members --------------------------------------------------------------------------------------------------

    def member(self, node: Node) -> None:
        """Walk one member of a type."""
        match self.kind(node):
            case "block":
                self.initialize("initializer", node)
            case "static_initializer":
                self.initialize("static", node)
            case "enum_body_declarations":
                for part in self.parts(node):
                    self.member(part)
            case _:
                self.expr(node)

    def initialize(self, kind: str, node: Node) -> Expr:
        """Walk what runs when the class or an instance of it is made."""
        outer = self.body
        key = (outer.number, kind)
        if key not in self.initializers:
            self.initializers[key] = self.open(kind, outer.qualname)
        self.body = self.initializers[key]
        value = self.mention(self.expr(node), node)
        self.body = outer
        return value

    def on_method_declaration(self, node: Node) -> Expr:
        self.method(node)
        return UNKNOWN

    on_annotation_type_element_declaration = on_method_declaration

    def on_constructor_declaration(self, node: Node) -> Expr:
        self.method(node, "constructor")
        return UNKNOWN

    on_compact_constructor_declaration = on_constructor_declaration

    def method(self, node: Node, *words: str) -> None:
        """Define a method or constructor, and walk its body."""
        outer, name_node, block = self.body, node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None:
            self.walk(node)
            return
        name, mark = self.text(name_node), len(outer.references)
        modifiers = (*(_WORDS & modifier_words(self.modifiers_node(node))), *words)
        if block is None and "native" not in modifiers:
            modifiers = (*modifiers, "abstract") if "abstract" not in modifiers else modifiers
        decorators = self.annotations(node)
        number = len(self.bodies)
        index = self.define(
            NodeKind.METHOD,
            name_node,
            node,
            scope=number,
            decorators=decorators,
            modifiers=modifiers,
            exported=self.is_seen(modifiers),
            is_test=any(_last_name(decorator) in _TESTS for decorator in decorators),
            signature=self.head(node, block),
        )
        body = self.enter("function", f"{outer.qualname}{name}.", index)
        body.references.extend(outer.references[mark:])  # what a head mentions is said of the method
        del outer.references[mark:]
        self.type_parameters(node.child_by_field_name("type_parameters"), body)
        body.parameters = self._method_parameters(node, outer)
        type_node = node.child_by_field_name("type")
        body.return_annotation = self.declared(type_node, node) if type_node is not None else None
        for part in self.parts(node):
            if self.kind(part) == "throws":
                self.type_list(part)
        default = node.child_by_field_name("value")  # of an element of an annotation
        for inner in (block, default):
            if inner is not None:
                self.expr(inner)
        self.body = outer

    def _method_parameters(self, node: Node, outer: Body) -> tuple[Parameter, ...]:
        if self.kind(node) == "compact_constructor_declaration":
            return outer.parameters  # a compact constructor has those of the record
        return self.parameters(node.child_by_field_name("parameters"))

    # -- fields ---------------------------------------------------------------------------------------------------

    def on_field_declaration(self, node: Node) -> Expr:
        decorators = self.annotations(node)
        type_node, body = node.child_by_field_name("type"), self.body
        words = _WORDS & modifier_words(self.modifiers_node(node))
        is_constant = self.kind(node) == "constant_declaration"
        modifiers = (*sorted(words | ({"final", "static"} if is_constant else set[str]())), "field")
        for declarator in node.children_by_field_name("declarator"):
            name = declarator.child_by_field_name("name")
            if name is None:
                continue
            of = self.declared(type_node, declarator)
            if of is not None:
                self.assign(self.name(name), of, declarator.end_point[0] + 1, "annotation")
            self._variable(name, node, of, modifiers, decorators)
            value_node = declarator.child_by_field_name("value")
            if value_node is not None:
                value = self.initialize("static" if "static" in modifiers else "initializer", value_node)
                body.assigns.append(self.value_of(self.name(name), value, declarator))
        return UNKNOWN

    on_constant_declaration = on_field_declaration

    def value_of(self, target: Name, value: Expr, node: Node) -> Assign:
        """Return the assignment of its first value to a field."""
        return Assign(target, value, "value", node.end_point[0] + 1)

    def _variable(
        self, name: Node, node: Node, of: Expr | None, modifiers: tuple[str, ...], decorators: tuple[Expr, ...] = ()
    ) -> None:
        self.define(
            NodeKind.VARIABLE,
            name,
            node,
            annotation=of,
            decorators=decorators,
            modifiers=modifiers,
            exported=self.is_seen(modifiers),
            signature=self._field_head(node, name),
        )

    def _field_head(self, node: Node, name: Node) -> str:
        """Return modifiers, type and name of a field; of several in one declaration only the one at hand."""
        first = next(iter(node.children_by_field_name("declarator")), None)
        text = self.head(node, first if first is not None else name)
        return f"{text} {self.text(name)}"[:MAX_SIGNATURE]

    def _components(self, node: Node | None) -> None:
        """Define the components of a record as fields; they are the parameters of its constructor too."""
        self.body.parameters = self.parameters(node)
        for part, parameter in zip(self.parts(node) if node is not None else (), self.body.parameters, strict=False):
            name = part.child_by_field_name("name")
            if name is not None and parameter.name:
                of = parameter.annotation
                self.assign(self.name(name), of or UNKNOWN, part.end_point[0] + 1, "annotation")
                self._variable(name, part, of, ("component", "field", "final", "private"))

    def on_enum_constant(self, node: Node) -> Expr:
        name = node.child_by_field_name("name")
        if name is None:
            return self.walk(node)
        owner = self.definitions[self.body.definition].name if self.body.definition >= 0 else ""
        of = Name(owner) if owner else UNKNOWN
        self.assign(self.name(name), of, node.end_point[0] + 1, "annotation")
        modifiers = ("constant", "final", "public", "static")
        body_node, arguments = node.child_by_field_name("body"), node.child_by_field_name("arguments")
        decorators = self.annotations(node)
        self.define(
            NodeKind.VARIABLE,
            name,
            node,
            annotation=of,
            decorators=decorators,
            modifiers=modifiers,
            exported=self.is_seen(modifiers),
            signature=self.head(node, body_node),
        )
        outer = self.body
        key = (outer.number, "static")
        if key not in self.initializers:
            self.initializers[key] = self.open("static", outer.qualname)
        self.body = self.initializers[key]
        if arguments is not None:
            self.call(of, node, name.start_point[0] + 1, arguments, constructs=True)
        if body_node is not None:
            self._constant_body(name, body_node, of)
        self.body = outer
        return UNKNOWN

    def _constant_body(self, name: Node, body_node: Node, of: Expr) -> None:
        """Define what the body of an enum constant overrides: it is a class without a name."""
        static = self.body
        self.body = self.open("object", f"{static.qualname}{self.text(name)}.")
        self.anonymous_class(name, body_node, of)
        self.body = static

    # -- heads ----------------------------------------------------------------------------------------------------

    def head(self, node: Node, body: Node | None) -> str:
        """Return the head of a definition on one line, without annotations and body."""
        start, modifiers = node.start_byte, self.modifiers_node(node)
        for child in modifiers.children if modifiers is not None else ():
            if not self.kind(child).endswith("annotation") and self.kind(child) not in self.comments:
                break
            start = child.end_byte
        end = body.start_byte if body is not None else node.end_byte
        raw = self.data[start : min(end, start + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
        text = " ".join(" ".join(line.split(" //", 1)[0] for line in raw.splitlines()).split()).rstrip(" {;,")
        return text.replace("( ", "(").replace(" )", ")")[:MAX_SIGNATURE]


def _last_name(decorator: Expr) -> str:
    return decorator.name if isinstance(decorator, Attribute) else decorator.id if isinstance(decorator, Name) else ""
