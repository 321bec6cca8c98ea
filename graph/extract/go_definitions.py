"""Definitions and imports of Go.

A method belongs to the scope of its receiver's type where the file declares it, else to a scope of kind `extension`
that stands for a type of another file of the package; its receiver is the first parameter. The package clause is kept
as the export `package`, a build constraint as the export `//go:build`: neither is a name that Go could bind.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

import re

from tree_sitter import Node

from graph.extract.facts import Constant, Expr, Import, ImportedName, Name
from graph.extract.go_type_definitions import GoTypeDefinitions
from graph.extract.go_types import is_alone, is_exported, named_type
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.slash_comments import doc_above
from graph.model import NodeKind

__all__ = ["GoWalker"]

_VERSION = re.compile(r"(?:^|[./])v\d+$")
_TEST = re.compile(r"^(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_SPECS = frozenset({"const_spec", "var_spec"})


class GoWalker(GoTypeDefinitions):
    """Walks what defines names for others."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.exports: list[tuple[str, Expr]] = []

    def file(self, root: Node) -> None:
        """Walk a whole file."""
        items = root.named_children
        self.await_types(items)
        for item in items:
            self.top(item)

    # -- the file -------------------------------------------------------------------------------------------------

    def on_package_clause(self, node: Node) -> Expr:
        self.exports.extend(("package", self.name(part)) for part in self.parts(node)[:1])
        return UNKNOWN

    def on_comment(self, node: Node) -> Expr:
        if self.body.number == 0 and self.data.startswith((b"//go:build ", b"// +build "), node.start_byte):
            text = self.text(node).split("build ", 1)[1].strip()
            self.exports.append(("//go:build", Constant("str", text[:200])))
        return UNKNOWN

    def on_import_spec(self, node: Node) -> Expr:
        path_node, name_node = node.child_by_field_name("path"), node.child_by_field_name("name")
        if path_node is None:
            return UNKNOWN
        specifier = self.text(path_node).strip('"`')
        name = self.text(name_node) if name_node is not None else _package_name(specifier)
        kind = "module"
        names: tuple[ImportedName, ...] = (ImportedName("", name),)
        if name == ".":
            kind, names = "names", (ImportedName("*", "*"),)
        elif name == "_" or specifier == "C":
            kind, names = "effect", ()
        if specifier == "C":
            self.notes.add("what cgo provides is not followed")
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        self.imports.append(Import(specifier, kind, line, names, end_line=end))
        return UNKNOWN

    # -- functions ------------------------------------------------------------------------------------------------

    def on_function_declaration(self, node: Node) -> Expr:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return self.walk(node)
        self._function(NodeKind.FUNCTION, node, name_node, None)
        return UNKNOWN

    def on_method_declaration(self, node: Node) -> Expr:
        name_node, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
        if name_node is None or receiver is None:
            return self.walk(node)
        of = _receiver_type(receiver)
        outer = self.body
        if of is not None:
            self.body = self.type_scope(self.text(of))
        self._function(NodeKind.METHOD, node, name_node, receiver)
        self.body = outer
        return UNKNOWN

    def _function(self, kind: NodeKind, node: Node, name_node: Node, receiver: Node | None) -> None:
        outer = self.body
        name, block = self.text(name_node), node.child_by_field_name("body")
        number = len(self.bodies)
        index = self.define(
            kind,
            name_node,
            node,
            body_node=block,
            scope=number,
            modifiers=() if block is not None else ("external",),
            exported=is_exported(name),
            is_test=kind is NodeKind.FUNCTION and _TEST.match(name) is not None,
        )
        body = self.enter("function", f"{outer.qualname}{name}.", index)
        self._declare_receiver_types(receiver, body)
        self.type_parameters(node.child_by_field_name("type_parameters"), body)
        own = self.parameters(receiver)[:1] if receiver is not None else ()
        body.parameters = own + self.parameters(node.child_by_field_name("parameters"))
        body.return_annotation = self.result(node.child_by_field_name("result"), body)
        if block is not None:
            self.expr(block)
        self.body = outer

    def _declare_receiver_types(self, receiver: Node | None, body: Body) -> None:
        """Declare the type parameters that `func (s *Stack[T])` names anew."""
        of = _receiver_type(receiver, generic=True) if receiver is not None else None
        given = of.child_by_field_name("type_arguments") if of is not None else None
        for argument in self.parts(given) if given is not None else []:
            outer, self.body = self.body, body
            self.assign(Name(self.text(argument)), UNKNOWN, argument.start_point[0] + 1, "type")
            self.body = outer

    # -- constants and variables --------------------------------------------------------------------------------------

    def on_const_spec(self, node: Node) -> Expr:
        names = self.named(node)
        type_node, value_node = node.child_by_field_name("type"), node.child_by_field_name("value")
        line = node.end_point[0] + 1
        of = self.type(type_node) if type_node is not None else None
        if of is not None:
            for name in names:
                self.give(name, of, line, "annotation")
        if value_node is not None:
            self.assign_all(names, self.parts(value_node), line)
        if self.body.number == 0:
            for name in names:
                self._variable(node, name, of)
        return UNKNOWN

    on_var_spec = on_const_spec

    def _variable(self, spec: Node, name_node: Node, of: Expr | None) -> None:
        name = self.text(name_node)
        if name == "_":
            return
        is_constant = self.kind(spec) == "const_spec"
        above = spec.parent
        alone = above is not None and self.kind(above) not in ("var_spec_list", *_SPECS) and is_alone(above, spec)
        top = above if alone and above is not None else spec
        line = self.first_line(spec)
        self.define(
            NodeKind.VARIABLE,
            name_node,
            spec,
            doc=doc_above(self.data, top.start_byte),
            annotation=of,
            modifiers=("constant",) if is_constant else (),
            exported=is_exported(name),
            signature=f"{'const' if is_constant else 'var'} {line}"[:300],
        )


def _package_name(specifier: str) -> str:
    """Return the name that a package has by convention: the last part of its path that is no version."""
    path = _VERSION.sub("", specifier)
    last = path.rsplit("/", 1)[-1]
    return last.removeprefix("go-").replace("-", "_") or specifier


def _receiver_type(receiver: Node, *, generic: bool = False) -> Node | None:
    """Return the name of the receiver's type; with `generic` the whole generic type, None when it is none."""
    for declaration in receiver.named_children:
        node = declaration.child_by_field_name("type")
        if not generic:
            return named_type(node)
        while node is not None and node.type in ("pointer_type", "parenthesized_type"):
            inner = node.named_children
            node = inner[0] if inner else None
        return node if node is not None and node.type == "generic_type" else None
    return None
