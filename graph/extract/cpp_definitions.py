"""Definitions of C++: namespaces, classes, templates, methods in and out of their class, aliases, concepts.

A method that is defined outside of its class belongs to the scope of the class where the file has it, else to a scope
of kind `extension` that stands for a class of another file. A namespace that is opened again is the same scope.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

import re

from tree_sitter import Node

from graph.extract.c_types import SPECIFIERS, Declared
from graph.extract.cpp_expressions import CppExpressions
from graph.extract.facts import Attribute, Expr, Import, ImportedName, Name
from graph.extract.python_scopes import UNKNOWN, Body
from graph.model import NodeKind

__all__ = ["CppDefinitions"]

_TEST_MACROS = frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "BENCHMARK_F"})
_CLAUSES = frozenset({"delete_method_clause", "default_method_clause"})
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]+$")


class CppDefinitions(CppExpressions):
    """Walks what defines names for others."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._types: dict[str, Body] = {}
        """The scopes of classes, and of extensions of classes elsewhere, by what stands before their members' names."""
        self._namespaces: dict[tuple[int, str], Body] = {}
        self._access: dict[int, str] = {}
        """What access the next member of a class has, by scope."""
        self._declared_access: dict[tuple[int, str], str] = {}
        """What access a member has that is declared in its class and defined outside, by scope and name."""
        self._hidden: set[int] = set()
        """The scopes of namespaces without a name: nothing in them is seen by other files."""
        self._template: Node | None = None
        """The template declaration around the definition at hand."""

    # -- namespaces -----------------------------------------------------------------------------------------------

    def on_namespace_definition(self, node: Node) -> Expr:
        outer, name_node, body = self.body, node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None:
            self._enter_namespace("", None, node)
            self._hidden.add(self.body.number)
        else:
            parts = self.parts(name_node) if self.kind(name_node) == "nested_namespace_specifier" else [name_node]
            for part in parts:
                self._enter_namespace("".join(self.text(part).split()), part, node)
        self.walk_items(body)
        self.body = outer
        return UNKNOWN

    def _enter_namespace(self, name: str, name_node: Node | None, node: Node) -> None:
        outer = self.body
        key = (outer.number, name)
        if key not in self._namespaces:
            index = -1
            if name_node is not None:
                index = self.define(NodeKind.MODULE, name_node, node, name=name, signature=f"namespace {name}"[:300])
            prefix = f"{outer.qualname}{name}." if name else outer.qualname
            self._namespaces[key] = self.open("namespace", prefix, index)
        self.body = self._namespaces[key]

    def walk_items(self, body: Node | None) -> None:
        """Walk the items of a namespace or a linkage specification."""
        for part in self.parts(body) if body is not None else ():
            self.expr(part)

    def on_linkage_specification(self, node: Node) -> Expr:
        body = node.child_by_field_name("body")
        if body is not None and self.kind(body) == "declaration_list":
            self.walk_items(body)
        elif body is not None:
            self.expr(body)
        return UNKNOWN

    def on_namespace_alias_definition(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) == 2:
            of: Expr = UNKNOWN
            if self.kind(parts[1]) == "nested_namespace_specifier":
                of = self._dotted(self.parts(parts[1]))
            else:
                of = self.expr(parts[1])
            self.assign(self.name(parts[0]), of, node.end_point[0] + 1, "type")
        return UNKNOWN

    def _dotted(self, parts: list[Node]) -> Expr:
        value: Expr | None = None
        for part in parts:
            value = (
                Name(self.text(part)) if value is None else Attribute(value, self.text(part), part.start_point[0] + 1)
            )
        return value or UNKNOWN

    def on_using_declaration(self, node: Node) -> Expr:
        """Record `using a::b;` as an import of a name, `using namespace a;` as one of all its names."""
        parts = self.parts(node)
        if not parts:
            return UNKNOWN
        is_namespace = any(child.type == "namespace" for child in node.children)
        path = re.sub(r"<.*>|\s", "", self.text(parts[-1])[:400]).removeprefix("::")
        scope, _, last = path.rpartition("::")
        names = (ImportedName("*", "*"),) if is_namespace else (ImportedName(last, last),)
        specifier = path if is_namespace else scope
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        self.imports.append(Import(specifier, "using", line, names, scope=self.body.number, end_line=end))
        return UNKNOWN

    # -- templates ------------------------------------------------------------------------------------------------

    def on_template_declaration(self, node: Node) -> Expr:
        before = self._template
        self._template = before or node
        parameters = node.child_by_field_name("parameters")
        for part in self.parts(node):
            if part != parameters:
                self.expr(part)
        self._template = before
        return UNKNOWN

    def on_template_instantiation(self, node: Node) -> Expr:
        self.mention(self.type(node.child_by_field_name("type")), node)
        return UNKNOWN

    def on_concept_definition(self, node: Node) -> Expr:
        name = node.child_by_field_name("name")
        if name is not None:
            self.define(NodeKind.TYPE, name, node, first=self._template, modifiers=("concept",))
        return self.walk(node)

    def on_friend_declaration(self, node: Node) -> Expr:
        """Define what a friend declaration defines: a function around the class, not a member."""
        inner = self.body
        for part in self.parts(node):
            if self.kind(part) == "function_definition":
                self.body = inner.parent or inner
                self.expr(part)
                self.body = inner
        return UNKNOWN

    def _type_parameters(self, body: Body) -> None:
        """Declare the type parameters of the template at hand in a body: what they are only its use can tell."""
        outer, self.body = self.body, body
        template = self._template
        while template is not None and self.kind(template) == "template_declaration":
            listed = template.child_by_field_name("parameters")
            for part in self.parts(listed) if listed is not None else ():
                name = next((item for item in self.parts(part) if self.kind(item) == "type_identifier"), None)
                if name is not None and "type_parameter" in self.kind(part):
                    self.assign(self.name(name), UNKNOWN, name.start_point[0] + 1, "type")
            template = next((part for part in self.parts(template) if self.kind(part) == "template_declaration"), None)
        self._template = None
        self.body = outer

    # -- classes --------------------------------------------------------------------------------------------------

    def bases(self, node: Node) -> tuple[Expr, ...]:
        found: list[Expr] = []
        for clause in self.parts(node):
            if self.kind(clause) == "base_class_clause":
                listed = [part for part in self.parts(clause) if self.kind(part) != "access_specifier"]
                found.extend(self.type(part) for part in listed)
        return tuple(found)

    def define_type(self, node: Node, name_node: Node, first: Node | None = None) -> None:
        outer = self.body
        if self.kind(name_node) == "qualified_identifier":
            self.body = self._owner(name_node)[0]
        super().define_type(node, name_node, first or self._template)
        self.body = outer

    def opened(self, body: Body, node: Node) -> None:
        self._access[body.number] = "private" if self.kind(node) == "class_specifier" else "public"
        self._types.setdefault(body.qualname, body)
        self._type_parameters(body)

    def on_access_specifier(self, node: Node) -> Expr:
        self._access[self.body.number] = self.text(node).split(":", 1)[0].strip()[:20]
        return UNKNOWN

    def words(self, node: Node) -> tuple[str, ...]:
        found = {*super().words(node)}
        if self.body.kind == "class":
            declared = self.declared(node.child_by_field_name("declarator")).name
            access = self._access.get(self.body.number, "public")
            if declared is not None and self.kind(declared) == "qualified_identifier":
                access = self._declared_access.get((self.body.number, self.leaf_text(declared)), "public")
            found.add(access)
        return tuple(sorted(found - {"public"}))

    def prototype(self, found: Declared, of: Expr, line: int) -> None:
        if self.body.kind == "class" and found.name is not None:
            access = self._access.get(self.body.number, "public")
            self._declared_access[self.body.number, self.leaf_text(found.name)] = access
        super().prototype(found, of, line)

    def is_seen(self, words: tuple[str, ...]) -> bool:
        body: Body | None = self.body
        while body is not None:
            if body.number in self._hidden:
                return False
            body = body.parent
        return "private" not in words and super().is_seen(words)

    # -- functions ------------------------------------------------------------------------------------------------

    def function(self, node: Node, found: Declared) -> None:
        if found.name is None or found.function is None:
            return
        if any(self.kind(part) in _CLAUSES for part in self.parts(node)):  # there is no code to be found
            self.prototype(found, self.type(node.child_by_field_name("type")), node.end_point[0] + 1)
            return
        outer, template = self.body, self._template
        is_method = outer.kind == "class"
        if self.kind(found.name) == "qualified_identifier":
            self.body, is_method = self._owner(found.name)
        name, test = self.leaf_text(found.name), self._test_of(node, found)
        name_node = found.name if test is None else test[1]
        if test is not None:
            self.body, name = self._extension(f"{outer.qualname}{self.text(test[0])}."), self.text(test[1])
        self._define_function(node, found, name, name_node, template, is_method=is_method, is_test=test is not None)
        self.body = outer

    def _define_function(
        self,
        node: Node,
        found: Declared,
        name: str,
        name_node: Node,
        template: Node | None,
        *,
        is_method: bool,
        is_test: bool,
    ) -> None:
        owner, block = self.body, node.child_by_field_name("body")
        initializers = next((part for part in self.parts(node) if self.kind(part) == "field_initializer_list"), None)
        mark, words = len(owner.references), self._function_words(node, found)
        self._template = None
        of = self.type(node.child_by_field_name("type"))
        index = self.define(
            NodeKind.METHOD if is_method else NodeKind.FUNCTION,
            self.leaf(name_node),
            node,
            name=name,
            first=template,
            body_node=initializers or block,
            scope=len(self.bodies),
            modifiers=words,
            exported=self.is_seen(words),
            is_test=is_test,
        )
        body = self.enter("function", f"{owner.qualname}{name}.", index)
        self._template = template
        self._type_parameters(body)
        if found.function is not None and not is_test:
            self.body = owner
            self.head(node, found.function, of, body, mark)
            self.body = body
        for part in (initializers, block):
            if part is not None:
                self.expr(part)

    def _function_words(self, node: Node, found: Declared) -> tuple[str, ...]:
        words = {*self.words(node)}
        name = self.leaf(found.name) if found.name is not None else node
        text = self.leaf_text(name)
        for part in self.parts(found.function) if found.function is not None else ():
            if self.kind(part) == "virtual_specifier":
                words.add(self.text(part)[:20])
        if self.kind(name) == "destructor_name":
            words.add("destructor")
        elif node.child_by_field_name("type") is None and self.body.qualname.rstrip(".").rsplit(".", 1)[-1] == text:
            words.add("constructor")
        elif self.kind(name) in ("operator_name", "operator_cast"):
            words.add("operator")
        return tuple(sorted(words))

    def _owner(self, name: Node) -> tuple[Body, bool]:
        """Return the scope that `a::B::f` is defined in, and whether that is a class."""
        scopes: list[str] = []
        node = name
        while self.kind(node) == "qualified_identifier":
            scope, inner = node.child_by_field_name("scope"), node.child_by_field_name("name")
            if scope is not None:
                scopes.append(self.leaf_text(scope))
            if inner is None:
                break
            node = inner
        if not scopes:
            return self.bodies[0], False  # `::f`
        body: Body | None = self.body
        while body is not None:
            if (found := self._known(body, scopes)) is not None:
                return found, found.kind != "namespace"
            body = body.parent
        return self._extension(f"{self.body.qualname}{'.'.join(scopes)}."), True

    def _known(self, body: Body, scopes: list[str]) -> Body | None:
        """Return a namespace or class of this file by its path from a scope."""
        place: Body = body
        for step, scope in enumerate(scopes):
            inner = self._namespaces.get((place.number, scope))
            if inner is None:
                return self._types.get(f"{place.qualname}{'.'.join(scopes[step:])}.")
            place = inner
        return place

    def _extension(self, prefix: str) -> Body:
        if prefix not in self._types:
            body = self.open("extension", "")
            body.qualname = prefix[:400]
            self._types[prefix] = body
        return self._types[prefix]

    def _test_of(self, node: Node, found: Declared) -> tuple[Node, Node] | None:
        """Return suite and name of `TEST(Suite, Name) {}`."""
        if found.function is None or found.name is None or node.child_by_field_name("type") is not None:
            return None
        if self.kind(found.name) != "identifier" or not _CAPITALS.match(self.text(found.name)):
            return None
        listed = found.function.child_by_field_name("parameters")
        types = [part.child_by_field_name("type") for part in self.parts(listed)] if listed is not None else []
        names = [part for part in types if part is not None]
        if self.text(found.name) in _TEST_MACROS and len(names) == 2 and len(types) == 2:
            return names[0], names[1]
        self.notes.add("a definition that a macro writes was named after the macro")
        return None

    def on_declaration(self, node: Node) -> Expr:
        """Read a declaration; a template of a variable or a prototype keeps its parameters to itself."""
        before, self._template = self._template, None
        type_node = node.child_by_field_name("type")
        if type_node is not None and self.kind(type_node) in SPECIFIERS and type_node.child_by_field_name("body"):
            self._template = before
        value = super().on_declaration(node)
        self._template = before
        return value

    # -- aliases --------------------------------------------------------------------------------------------------

    def on_alias_declaration(self, node: Node) -> Expr:
        name, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None:
            return self.walk(node)
        first, self._template = self._template, None
        of = self.type(type_node)
        self.assign(self.name(name), of, node.end_point[0] + 1, "type")
        annotation = None if of is UNKNOWN else of
        words = self.words(node)
        self.define(
            NodeKind.TYPE, name, node, first=first, annotation=annotation, modifiers=words, exported=self.is_seen(words)
        )
        return UNKNOWN
