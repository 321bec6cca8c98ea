"""The state of one pass over a JavaScript or TypeScript syntax tree: open scopes, definitions, deferred subtrees.

It knows no syntax: what a kind of node means stands in the sibling modules, reached through the table `handlers`.
The rule that must stay true: every node is visited at most once, and never deeper than `DEPTH_LIMIT` handlers, so
neither a long file nor a deep one can overflow the stack or take more than linear time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, TypedDict, Unpack

from tree_sitter import Node

from graph.extract.facts import (
    Assign,
    Attribute,
    CallExpr,
    ClassRef,
    Collection,
    Constant,
    Definition,
    Expr,
    FunctionRef,
    Import,
    Name,
    Parameter,
    Subscript,
    Union,
    Unknown,
)
from graph.extract.javascript_comments import Comments
from graph.model import NodeKind

__all__ = ["DEPTH_LIMIT", "UNKNOWN", "Extras", "Handler", "ScopeDraft", "Walk", "first_named", "last_named"]

DEPTH_LIMIT = 80
"""Handlers on the stack at most. One takes up to seven Python frames; the interpreter allows 1,000 in all."""

NAME_LIMIT = 120
QUALNAME_LIMIT = 400
"""Characters of a name, and of a name with its enclosers; the middle of a longer one is left out.

Generated code nests deeply enough to make the sum of all names quadratic; ordinals keep shortened ones apart.
"""

UNKNOWN = Unknown()
_IN = Name("<in>")
"""`<in>[x]` is what `x` means in another scope."""

Handler: TypeAlias = "Callable[[Walk, Node], Expr]"


@dataclass(slots=True)
class ScopeDraft:
    """A scope while it is being filled; see `facts.Scope` for the fields."""

    kind: str
    parent: int
    prefix: str
    """What stands before the name of a definition made here: empty, or `Outer.inner.`."""
    definition: int = -1
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    assigns: list[Assign] = field(default_factory=list[Assign])
    calls: list[CallExpr] = field(default_factory=list[CallExpr])
    returns: list[Expr] = field(default_factory=list[Expr])
    yields: list[Expr] = field(default_factory=list[Expr])
    references: list[tuple[Expr, int]] = field(default_factory=list[tuple[Expr, int]])
    return_annotation: Expr | None = None
    is_generator: bool = False
    is_async: bool = False
    declared: set[str] = field(default_factory=set[str])
    """Names that a declaration, a parameter or a pattern of one gives a place in this scope."""
    written: set[str] = field(default_factory=set[str])
    """Names that are assigned to without being declared: those that this scope does not declare lie further out."""
    is_writing: bool = False
    """The target being assigned was declared elsewhere: `x = 1`, not `let x = 1`."""
    takes_all: bool = False
    """The function reads `arguments`."""
    flow: int = 0
    """What `Assign.flow` is at the place being read."""
    span: tuple[int, int] = (0, -1)
    """The bytes from where to where a function stands; all of the file where the end is negative."""


class Extras(TypedDict, total=False):
    """What a definition may have beside its kind, name and node; see `facts.Definition`."""

    start_line: int
    """Where decorators begin above the node."""
    signature_start: int
    body_start: int
    """The bytes between which the signature stands; -1 for the whole node."""
    prefix: str | None
    """What stands before the name in the qualname; the prefix of the scope when it is not given."""
    scope: int
    owner: int
    modifiers: tuple[str, ...]
    annotation: Expr | None
    bases: tuple[Expr, ...]
    implements: tuple[Expr, ...]
    decorators: tuple[Expr, ...]


def first_named(node: Node) -> Node | None:
    """Return the first named child that is no comment, if there is one (`Node.named_child` raises)."""
    return next((child for child in node.named_children if child.type != "comment"), None)


def last_named(node: Node) -> Node | None:
    """Return the last named child that is no comment, if there is one."""
    return next((child for child in reversed(node.named_children) if child.type != "comment"), None)


class Walk:
    """One pass over one file."""

    def __init__(self, data: bytes, comments: Comments, handlers: dict[str, Handler], *, typed: bool) -> None:
        self.data = data
        self.comments = comments
        self.handlers = handlers
        self.typed = typed
        """TypeScript: annotations count, types in doc comments do not."""
        self.scopes: list[ScopeDraft] = [ScopeDraft("module", -1, "")]
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.exports: list[tuple[str, Expr]] = []
        self.generics: dict[str, Expr] = {}
        """Type parameters in sight, each with its bound: generics are erased to it."""
        self.is_exporting = False
        """The declaration being visited stands behind `export`."""
        self.literal_prefix: str | None = None
        """What stands before the members of the object literal or object type visited next, when it has a name."""
        self.statement_start = -1
        """The byte where the statement begins that makes the next definition: `export const` before `f = ...`."""
        self.component: tuple[int, str, int, Node] | None = None
        """A function that is handed over and still gets a name: the id of its node, the name, its line, the whole."""
        self.decorators: tuple[Expr, ...] = ()
        """Decorators written before `export`, for the class behind it."""
        self.current = 0
        self.scope = self.scopes[0]
        self.error_count = 0
        self._depth = 0
        self._names: dict[str, Name] = {}
        self._ordinals: dict[str, int] = {}
        self._deferred: list[tuple[Node, int]] = []
        self._temporaries = 0

    def run(self, root: Node) -> None:
        """Visit everything, the parts that lay too deep for one descent last."""
        self.visit_all(root.named_children)
        while self._deferred:
            node, scope = self._deferred.pop()
            self.enter(scope)
            self._depth = 0
            self.visit(node)

    def visit(self, node: Node) -> Expr:
        """Return what an expression stands for (`UNKNOWN` for statements) and record everything inside it."""
        handler = self.handlers.get(node.type)
        if self._depth >= DEPTH_LIMIT:
            self._deferred.append((node, self.current))
            return UNKNOWN
        self._depth += 1
        try:
            if handler is not None:
                return handler(self, node)
            self.error_count += node.is_error
            self.visit_all(node.named_children)
            return UNKNOWN
        finally:
            self._depth -= 1

    def visit_all(self, nodes: list[Node]) -> None:
        """Visit nodes for what they record, whatever they stand for."""
        for node in nodes:
            self.visit(node)

    def value(self, node: Node) -> Expr:
        """Visit an expression that is passed on (an argument, a result, an element) and so refers to what it names."""
        expr = self.visit(node)
        self.refer(expr, node)
        return expr

    def refer(self, expr: Expr, node: Node) -> None:
        """Record the names and attributes that an expression at `node` passes on."""
        match expr:
            case Name():
                self.scope.references.append((expr, node.start_point[0] + 1))
            case Attribute(line=line):
                self.scope.references.append((expr, line))
            case Union(options=options):
                for option in options:
                    self.refer(option, node)
            case CallExpr(function=Attribute(base=Name() | Attribute() as bound, name="bind")):
                self.refer(bound, node)  # handed on with its receiver
            case _:
                pass

    def is_too_deep(self) -> bool:
        """Whether a descent that does not go through `visit` (types, patterns) must stop here."""
        return self._depth >= DEPTH_LIMIT

    def descend(self, steps: int) -> None:
        """Count handlers that do not go through `visit`; call it again with the negative number afterwards."""
        self._depth += steps

    def text(self, node: Node) -> str:
        """Return the source of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def name(self, text: str) -> Name:
        """Return the shared `Name` of a text."""
        known = self._names.get(text)
        if known is None:
            known = self._names[text] = Name(text)
        return known

    def frame(self) -> ScopeDraft:
        """Return the scope that what is not declared by a block belongs to: the function around it, or the module."""
        scope = self.scope
        while scope.kind == "block":
            scope = self.scopes[scope.parent]
        return scope

    def _binder(self, name: str) -> ScopeDraft:
        """Return the block around that declares a name, else the function."""
        scope = self.scope
        while scope.kind == "block" and name not in scope.declared:
            scope = self.scopes[scope.parent]
        return scope

    def given_back(self, expr: Expr) -> Expr:
        """Return a result as the function around the blocks at hand can read it."""
        if self.scope.kind != "block" or isinstance(expr, FunctionRef | ClassRef | Constant | Unknown):
            return expr
        return Subscript(_IN, Collection("in", (expr,), scope=self.current))

    def temporary(self) -> Name:
        """Return a name that no source can write, for a value that is taken apart."""
        self._temporaries += 1
        return Name(f"<{self._temporaries}>")

    def assign(self, target: Expr, value: Expr, line: int, how: str = "value") -> None:
        """Record `target = value` in the current scope."""
        scope = self.scope
        if isinstance(target, Name):
            if how.startswith(("narrow", "holds")):
                scope = self._binder(target.id)
            elif scope.is_writing:
                scope.written.add(target.id)
            elif scope.kind == "block" and target.id not in scope.declared and target.id[:1] != "<":
                scope.written.add(target.id)  # `var`, the names of loops and of `catch`
                self._binder(target.id).declared.add(target.id)
            else:
                scope.declared.add(target.id)
        scope.assigns.append(Assign(target, value, how, line, self.scope.flow))

    def takes_all_arguments(self) -> None:
        """Note that the function around the current place reads `arguments`; arrow functions have none of their own."""
        scope = self.scope
        while scope.kind != "function" and scope.parent >= 0:
            scope = self.scopes[scope.parent]
        scope.takes_all = scope.kind == "function"

    def call(self, call: CallExpr) -> CallExpr:
        """Record a call in the current scope and return it."""
        self.scope.calls.append(call)
        return call

    def open_scope(self, kind: str, definition: int = -1, prefix: str | None = None) -> tuple[int, int]:
        """Enter a new scope; return its number, and the number of the scope to `enter` at its end."""
        outer = self.current
        self.current = len(self.scopes)
        self.scope = ScopeDraft(kind, outer, self.scope.prefix if prefix is None else prefix, definition)
        self.scopes.append(self.scope)
        return self.current, outer

    def enter(self, scope: int) -> None:
        """Make a scope that exists current: the outer one to close a scope, or an open one to add to it."""
        self.current = scope
        self.scope = self.scopes[scope]

    def next_scope(self) -> int:
        """Return the number that the next opened scope will have."""
        return len(self.scopes)

    def _signature(self, start: int, end: int) -> str:
        """Return the source between two bytes as one line, without what opens the body."""
        head = " ".join(self.data[start : min(end, start + 1200)].decode("utf-8", "replace").split())
        return head.rstrip(" {").removesuffix("=>").rstrip(" =")[:300]

    def define(self, kind: NodeKind, name: str, node: Node, name_line: int, **extras: Unpack[Extras]) -> int:
        """Add a definition to the current scope and return its index; `node` is all of it."""
        prefix = extras.get("prefix")
        qualname = (self.scope.prefix if prefix is None else prefix) + name[:NAME_LIMIT]
        if len(qualname) > QUALNAME_LIMIT:
            qualname = f"{qualname[:NAME_LIMIT]}...{qualname[-NAME_LIMIT:]}"
        ordinal = self._ordinals[qualname] = self._ordinals.get(qualname, 0) + 1
        first_line = extras.get("start_line") or node.start_point[0] + 1
        start, body = extras.get("signature_start", -1), extras.get("body_start", -1)
        start = start if start >= 0 else self.statement_start
        self.statement_start = -1
        self.definitions.append(
            Definition(
                kind=kind,
                name=name,
                qualname=qualname,
                start_line=first_line,
                end_line=node.end_point[0] + 1,
                name_line=name_line,
                signature=self._signature(
                    node.start_byte if start < 0 else start, body if body >= 0 else node.end_byte
                ),
                doc=self.comments.doc_above(first_line),
                scope=extras.get("scope", -1),
                owner=extras.get("owner", self.current),
                bases=extras.get("bases", ()),
                implements=extras.get("implements", ()),
                decorators=extras.get("decorators", ()),
                annotation=extras.get("annotation"),
                modifiers=tuple(sorted(extras.get("modifiers", ()))),
                exported=self.is_exporting,
                ordinal=ordinal,
            )
        )
        return len(self.definitions) - 1
