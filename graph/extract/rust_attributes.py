"""What the attributes above a Rust item say of it: tests, conditions, derived traits, where a module's file is."""

from __future__ import annotations

import re

from msgspec import Struct
from tree_sitter import Node

from graph.extract.facts import Attribute, Expr, Name
from graph.extract.slash_comments import doc_above

__all__ = ["Attributes", "read_attributes"]

_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\s*::\s*[A-Za-z_][A-Za-z0-9_]*)*")
_STRING = re.compile(r'"([^"\\\n]{1,300})"')
_TEST_CONDITION = re.compile(r"\((?:.*[(,\s])?test\b")
_TESTS = frozenset({"test", "rstest", "test_case", "quickcheck", "bench", "wasm_bindgen_test", "test_log"})
_MAX_TEXT = 2_000


class Attributes(Struct):
    """The attributes of one item."""

    first: Node | None = None
    """The first attribute, where the item begins."""
    decorators: tuple[Expr, ...] = ()
    """The paths of attributes, and the traits that `derive` names."""
    modifiers: tuple[str, ...] = ()
    is_test: bool = False
    path: str = ""
    """What `#[path = "..."]` says of a module."""

    def doc(self, data: bytes, node: Node) -> str:
        """Return the doc comment above the attributes, else the one between them and the item."""
        above = doc_above(data, self.first.start_byte) if self.first is not None else ""
        return above or doc_above(data, node.start_byte)


def read_attributes(data: bytes, nodes: list[Node]) -> Attributes:
    """Return what a run of attributes says."""
    if not nodes:
        return Attributes()
    found = Attributes(first=nodes[0])
    decorators: list[Expr] = []
    modifiers: set[str] = set()
    for node in nodes:
        text = data[node.start_byte : min(node.end_byte, node.start_byte + _MAX_TEXT)].decode("utf-8", "replace")
        inner = text.removeprefix("#").strip().removeprefix("[").removesuffix("]").strip()
        match = _PATH.match(inner)
        if match is None:
            continue
        parts = [part.strip() for part in match.group().split("::")]
        line = node.start_point[0] + 1
        rest = inner[match.end() :]
        match parts[-1]:
            case "derive":
                decorators += [_path(item.group(), line) for item in _PATH.finditer(rest)]
            case "cfg":
                modifiers.add("conditional")
                found.is_test = found.is_test or ("not(test" not in rest and bool(_TEST_CONDITION.match(rest)))
            case "path":
                quoted = _STRING.search(rest)
                found.path = quoted.group(1) if quoted else ""
            case "macro_export":
                modifiers.add("exported")
            case last:
                found.is_test = found.is_test or last in _TESTS
                decorators.append(_path(match.group(), line))
    found.decorators, found.modifiers = tuple(decorators), tuple(modifiers)
    return found


def _path(text: str, line: int) -> Expr:
    first, *rest = [part.strip() for part in text.split("::")]
    value: Expr = Name(first)
    for part in rest:
        value = Attribute(value, part, line)
    return value
