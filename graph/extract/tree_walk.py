"""One pass over a syntax tree, for languages whose definitions may stand far from the type that they belong to.

It knows no syntax: a subclass has a method `on_KIND` for each kind of node that means something to it; other nodes are
walked for what is inside them. The rules that must stay true: a node is visited once, never deeper than `MAX_DEPTH`,
and every call is recorded in the body it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tree_sitter import Language, Node

from graph.extract.facts import Assign, Attribute, Constant, Definition, Expr, Import, Name, Union
from graph.extract.python_scopes import UNKNOWN, Body
from graph.extract.slash_comments import doc_above
from graph.model import NodeKind

__all__ = ["MAX_DEPTH", "MAX_ITEMS", "MAX_SIGNATURE", "Handler", "Table", "TreeWalker"]

MAX_DEPTH = 150
"""Nested nodes that are followed. A level takes two or three frames of the 1,000 that CPython allows."""

MAX_SIGNATURE = 300

MAX_ITEMS = 256
"""Longer literals are data; the rest of their items is walked for calls but not kept."""

_MAX_TEXT = 60
_MAX_NAME = 120
_MAX_QUALNAME = 400
_ERROR_KIND = 0xFFFF
"""The kind that tree-sitter gives to what it could not parse."""

Handler: TypeAlias = Callable[[Any, Node], Expr]


class Table:
    """The handlers of a walker by the numeric kind of a node: reading `node.type` as text costs more than a handler."""

    __slots__ = ("handlers", "kinds")

    def __init__(self, language: Language, walker: type) -> None:
        count = language.node_kind_count
        self.kinds = [language.node_kind_for_id(kind) or "" for kind in range(count)]
        named = [language.node_kind_is_named(kind) for kind in range(count)]
        self.handlers: list[Handler | None] = [
            getattr(walker, f"on_{name}", None) if is_named else None
            for name, is_named in zip(self.kinds, named, strict=True)
        ]
        self.kinds.extend(["ERROR"] * (_ERROR_KIND + 1 - count))
        self.handlers.extend([None] * (_ERROR_KIND + 1 - count))


class TreeWalker:
    """The state of a pass, and the words in which the walkers of a language write down what they meet."""

    table: Table
    comments: frozenset[str] = frozenset({"comment"})
    """The kinds of nodes that are comments."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.depth: int = 0
        self.bodies: list[Body] = [Body("module", 0, None, "")]
        self.body = self.bodies[0]
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.notes: set[str] = set()
        self._ordinals: dict[str, int] = {}
        self._names: dict[bytes, Name] = {}
        self._handlers = self.table.handlers
        self._kinds = self.table.kinds

    # -- the door -------------------------------------------------------------------------------------------------

    def top(self, node: Node) -> None:
        """Walk one item of the file; a broken one that has lost its parts is noted and left."""
        try:
            self.expr(node)
        except (IndexError, ValueError):
            # Recovery may leave any node without the children its grammar promises; checking each of them on the hot
            # path would slow every sound file down for the sake of broken ones.
            self.notes.add("a broken item was not understood")
            self.depth = 0
            self.body = self.bodies[0]
            self.body.flow = 0

    def expr(self, node: Node) -> Expr:
        """Walk a node and return what its value is, as far as it is followed."""
        if self.depth > MAX_DEPTH:
            self.notes.add(f"what is nested deeper than {MAX_DEPTH} levels was not followed")
            return UNKNOWN
        self.depth += 1
        handler = self._handlers[node.kind_id]
        value = handler(self, node) if handler else self.walk(node)
        self.depth -= 1
        return value

    def walk(self, node: Node) -> Expr:
        """Walk the parts of a node whose value is not followed."""
        for child in node.named_children:
            self.expr(child)
        return UNKNOWN

    def under(self, flow: int, nodes: Sequence[Node]) -> None:
        """Walk nodes that run no more surely than `flow` (see `Assign.flow`)."""
        body = self.body
        before = body.flow
        body.flow = max(before, flow)
        for node in nodes:
            self.expr(node)
        body.flow = before

    # -- reading --------------------------------------------------------------------------------------------------

    def kind(self, node: Node) -> str:
        """Return the kind of a node, from a table that is read faster than `node.type`."""
        return self._kinds[node.kind_id]

    def text(self, node: Node) -> str:
        """Return the source text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def parts(self, node: Node) -> list[Node]:
        """Return the named children that are no comments."""
        return [child for child in node.named_children if self.kind(child) not in self.comments]

    def name(self, node: Node) -> Name:
        """Return the text of a node as a name; equal names are one object."""
        raw = self.data[node.start_byte : node.end_byte]
        found = self._names.get(raw)
        if found is None:
            found = self._names[raw] = Name(raw.decode("utf-8", "replace"))
        return found

    def short_text(self, node: Node) -> str:
        """Return the text of a literal that may be a key, empty when it is too long to be one."""
        return self.text(node) if node.end_byte - node.start_byte <= _MAX_TEXT else ""

    def string(self, node: Node) -> Constant:
        """Return a string literal without its quotes."""
        inner = node.named_children
        if not inner:
            return Constant("str")
        return Constant("str", self.short_text(inner[0]) if len(inner) == 1 else "")

    # -- writing down ---------------------------------------------------------------------------------------------

    def mention(self, value: Expr, node: Node) -> Expr:
        """Record that a value is handed on rather than called, and return it."""
        if isinstance(value, Name | Attribute):
            line = value.line if isinstance(value, Attribute) and value.line else node.start_point[0] + 1
            self.body.references.append((value, line))
        return value

    def joined(self, node: Node, left: str, right: str) -> Expr:
        """Return the union of a chain of operators; chains lean left and can be thousands long, so no recursion."""
        options: list[Expr] = []
        kind = node.kind_id
        while node.kind_id == kind:
            first, last = node.child_by_field_name(left), node.child_by_field_name(right)
            if first is None or last is None:
                break
            options.append(self.expr(last))
            node = first
        options.append(self.walk(node) if node.kind_id == kind else self.expr(node))
        known = tuple(option for option in reversed(options) if option is not UNKNOWN)
        return Union(known) if known else UNKNOWN

    def enter(self, kind: str, prefix: str, definition: int = -1) -> Body:
        """Open a body and make it the current one; the caller sets `self.body` back."""
        self.body = self.open(kind, prefix, definition)
        return self.body

    def open(self, kind: str, prefix: str, definition: int = -1) -> Body:
        """Make a body inside the current one; `prefix` stands before the names defined in it."""
        body = Body(kind, len(self.bodies), self.body, _shortened(prefix, _MAX_QUALNAME), definition)
        self.bodies.append(body)
        return body

    def assign(self, target: Expr, value: Expr, line: int, how: str = "value") -> None:
        """Record an assignment in the current body."""
        self.body.assigns.append(Assign(target, value, how, line, self.body.flow))

    def define(  # noqa: PLR0913 - a definition has this many parts; each caller names them
        self,
        kind: NodeKind,
        name_node: Node,
        node: Node,
        *,
        name: str = "",
        first: Node | None = None,
        body_node: Node | None = None,
        doc: str | None = None,
        scope: int = -1,
        annotation: Expr | None = None,
        bases: tuple[Expr, ...] = (),
        implements: tuple[Expr, ...] = (),
        decorators: tuple[Expr, ...] = (),
        modifiers: tuple[str, ...] = (),
        exported: bool = True,
        is_test: bool = False,
        signature: str | None = None,
    ) -> int:
        """Append a definition to the current body and return its index.

        `first` is where its attributes begin; `doc` is what stands above that when it is not given.
        """
        name = _shortened(name or self.text(name_node), _MAX_NAME)
        qualname = _shortened(self.body.qualname + name, _MAX_QUALNAME)
        ordinal = self._ordinals[qualname] = self._ordinals.get(qualname, 0) + 1
        top = first or node
        self.definitions.append(
            Definition(
                kind=kind,
                name=name,
                qualname=qualname,
                start_line=min(top.start_point[0], name_node.start_point[0]) + 1,
                end_line=max(node.end_point[0], name_node.end_point[0]) + 1,
                name_line=name_node.start_point[0] + 1,
                signature=self.signature(node, body_node) if signature is None else signature[:MAX_SIGNATURE],
                doc=doc_above(self.data, top.start_byte) if doc is None else doc,
                scope=scope,
                owner=self.body.number,
                bases=bases,
                implements=implements,
                decorators=decorators,
                annotation=annotation,
                modifiers=tuple(sorted(modifiers)),
                exported=exported,
                is_test=is_test,
                ordinal=ordinal,
            )
        )
        return len(self.definitions) - 1

    def signature(self, node: Node, body_node: Node | None) -> str:
        """Return the head of a definition on one line, without its body."""
        end = body_node.start_byte if body_node is not None else node.end_byte
        raw = self.data[node.start_byte : min(end, node.start_byte + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
        lines = raw.splitlines()
        if len(lines) > 1:
            lines = [line.split(" //", 1)[0] for line in lines]
        text = " ".join(" ".join(lines).split()).rstrip(" {;,")
        return text.replace("( ", "(").replace(", )", ")").replace(" )", ")")[:MAX_SIGNATURE]

    def first_line(self, node: Node) -> str:
        """Return the first line of a node as the signature of what it declares."""
        text = self.data[node.start_byte : min(node.end_byte, node.start_byte + MAX_SIGNATURE)]
        return (text.decode("utf-8", "replace").splitlines() or [""])[0].rstrip(" {,;")


def _shortened(text: str, limit: int) -> str:
    """Leave out the middle of a name that no person wrote: nested deeply, all names together would be quadratic."""
    return text if len(text) <= limit else f"{text[: limit // 2]}~{text[-limit // 2 + 1 :]}"
