"""Macros of Rust: what is called in the arguments of macros that take expressions; all others are noted.

Arguments are tokens, not a tree, so calls are read from them by their shape: a path or a chain of fields with
parentheses behind it. Only macros that are known to take expressions are read so; what others make of their tokens only
the compiler knows.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, Name
from graph.extract.python_scopes import UNKNOWN
from graph.extract.rust_patterns import RustPatterns
from graph.extract.tree_walk import MAX_DEPTH, MAX_ITEMS

__all__ = ["RustMacros"]

_TAKES_EXPRESSIONS = frozenset(
    {
        "anyhow", "assert", "assert_eq", "assert_matches", "assert_ne", "bail", "dbg", "debug", "debug_assert",
        "debug_assert_eq", "debug_assert_ne", "ensure", "eprint", "eprintln", "error", "format", "format_args", "info",
        "log", "matches", "panic", "print", "println", "ready", "todo", "trace", "try", "unimplemented", "unreachable",
        "vec", "warn", "write", "writeln",
    }
)  # fmt: skip

_TAKES_NO_CODE = frozenset(
    {
        "cfg", "column", "compile_error", "concat", "env", "file", "include", "include_bytes", "include_str", "line",
        "module_path", "option_env", "stringify",
    }
)  # fmt: skip

_NAMES = frozenset({"identifier", "self", "crate", "super", "metavariable", "primitive_type"})
_TEXTS = frozenset({"string_literal", "raw_string_literal"})
_MAX_NOTES = 30


class RustMacros(RustPatterns):
    """Walks invocations of macros."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._unread: set[str] = set()

    def on_macro_invocation(self, node: Node) -> Expr:
        path, tokens = (
            node.child_by_field_name("macro"),
            next((part for part in self.parts(node) if self.kind(part) == "token_tree"), None),
        )
        if path is None or tokens is None:
            return UNKNOWN
        return self._invoked(self.expr(path), node.start_point[0] + 1, tokens)

    def _invoked(self, path: Expr, start: int, tokens: Node) -> Expr:
        """Record an invocation: a call of the name with its `!`, which is a name space of its own."""
        line = path.line if isinstance(path, Attribute) else start
        name = path.name if isinstance(path, Attribute) else path.id if isinstance(path, Name) else ""
        macro: Expr = Attribute(path.base, f"{name}!", line) if isinstance(path, Attribute) else Name(f"{name}!")
        arguments: tuple[Expr, ...] = ()
        if name in _TAKES_EXPRESSIONS:
            arguments = self.token_values(tokens)
        elif name not in _TAKES_NO_CODE:
            self._note(name)
        call = CallExpr(macro, line, arguments, start_line=0 if start == line else start)
        self.body.calls.append(call)
        return Collection("list", arguments[:MAX_ITEMS]) if name == "vec" else call

    def _note(self, name: str) -> None:
        if name not in self._unread and len(self._unread) < _MAX_NOTES:
            self._unread.add(name)
            self.notes.add(f"what the macro `{name[:60]}!` makes of its arguments was not followed")

    def token_values(self, tree: Node) -> tuple[Expr, ...]:
        """Return the values between the commas of a token tree; the calls in it are recorded."""
        if self.depth > MAX_DEPTH:
            return ()
        self.depth += 1
        reader = _Tokens(self)
        for token in tree.children[1:-1]:
            reader.take(token)
        self.depth -= 1
        return reader.finish()

    def invoked_in_tokens(self, path: Expr, line: int, tokens: Node) -> Expr:
        """Record a macro that is invoked in the arguments of another one."""
        return self._invoked(path, line, tokens)


class _Tokens:
    """Reads paths, chains and calls out of a run of tokens."""

    def __init__(self, walker: RustMacros) -> None:
        self._walker = walker
        self._values: list[Expr] = []
        self._current: Expr | None = None
        self._node: Node | None = None
        self._joint = ""
        """What stands between the current value and what comes: `.`, `::`, `!`, or nothing."""

    def take(self, token: Node) -> None:
        kind = self._walker.kind(token)
        if kind in _NAMES:
            self._name(token)
        elif kind == "token_tree":
            self._tree(token)
        elif kind in (".", "::"):
            self._joint = kind if self._current is not None else ""
        elif kind == "!" and isinstance(self._current, Name | Attribute) and not self._joint:
            self._joint = "!"
        elif kind in _TEXTS:
            self._begin(self._walker.expr(token), token)
        elif kind == "?" or (kind == "integer_literal" and self._joint == "."):
            self._joint = ""
        elif kind == ",":
            self._values.append(self._current if self._current is not None else UNKNOWN)
            self._begin(None, None)
        elif kind not in ("&", "mut", "*"):
            self._begin(UNKNOWN, None)

    def finish(self) -> tuple[Expr, ...]:
        """Return the values."""
        last = self._current
        self._begin(None, None)
        return (*self._values, last) if last is not None else tuple(self._values)

    def _begin(self, value: Expr | None, node: Node | None) -> None:
        if isinstance(self._current, Name | Attribute) and self._node is not None:
            self._walker.mention(self._current, self._node)
        self._current, self._node, self._joint = value, node, ""

    def _name(self, token: Node) -> None:
        line = token.start_point[0] + 1
        if self._joint in (".", "::") and self._current is not None:
            self._current = Attribute(self._current, self._walker.text(token), line)
            self._node, self._joint = token, ""
        else:
            self._begin(self._walker.name(token), token)

    def _tree(self, token: Node) -> None:
        opening = self._walker.data[token.start_byte : token.start_byte + 1]
        current, joint = self._current, self._joint
        if joint == "!" and current is not None:
            line = self._node.start_point[0] + 1 if self._node is not None else token.start_point[0] + 1
            self._current, self._node = self._walker.invoked_in_tokens(current, line, token), None
            self._joint = ""
            return
        values = self._walker.token_values(token)
        if opening == b"(" and not joint and isinstance(current, Name | Attribute | CallExpr):
            line = self._node.start_point[0] + 1 if self._node is not None else token.start_point[0] + 1
            call = CallExpr(current, line, values)
            self._walker.body.calls.append(call)
            self._current, self._node = call, None
        elif opening == b"(" and current is None and len(values) == 1:
            self._begin(values[0], None)
        elif opening == b"[" and current is None:
            self._begin(Collection("list", values[:MAX_ITEMS]), None)
        else:
            self._begin(Constant("template") if opening == b"{" else UNKNOWN, None)
