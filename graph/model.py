"""The words of the graph: nodes, edges, provenance, keys. Frozen structs without behaviour; nothing touches a file.

The rule that must stay true: every edge says how it is known (`Provenance`) and how sure that is (`confidence`).
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

__all__ = ["Edge", "EdgeKind", "Node", "NodeKind", "Provenance", "file_key", "symbol_key"]


class NodeKind(StrEnum):
    """What a node is. `test` is not a kind of its own: a test is a function or method with `Node.is_test`."""

    FILE = "file"
    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    STRUCT = "struct"
    ENUM = "enum"
    FUNCTION = "function"
    METHOD = "method"
    VARIABLE = "variable"
    TYPE = "type"
    MACRO = "macro"
    SECTION = "section"
    ADR = "adr"
    MARKER = "marker"


class EdgeKind(StrEnum):
    """What an edge says of its two ends; it always reads `src KIND dst`."""

    CONTAINS = "contains"
    IMPORTS = "imports"
    CALLS = "calls"
    INHERITS = "inherits"
    IMPLEMENTS = "implements"
    OVERRIDES = "overrides"
    REFERENCES = "references"
    TESTS = "tests"
    DOCUMENTS = "documents"
    MENTIONS = "mentions"


class Provenance(StrEnum):
    """How an edge is known; these three are the whole list on purpose."""

    DERIVED = "derived"
    """Resolved by the language's rules or bounded value flow. Confidence 1 for one target, 1/n for n real ones."""
    AUTHORED = "authored"
    """A person wrote it down: a link in a document, an annotation."""
    INFERRED = "inferred"
    """A candidate, such as a match by name. Never counted or shown as a caller unless asked for."""


class Node(Struct, frozen=True, kw_only=True):
    """A thing in the repository. Lines are 1-based and inclusive; a file node has lines 0..number of lines."""

    key: str
    """Stable and readable: `sym:python:src/app/core.py#App.run`, `file:src/app/core.py`, `doc:README.md#install`."""
    kind: NodeKind
    name: str
    """The simple name."""
    qualname: str
    """The name with its enclosers, dotted, without the module: `App.run`."""
    path: str
    """Relative to the root, with `/`."""
    language: str
    start_line: int
    """The first line, decorators and annotations included; 0 for a file."""
    end_line: int
    name_line: int = 0
    """The line that the name stands on."""
    signature: str = ""
    """One line as a reader would write it, without the body, at most 300 characters."""
    doc: str = ""
    """The doc comment, cut to 2,000 characters."""
    parent: str | None = None
    """The key of the node that contains this one."""
    is_test: bool = False
    is_exported: bool = True


class Edge(Struct, frozen=True, kw_only=True):
    """A fact between two nodes, with every line (in the file of `src`) that it stands on, sorted."""

    src: str
    dst: str
    kind: EdgeKind
    provenance: Provenance = Provenance.DERIVED
    confidence: float = 1.0
    lines: tuple[int, ...] = ()


def symbol_key(language: str, path: str, qualname: str, ordinal: int = 1) -> str:
    """Return the key of a symbol; the second definition of the same name in a file has ordinal 2 and ends in `~2`."""
    suffix = f"~{ordinal}" if ordinal > 1 else ""
    return f"sym:{language}:{path}#{qualname}{suffix}"


def file_key(path: str) -> str:
    """Return the key of a file."""
    return f"file:{path}"
