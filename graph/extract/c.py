"""The facts of a C file.

One pass over the syntax tree of tree-sitter-c, after what the preprocessor would have taken away is masked where it
stands in the way (`graph.extract.c_masking`). Facts depend on the bytes alone; headers are found in resolution.
"""

from __future__ import annotations

import re

import tree_sitter_c
from tree_sitter import Language, Parser

from graph.extract.c_definitions import CDefinitions
from graph.extract.c_masking import parse_masked
from graph.extract.facts import Facts
from graph.extract.slash_comments import count_lines, doc_text, markers_in
from graph.extract.tree_walk import Table

__all__ = ["extract_c", "first_comment"]

_LANGUAGE = Language(tree_sitter_c.language())
_PARSER = Parser(_LANGUAGE)

_FIRST_COMMENT = re.compile(rb"\s*(?:/\*[^\0]{0,4000}?\*/|(?://[^\r\n]*\r?\n)+)")
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)


class _Walker(CDefinitions):
    """The walker with its table filled in."""


_Walker.table = Table(_LANGUAGE, _Walker)


def extract_c(data: bytes) -> Facts:
    """Return what one C file says; never raises, whatever the bytes are."""
    parsed = parse_masked(_PARSER, data)
    walker = _Walker(parsed.data)
    for item in parsed.root.named_children:
        walker.top(item)
    return Facts(
        language="c",
        line_count=count_lines(data),
        definitions=tuple(walker.definitions),
        imports=tuple(walker.imports),
        scopes=tuple(body.scope() for body in walker.bodies),
        markers=markers_in(data, parsed.root, walker.comments),
        doc=first_comment(data),
        error_count=parsed.errors,
        notes=tuple(sorted(walker.notes | parsed.notes)),
    )


def first_comment(data: bytes) -> str:
    """Return the comment that a file begins with, unless it is its licence."""
    found = _FIRST_COMMENT.match(data)
    text = doc_text(found.group().strip().decode("utf-8", "replace"), inner=False) if found else ""
    return "" if _LICENCE.search(text) else text
