"""The facts of a Rust file.

One pass over the syntax tree of tree-sitter-rust. Parsing never fails: what is broken becomes an error node, and what
stands around it is still read. Facts depend on the bytes alone; where the file stands in its crate is decided in
resolution.
"""

from __future__ import annotations

import tree_sitter_rust
from tree_sitter import Language, Parser

from graph.extract.facts import Facts
from graph.extract.rust_definitions import RustWalker
from graph.extract.slash_comments import count_errors, count_lines, doc_text, markers_in
from graph.extract.tree_walk import Table

__all__ = ["extract_rust"]

_LANGUAGE = Language(tree_sitter_rust.language())
_PARSER = Parser(_LANGUAGE)


class _Walker(RustWalker):
    """The walker with its table filled in."""


_Walker.table = Table(_LANGUAGE, _Walker)


def extract_rust(data: bytes) -> Facts:
    """Return what one Rust file says; never raises, whatever the bytes are."""
    root = _PARSER.parse(data).root_node
    walker = _Walker(data)
    walker.file(root)
    return Facts(
        language="rust",
        line_count=count_lines(data),
        definitions=tuple(walker.definitions),
        imports=tuple(walker.imports),
        scopes=tuple(body.scope() for body in walker.bodies),
        markers=markers_in(data, root, walker.comments),
        doc=_head(data),
        error_count=count_errors(root),
        notes=tuple(sorted(walker.notes)),
    )


def _head(data: bytes) -> str:
    """Return the documentation of the module itself: the lines of `//!` at the top."""
    lines: list[bytes] = []
    for line in data[:20_000].split(b"\n"):
        stripped = line.strip()
        if stripped.startswith((b"//!", b"/*!")):
            lines.append(stripped)
        elif stripped and not stripped.startswith((b"//", b"#!", b"*")):
            break
    return doc_text(b"\n".join(lines).decode("utf-8", "replace"), inner=True)
