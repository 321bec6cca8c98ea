"""The facts of a Java file.

One pass over the syntax tree of tree-sitter-java. Parsing never fails: what is broken becomes an error node, and what
stands around it is still read. The package is kept as the export `package`, which is no name that Java could bind.
"""

from __future__ import annotations

import re

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from graph.extract.facts import Constant, Expr, Facts, Import, ImportedName
from graph.extract.java_definitions import JavaDefinitions
from graph.extract.python_scopes import UNKNOWN
from graph.extract.slash_comments import count_errors, count_lines, doc_above, markers_in
from graph.extract.tree_walk import Table
from graph.model import NodeKind

__all__ = ["extract_java"]

_LANGUAGE = Language(tree_sitter_java.language())
_PARSER = Parser(_LANGUAGE)

_PACKAGE = re.compile(rb"^(?:@[\w.]+(?:\([^)\r\n]*\))?\s*)*package\s", re.MULTILINE)


class _Walker(JavaDefinitions):
    """Walks what stands around the types of a file."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.exports: list[tuple[str, Expr]] = []

    def on_package_declaration(self, node: Node) -> Expr:
        for part in self.parts(node):
            if self.kind(part) in ("scoped_identifier", "identifier"):
                self.exports.append(("package", Constant("str", self._dotted_text(part))))
            else:
                self.expr(part)
        return UNKNOWN

    def on_import_declaration(self, node: Node) -> Expr:
        parts = self.parts(node)
        if not parts:
            return UNKNOWN
        specifier = self._dotted_text(parts[0])
        is_static = any(child.type == "static" for child in node.children)
        last = "*" if self.kind(parts[-1]) == "asterisk" else specifier.rsplit(".", 1)[-1]
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        kind = "static" if is_static else "names"
        self.imports.append(Import(specifier, kind, line, (ImportedName(last, last),), end_line=end))
        return UNKNOWN

    def on_module_declaration(self, node: Node) -> Expr:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return self.walk(node)
        self.define(
            NodeKind.MODULE, name, node, name=self._dotted_text(name), body_node=body, modifiers=("java module",)
        )
        for part in self.parts(body):
            of = part.child_by_field_name("module")
            if self.kind(part) == "requires_module_directive" and of is not None:
                line = part.start_point[0] + 1
                self.imports.append(Import(self._dotted_text(of), "requires", line, end_line=part.end_point[0] + 1))
            elif self.kind(part) in ("provides_module_directive", "uses_module_directive"):
                for named in self.parts(part):
                    self.mention(self.expr(named), named)
        return UNKNOWN

    def _dotted_text(self, node: Node) -> str:
        return "".join(self.text(node).split())[:400]


_Walker.table = Table(_LANGUAGE, _Walker)


def extract_java(data: bytes) -> Facts:
    """Return what one Java file says; never raises, whatever the bytes are."""
    root = _PARSER.parse(data).root_node
    walker = _Walker(data)
    for item in root.named_children:
        walker.top(item)
    return Facts(
        language="java",
        line_count=count_lines(data),
        definitions=tuple(walker.definitions),
        imports=tuple(walker.imports),
        scopes=tuple(body.scope() for body in walker.bodies),
        exports=tuple(walker.exports),
        markers=markers_in(data, root, walker.comments),
        doc=_file_doc(data, walker),
        error_count=count_errors(root),
        notes=tuple(sorted(walker.notes)),
    )


def _file_doc(data: bytes, walker: _Walker) -> str:
    """Return what a file says of itself: of its package if it holds no type, else of its first type."""
    if walker.definitions:
        return walker.definitions[0].doc
    clause = _PACKAGE.search(data)
    return doc_above(data, clause.start()) if clause else ""
