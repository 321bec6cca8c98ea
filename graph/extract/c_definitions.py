"""Definitions of C, and of C++ as far as it is C: functions, types, variables, fields.

A declaration without a body defines nothing: a prototype is kept as the declared type of its name. What a tag or a
typedef names is bound in the scope that it stands in.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from graph.extract.c_preprocessor import CPreprocessor
from graph.extract.c_types import SPECIFIERS, Declared
from graph.extract.facts import Expr, Name, Parameter
from graph.extract.python_scopes import BRANCH, UNKNOWN, Body
from graph.extract.tree_walk import MAX_SIGNATURE
from graph.model import NodeKind

__all__ = ["CDefinitions"]

_KINDS = {
    "struct_specifier": NodeKind.STRUCT,
    "union_specifier": NodeKind.STRUCT,
    "class_specifier": NodeKind.CLASS,
    "enum_specifier": NodeKind.ENUM,
}


class CDefinitions(CPreprocessor):
    """Walks what defines names for others."""

    # -- functions ------------------------------------------------------------------------------------------------

    def on_function_definition(self, node: Node) -> Expr:
        found = self.declared(node.child_by_field_name("declarator"))
        if found.name is None or found.function is None or not self.leaf_text(found.name).strip():
            self.notes.add("a function without a head was not understood")
            return self.walk(node)
        self.function(node, found)
        return UNKNOWN

    def function(self, node: Node, found: Declared) -> None:
        """Define a function, and walk its body."""
        if found.name is None or found.function is None:
            return
        name = self.leaf_text(found.name)
        outer, block = self.body, node.child_by_field_name("body")
        mark = len(outer.references)
        of = self.type(node.child_by_field_name("type"))
        words = self.words(node)
        index = self.define(
            NodeKind.FUNCTION,
            found.name,
            node,
            name=name,
            body_node=block,
            scope=len(self.bodies),
            modifiers=words,
            exported=self.is_seen(words),
        )
        body = self.enter("function", f"{outer.qualname}{name}.", index)
        self.head(node, found.function, of, body, mark)
        if block is not None:
            self.expr(block)
        self.body = outer

    def head(self, node: Node, declarator: Node, of: Expr, body: Body, mark: int) -> None:
        """Set the parameters and the result of a function; what its head mentions is said of the function."""
        outer = body.parent
        body.parameters = self.old_style(node, self.parameters(declarator.child_by_field_name("parameters")))
        body.return_annotation = None if of is UNKNOWN else of
        if outer is not None:
            body.references[:0] = outer.references[mark:]
            del outer.references[mark:]

    def old_style(self, node: Node, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
        """Return the parameters of `int f(a, b) int a; char *b; {}` with their types."""
        types: dict[str, Expr] = {}
        for part in self.parts(node):
            if self.kind(part) == "declaration":
                of = self.type(part.child_by_field_name("type"))
                for declarator in part.children_by_field_name("declarator"):
                    found = self.declared(declarator)
                    if found.name is not None:
                        types[self.text(found.name)] = self.wrapped(of, found)
        if not types:
            return parameters
        return tuple(replace(item, annotation=types.get(item.name, item.annotation)) for item in parameters)

    def words(self, node: Node) -> tuple[str, ...]:
        """Return the specifiers in front of a declaration: `static`, `extern`, `inline`, `virtual` ..."""
        found: set[str] = set()
        for part in node.children:
            kind = self.kind(part)
            if kind in ("storage_class_specifier", "virtual", "explicit_function_specifier", "type_qualifier"):
                found.add(self.text(part).split("(", 1)[0][:20])
            elif "declarator" in kind:
                break
        if self.body.flow >= BRANCH:
            found.add("conditional")
        found -= {"const", "volatile", "restrict", "__restrict__", ""}
        return tuple(sorted(found))

    # -- declarations ---------------------------------------------------------------------------------------------

    def on_declaration(self, node: Node) -> Expr:
        type_node, words = node.child_by_field_name("type"), self.words(node)
        declarators = node.children_by_field_name("declarator")
        of = self.named_type(type_node, declarators)
        value = node.child_by_field_name("value")  # `if (T *x = f())`
        for declarator in declarators:
            inner = declarator.child_by_field_name("value") if self.kind(declarator) == "init_declarator" else value
            self.declare(node, declarator, of, inner, words)
        return UNKNOWN

    def named_type(self, type_node: Node | None, declarators: list[Node]) -> Expr:
        """Return the type of a declaration; a type without a name is called like the first thing declared with it."""
        if type_node is None or self.kind(type_node) not in SPECIFIERS or not declarators:
            return self.type(type_node)
        if type_node.child_by_field_name("name") is not None or type_node.child_by_field_name("body") is None:
            return self.type(type_node)
        name = self.declared(declarators[0]).name
        outer = self.body
        self.body = self.open(
            "class", f"{outer.qualname}{self.leaf_text(name)}." if name is not None else outer.qualname
        )
        self.members(type_node)
        self.body = outer
        return UNKNOWN

    def declare(self, node: Node, declarator: Node, of: Expr, value_node: Node | None, words: tuple[str, ...]) -> None:
        """Record the declaration of one name: a prototype, or a variable with what it is given first."""
        found = self.declared(declarator)
        if found.name is None:
            self.walk(declarator)
            return
        line = declarator.end_point[0] + 1
        if found.function is not None:
            self.prototype(found, of, line)
            return
        target, whole = Name(self.leaf_text(found.name)), self.wrapped(of, found)
        if whole is not UNKNOWN:
            self.assign(target, whole, line, "annotation")
        self.sizes(declarator)
        value = self.first_value(value_node, of, declarator)
        if value is not None:
            self.assign(target, value, line)
        if self.body.kind in ("module", "namespace") and ("extern" not in words or value is not None):
            self.variable(node, declarator, found.name, whole, words)

    def first_value(self, value_node: Node | None, of: Expr, declarator: Node) -> Expr | None:
        """Return what a variable is given where it is declared, None for nothing."""
        del of, declarator
        return self.mention(self.expr(value_node), value_node) if value_node is not None else None

    def sizes(self, declarator: Node | None) -> None:
        """Walk the sizes of arrays in a declarator."""
        while declarator is not None:
            size = declarator.child_by_field_name("size")
            if size is not None:
                self.expr(size)
            declarator = declarator.child_by_field_name("declarator")

    def prototype(self, found: Declared, of: Expr, line: int) -> None:
        """Keep the declared type of a function that is defined elsewhere."""
        if found.name is not None and found.function is not None:
            self.assign(Name(self.leaf_text(found.name)), self.function_type(found.function, of), line, "annotation")

    def variable(self, node: Node, declarator: Node, name: Node, of: Expr, words: tuple[str, ...]) -> None:
        """Define a variable or field."""
        self.define(
            NodeKind.VARIABLE,
            name,
            node,
            name=self.leaf_text(name),
            annotation=None if of is UNKNOWN else of,
            modifiers=words,
            exported=self.is_seen(words),
            signature=self._declared_head(node, declarator),
        )

    def is_seen(self, words: tuple[str, ...]) -> bool:
        """Tell whether other files see what is declared with these specifiers."""
        return "static" not in words or self.body.kind == "class"

    def _declared_head(self, node: Node, declarator: Node) -> str:
        """Return the declaration of one of several names, without its value and the members of its type."""
        type_node = node.child_by_field_name("type")
        body = type_node.child_by_field_name("body") if type_node is not None else None
        first = node.child_by_field_name("declarator")
        text = self.signature(node, body or first)
        value = declarator.child_by_field_name("value")
        end = value.start_byte if value is not None else declarator.end_byte
        own = self.data[declarator.start_byte : min(end, declarator.start_byte + MAX_SIGNATURE)]
        return " ".join(f"{text} {own.decode('utf-8', 'replace')}".split()).rstrip(" =({")[:MAX_SIGNATURE]

    def on_type_definition(self, node: Node) -> Expr:
        type_node = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        of: Expr = UNKNOWN
        tag = ""
        if type_node is not None and self.kind(type_node) in SPECIFIERS:
            tag = self._typedef_of_specifier(node, type_node, declarators)
            if type_node.child_by_field_name("body") is None:
                of = self.type(type_node)
            elif tag:
                of = Name(tag)
        else:
            of = self.type(type_node)
        for declarator in declarators:
            found = self.declared(declarator)
            name = self.leaf_text(found.name) if found.name is not None else ""
            name_node = found.name
            if name_node is None or name == tag:
                continue
            if found.function is not None:
                found = Declared(name_node, None, found.function)
            whole = self.wrapped(of, found)
            self.assign(Name(name), whole, declarator.end_point[0] + 1, "type")
            self.define(
                NodeKind.TYPE,
                name_node,
                node,
                name=name,
                annotation=None if whole is UNKNOWN else whole,
                signature=self._typedef_head(node, type_node, declarator),
            )
        return UNKNOWN

    def _typedef_of_specifier(self, node: Node, type_node: Node, declarators: list[Node]) -> str:
        """Define what a typedef defines besides its names; return the name that already means it."""
        body = type_node.child_by_field_name("body")
        tag_node = type_node.child_by_field_name("name")
        if body is None:
            return ""
        plain = [self.declared(item).name for item in declarators if self.kind(item) == "type_identifier"]
        name_node = tag_node or next((name for name in plain if name is not None), None)
        if name_node is None:
            self.named_type(type_node, declarators)
            return ""
        self.define_type(type_node, name_node, first=node)
        return self.text(name_node)

    def _typedef_head(self, node: Node, type_node: Node | None, declarator: Node) -> str:
        body = type_node.child_by_field_name("body") if type_node is not None else None
        if body is None:
            return self.signature(node, None)
        return f"{self.signature(node, body)} {self.text(declarator)}".replace("\n", " ").replace("\r", " ")[:300]

    # -- types ----------------------------------------------------------------------------------------------------

    def specifier(self, node: Node) -> Expr:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is None:
            if name is None:
                return UNKNOWN
            return self.type(name)
        if name is None:
            self.members(node)
            return UNKNOWN
        self.define_type(node, name)
        return Name(self.leaf_text(name))

    def define_type(self, node: Node, name_node: Node, first: Node | None = None) -> None:
        """Define a struct, union, enum or class, and walk its members."""
        outer, kind = self.body, self.kind(node)
        name = self.leaf_text(name_node)
        if not name.strip():  # recovery made a name up
            self.members(node)
            return
        body_node = node.child_by_field_name("body")
        words = ("union",) if kind == "union_specifier" else ()
        if outer.flow >= BRANCH:
            words = (*words, "conditional")
        index = self.define(
            _KINDS[kind],
            name_node,
            node,
            name=name,
            first=first,
            scope=len(self.bodies),
            bases=self.bases(node),
            modifiers=words,
            signature=self.signature(first or node, body_node),
        )
        body = self.enter("class", f"{outer.qualname}{name}.", index)
        self.opened(body, node)
        self.members(node)
        self.body = outer

    def bases(self, node: Node) -> tuple[Expr, ...]:
        """Return what a type is derived from; in C nothing."""
        del node
        return ()

    def opened(self, body: Body, node: Node) -> None:
        """Take note of the scope of a type."""

    def members(self, node: Node) -> None:
        """Walk the members of a type in the current body."""
        body = node.child_by_field_name("body")
        for part in self.parts(body) if body is not None else ():
            if self.kind(part) == "enumerator":
                self._enumerator(part)
            else:
                self.expr(part)

    def _enumerator(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if value is not None:
            self.expr(value)
        if name is None:
            return
        owner = self.definitions[self.body.definition].name if self.body.definition >= 0 else ""
        of = Name(owner) if owner else UNKNOWN
        self.enumerated(self.name(name), of, node)
        self.define(
            NodeKind.VARIABLE,
            name,
            node,
            annotation=of if owner else None,
            modifiers=("constant", "enumerator"),
            signature=self.first_line(node),
        )

    def enumerated(self, name: Name, of: Expr, node: Node) -> None:
        """Bind an enumerator where it is seen: around its enum, and in it for `Color::RED`."""
        line, inner = node.end_point[0] + 1, self.body
        self.assign(name, of, line, "annotation")
        if inner.parent is not None and inner.definition >= 0:
            self.body = inner.parent
            self.assign(name, of, line, "annotation")
            self.body = inner

    def on_field_declaration(self, node: Node) -> Expr:
        declarators = node.children_by_field_name("declarator")
        of = self.named_type(node.child_by_field_name("type"), declarators)
        words = self.words(node)
        for declarator in declarators:
            found = self.declared(declarator)
            if found.name is None:
                continue
            line = declarator.end_point[0] + 1
            if found.function is not None:
                self.prototype(found, of, line)
                continue
            whole = self.wrapped(of, found)
            self.assign(Name(self.leaf_text(found.name)), whole, line, "annotation")
            self.sizes(declarator)
            self.variable(node, declarator, found.name, whole, (*words, "field"))
        value = node.child_by_field_name("default_value")
        if value is not None:
            self.mention(self.expr(value), value)
        return UNKNOWN
