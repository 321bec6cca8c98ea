"""The facts of a Go file.

One pass over the syntax tree of tree-sitter-go. Parsing never fails: what is broken becomes an error node, and what
stands around it is still read. Facts depend on the bytes alone; which files make a package is decided in resolution.
"""

from __future__ import annotations

import re

import tree_sitter_go
from tree_sitter import Language, Parser

from graph.extract.facts import Facts
from graph.extract.go_definitions import GoWalker
from graph.extract.slash_comments import count_errors, count_lines, doc_above, markers_in
from graph.extract.tree_walk import Table

__all__ = ["extract_go"]

_LANGUAGE = Language(tree_sitter_go.language())
_PARSER = Parser(_LANGUAGE)

_PACKAGE = re.compile(rb"^package\s", re.MULTILINE)


class _Walker(GoWalker):
    """The walker with its table filled in."""


_Walker.table = Table(_LANGUAGE, _Walker)


def extract_go(data: bytes) -> Facts:
    """Return what one Go file says; never raises, whatever the bytes are."""
    root = _PARSER.parse(data).root_node
    walker = _Walker(data)
    walker.file(root)
    clause = _PACKAGE.search(data)
    return Facts(
        language="go",
        line_count=count_lines(data),
        definitions=tuple(walker.definitions),
        imports=tuple(walker.imports),
        scopes=tuple(body.scope() for body in walker.bodies),
        exports=tuple(walker.exports),
        markers=markers_in(data, root, walker.comments),
        doc=doc_above(data, clause.start()) if clause else "",
        error_count=count_errors(root),
        notes=tuple(sorted(walker.notes)),
    )
