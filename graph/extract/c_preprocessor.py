"""The preprocessor of C and C++ as far as it is read: includes, macros, and code under conditions.

An include takes in all that the header declares, so it is an import of all names. A macro is kept as a name with its
signature; what it expands to is not followed.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

import re

from tree_sitter import Node

from graph.extract.c_statements import CStatements
from graph.extract.facts import Expr, Import, ImportedName
from graph.extract.python_scopes import BRANCH, UNKNOWN
from graph.extract.tree_walk import MAX_SIGNATURE
from graph.model import NodeKind

__all__ = ["MACRO_KIND", "CPreprocessor"]

_GUARD = re.compile(
    rb"^[ \t]*#[ \t]*(?:ifndef[ \t]+|if[ \t]+!defined[ \t]*\(?[ \t]*)(\w+)[^\r\n]*\s+#[ \t]*define[ \t]+\1[ \t]*\r?$",
    re.MULTILINE,
)
"""What keeps a header from being read twice names nothing."""

MACRO_KIND = NodeKind.VARIABLE
"""A macro is text that may stand for anything: it is no callable that code could be found in."""


class CPreprocessor(CStatements):
    """Walks directives."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._guards = {match.group(1).decode() for match in _GUARD.finditer(data)}

    def on_preproc_include(self, node: Node) -> Expr:
        path = node.child_by_field_name("path")
        line = node.start_point[0] + 1
        if path is None or self.kind(path) not in ("string_literal", "system_lib_string"):
            self.notes.add("an include of what a macro names was not followed")
            return UNKNOWN
        kind = "system" if self.kind(path) == "system_lib_string" else "include"
        specifier = self.text(path).strip('<>" \t')[:400]
        names = (ImportedName("*", "*"),)
        is_conditional = self.body.flow >= BRANCH
        self.imports.append(Import(specifier, kind, line, names, is_conditional=is_conditional, end_line=line))
        return UNKNOWN

    def on_preproc_def(self, node: Node) -> Expr:
        name = node.child_by_field_name("name")
        if name is not None and self.text(name) not in self._guards:
            self._macro(name, node, "constant", "macro")
        return UNKNOWN

    def on_preproc_function_def(self, node: Node) -> Expr:
        name = node.child_by_field_name("name")
        if name is not None:
            self._macro(name, node, "function", "macro")
        self.notes.add("what macros expand to was not followed")
        return UNKNOWN

    def _macro(self, name: Node, node: Node, *words: str) -> None:
        outer, self.body = self.body, self.bodies[0]  # macros know no scopes
        text = self.text(node).replace("\\\n", " ").replace("\\\r\n", " ")
        if outer.flow >= BRANCH:
            words = (*words, "conditional")
        self.define(
            MACRO_KIND, name, name, first=node, modifiers=words, signature=" ".join(text.split())[:MAX_SIGNATURE]
        )
        self.body = outer

    # -- conditions -----------------------------------------------------------------------------------------------

    def on_preproc_if(self, node: Node) -> Expr:
        condition = node.child_by_field_name("condition")
        self.under(BRANCH, [part for part in node.named_children if part != condition])
        return UNKNOWN

    on_preproc_elif = on_preproc_if

    def on_preproc_else(self, node: Node) -> Expr:
        self.under(BRANCH, node.named_children)
        return UNKNOWN

    def on_preproc_ifdef(self, node: Node) -> Expr:
        name = node.child_by_field_name("name")
        parts = [part for part in self.parts(node) if part != name]
        if name is not None and self.text(name) in self._guards:
            for part in parts:
                self.expr(part)
        else:
            self.under(BRANCH, parts)
        return UNKNOWN

    on_preproc_elifdef = on_preproc_ifdef
