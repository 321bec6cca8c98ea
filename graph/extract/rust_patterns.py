"""Patterns of Rust: what they bind, and how that is taken out of the value.

`Some(x)` and `Ok(x)` bind x to the value itself: options and results are taken for what they hold, as `?` and `unwrap`
take them. A part of another variant is `value[variant]`, see `Constant`.
"""

from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, Constant, Expr, Name, Subscript
from graph.extract.python_scopes import UNKNOWN
from graph.extract.rust_types import RustTypes
from graph.extract.tree_walk import MAX_DEPTH

__all__ = ["RustPatterns"]

_TRANSPARENT = frozenset({"Some", "Ok"})


class RustPatterns(RustTypes):
    """Walks patterns."""

    def pattern(self, node: Node, value: Expr, line: int, how: str = "value") -> None:
        """Record what a pattern binds when a value is put into it."""
        if self.depth > MAX_DEPTH:
            return
        self.depth += 1
        self._pattern(node, value, line, how)
        self.depth -= 1

    def _pattern(self, node: Node, value: Expr, line: int, how: str) -> None:
        parts = [part for part in self.parts(node) if self.kind(part) != "mutable_specifier"]
        match self.kind(node):
            case "identifier":
                self._bind(node, value, line, how)
            case "shorthand_field_identifier":
                self.assign(self.name(node), value, line, how)
            case "tuple_pattern" | "slice_pattern":
                for place, part in enumerate(parts):
                    self._place(part, value, line, how, place)
            case "tuple_struct_pattern" if parts:
                self._variant(node, parts, value, line, how)
            case "struct_pattern":
                self._fields(node, parts, value, line, how)
            case "captured_pattern" if parts:
                for part in parts:
                    self.pattern(part, value, line, how)
            case "or_pattern" | "ref_pattern" | "mut_pattern" | "reference_pattern" | "match_pattern":
                for part in parts:
                    self.pattern(part, value, line, how)
            case "scoped_identifier":
                self.mention(self.expr(node), node)
            case "remaining_field_pattern":
                pass
            case "macro_invocation":
                self.expr(node)
            case _:
                self.walk(node)

    def _bind(self, node: Node, value: Expr, line: int, how: str) -> None:
        name = self.name(node)
        if name.id[:1].isupper():
            self.mention(name, node)  # a constant or a variant, by the convention that the compiler warns about
        elif name.id != "_":
            self.assign(name, value, line, how)

    def _place(self, node: Node, value: Expr, line: int, how: str, place: int) -> None:
        """Bind a part known by its place."""
        if self.kind(node) == "identifier":
            self._bind(node, value, line, f"{'unpack' if how == 'value' else how}:{place}" if ":" not in how else how)
        elif how == "value":
            self.pattern(node, Subscript(value, Constant("int", str(place))), line)
        else:
            self.pattern(node, UNKNOWN, line)

    def _variant(self, node: Node, parts: list[Node], value: Expr, line: int, how: str) -> None:
        type_node = node.child_by_field_name("type") or parts[0]
        path = self.type(type_node)
        inner = parts[1:] if parts[0] == type_node else parts
        name = path.id if isinstance(path, Name) else ""
        for place, part in enumerate(inner):
            if name in _TRANSPARENT:
                self.pattern(part, value, line, how)
            elif how == "value" and name != "Err":
                self.pattern(part, Subscript(value, Constant("variant", f"{_dotted(path)}:{place}")), line)
            else:
                self.pattern(part, UNKNOWN, line)

    def _fields(self, node: Node, parts: list[Node], value: Expr, line: int, how: str) -> None:
        self.type(node.child_by_field_name("type"))
        for part in parts:
            if self.kind(part) != "field_pattern":
                continue
            name, inner = part.child_by_field_name("name"), part.child_by_field_name("pattern")
            if name is None:
                continue
            field = self.text(name)
            if inner is None or self.kind(inner) == "identifier":
                target = inner if inner is not None else name
                self.assign(self.name(target), value if how == "value" else UNKNOWN, line, f"field:{field}")
            elif how == "value":
                self.pattern(inner, Attribute(value, field, line), line)
            else:
                self.pattern(inner, UNKNOWN, line)


def _dotted(path: Expr) -> str:
    """Return a path with dots; of a longer one the last two names, which are the enum and its variant."""
    if isinstance(path, Attribute):
        base = path.base
        owner = base.name if isinstance(base, Attribute) else base.id if isinstance(base, Name) else ""
        return f"{owner}.{path.name}"
    return path.id if isinstance(path, Name) else ""
