"""The facts of a C++ file.

One pass over the syntax tree of tree-sitter-cpp, after what the preprocessor would have taken away is masked where it
stands in the way (`graph.extract.c_masking`). Facts depend on the bytes alone; headers are found in resolution.
"""

from __future__ import annotations

import tree_sitter_cpp
from tree_sitter import Language, Parser

from graph.extract.c import first_comment
from graph.extract.c_masking import parse_masked
from graph.extract.cpp_definitions import CppDefinitions
from graph.extract.facts import Facts
from graph.extract.slash_comments import count_lines, markers_in
from graph.extract.tree_walk import Table

__all__ = ["extract_cpp"]

_LANGUAGE = Language(tree_sitter_cpp.language())
_PARSER = Parser(_LANGUAGE)


class _Walker(CppDefinitions):
    """The walker with its table filled in."""


_Walker.table = Table(_LANGUAGE, _Walker)


def extract_cpp(data: bytes) -> Facts:
    """Return what one C++ file says; never raises, whatever the bytes are."""
    parsed = parse_masked(_PARSER, data)
    walker = _Walker(parsed.data)
    for item in parsed.root.named_children:
        walker.top(item)
    return Facts(
        language="cpp",
        line_count=count_lines(data),
        definitions=tuple(walker.definitions),
        imports=tuple(walker.imports),
        scopes=tuple(body.scope() for body in walker.bodies),
        markers=markers_in(data, parsed.root, walker.comments),
        doc=first_comment(data),
        error_count=parsed.errors,
        notes=tuple(sorted(walker.notes | parsed.notes)),
    )
