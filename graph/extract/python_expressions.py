"""Expressions of Python, from syntax nodes to the expression language of the facts.

Every handler walks its whole node, so that each call in it is recorded once in the body it stands in, and returns what
the value is as far as it can be followed. Handlers are found by the numeric kind of a node: this is the hot path of an
index, and reading `node.type` as text costs more than the rest of a handler.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from tree_sitter import Language, Node

from graph.extract.facts import (
    Assign,
    Attribute,
    CallExpr,
    Collection,
    Constant,
    Expr,
    FunctionRef,
    Name,
    Parameter,
    Subscript,
    Union,
)
from graph.extract.python_scopes import UNKNOWN, Body

__all__ = ["ERROR_KIND", "MAX_DEPTH", "MAX_ITEMS", "ExpressionWalker", "handlers_by_kind"]

MAX_DEPTH = 120
"""Nested expressions and blocks are followed so deep. CPython itself stops at 200 brackets and 100 indentations; two
frames a level keep this well inside its default recursion limit."""

ERROR_KIND = 0xFFFF
"""The kind that tree-sitter gives to what it could not parse."""

_MAX_TEXT = 60
"""Longer strings are no dictionary keys or attribute names; their text is dropped."""

MAX_ITEMS = 256
"""Longer literals are data, not dispatch tables; the rest of their items is walked for calls but not kept."""

_MAX_BOUNDS = 12
"""Longer bounds of a slice than `-1000:-1000` select from data."""

_NONE = Constant("none")
_TRUE = Constant("bool", "True")
_FALSE = Constant("bool", "False")
_NUMBER = Constant("float")
_SLICE = Constant("slice")
_SPREAD = Constant("spread")

Handler: TypeAlias = Callable[[Any, Node], Expr]


def handlers_by_kind(language: Language, walker: type) -> list[Handler | None]:
    """Return a table from node kind to the method `expr_KIND` or `stmt_KIND` of the walker, else None."""
    table: list[Handler | None] = []
    for kind in range(language.node_kind_count):
        name = language.node_kind_for_id(kind) if language.node_kind_is_named(kind) else None
        handler = getattr(walker, f"expr_{name}", None) or getattr(walker, f"stmt_{name}", None)
        table.append(handler if name else None)
    table.extend([None] * (ERROR_KIND + 1 - len(table)))
    return table


class ExpressionWalker:
    """Walks expressions; the statements are the subclass's."""

    expressions: list[Handler | None]
    comment_kind: int
    fields: dict[str, int]

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.depth = 0
        self.bodies: list[Body] = [Body("module", 0, None, "")]
        self.body = self.bodies[0]
        self.notes: set[str] = set()
        self.names: dict[bytes, Name] = {}

    # -- the door -------------------------------------------------------------------------------------------------

    def expr(self, node: Node) -> Expr:
        """Return what the value of an expression is; kinds without a handler are walked for their calls."""
        if self.depth > MAX_DEPTH:
            self.notes.add(f"what is nested deeper than {MAX_DEPTH} levels was not followed")
            return UNKNOWN
        self.depth += 1
        handler = self.expressions[node.kind_id]
        value = handler(self, node) if handler else self.walk(node)
        self.depth -= 1
        return value

    def walk(self, node: Node) -> Expr:
        """Walk the parts of a node whose value is not followed."""
        for child in node.named_children:
            self.expr(child)
        return UNKNOWN

    def text(self, node: Node) -> str:
        """Return the source text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def mention(self, value: Expr, node: Node) -> Expr:
        """Record that a value is handed on rather than called, and return it."""
        if isinstance(value, Name | Attribute):
            line = value.line if isinstance(value, Attribute) else node.start_point[0] + 1
            self.body.references.append((value, line))
        return value

    # -- leaves ---------------------------------------------------------------------------------------------------

    def expr_identifier(self, node: Node) -> Expr:
        raw = self.data[node.start_byte : node.end_byte]
        name = self.names.get(raw)
        if name is None:
            name = self.names[raw] = Name(raw.decode("utf-8", "replace"))
        return name

    def expr_comment(self, _node: Node) -> Expr:
        return UNKNOWN

    def expr_none(self, _node: Node) -> Expr:
        return _NONE

    def expr_true(self, _node: Node) -> Expr:
        return _TRUE

    def expr_false(self, _node: Node) -> Expr:
        return _FALSE

    def expr_float(self, _node: Node) -> Expr:
        return _NUMBER

    def expr_integer(self, node: Node) -> Expr:
        return Constant("int", self.text(node)[:20])

    def expr_string(self, node: Node) -> Expr:
        children = node.named_children
        if len(children) == 3 and node.end_byte - node.start_byte <= _MAX_TEXT and children[1].named_child_count == 0:
            return Constant("str", self.text(children[1]))
        for child in children:
            if child.named_child_count:
                self.walk(child)
        return Constant("str")

    def expr_concatenated_string(self, node: Node) -> Expr:
        self.walk(node)
        return Constant("str")

    # -- names of things ------------------------------------------------------------------------------------------

    def expr_attribute(self, node: Node) -> Expr:
        children = node.named_children
        if len(children) < 2:
            return self.walk(node)
        name = children[-1]
        base = self.expr(children[0])
        return Attribute(base, self.text(name), name.start_point[0] + 1)

    def expr_dotted_name(self, node: Node) -> Expr:
        parts = node.named_children
        value: Expr = self.expr_identifier(parts[0]) if parts else UNKNOWN
        for part in parts[1:]:
            value = Attribute(value, self.text(part), part.start_point[0] + 1)
        return value

    def expr_subscript(self, node: Node) -> Expr:
        first, *rest = [child for child in node.named_children if child.kind_id != self.comment_kind]
        base = self.expr(first)
        indices = tuple(self.expr(child) for child in rest)
        return Subscript(base, indices[0] if len(indices) == 1 else Collection("tuple", indices))

    def expr_slice(self, node: Node) -> Expr:
        self.walk(node)
        text = self.text(node) if node.end_byte - node.start_byte <= _MAX_BOUNDS else ""
        return Constant("slice", text) if text and not text.strip("-0123456789:") else _SLICE

    # -- calls ----------------------------------------------------------------------------------------------------

    def expr_call(self, node: Node) -> Expr:
        children = node.named_children
        function_node, arguments_node = children[0], children[-1]
        function = self.expr(function_node)
        start = node.start_point[0] + 1
        line = function.line if isinstance(function, Attribute) and function.line else start
        positional, keywords = self.arguments(arguments_node)
        call = CallExpr(function, line, positional, keywords, start_line=0 if start == line else start)
        self.body.calls.append(call)
        return call

    def arguments(self, node: Node) -> tuple[tuple[Expr, ...], tuple[tuple[str, Expr], ...]]:
        """Return the positional and the keyword arguments; what follows a `*splat` has no known place."""
        positional: list[Expr] = []
        keywords: list[tuple[str, Expr]] = []
        if self.kind_of(node) == "generator_expression":
            return (self.expr(node),), ()
        for child in node.named_children:
            kind = self.kind_of(child)
            if kind == "keyword_argument":
                parts = child.named_children
                value = self.mention(self.expr(parts[-1]), parts[-1])
                keywords.append((self.text(parts[0]), value))
            elif kind == "list_splat":
                self.walk(child)
                positional.append(UNKNOWN)
            elif kind == "dictionary_splat":
                self.walk(child)
            elif kind != "comment":
                positional.append(self.mention(self.expr(child), child))
        return tuple(positional), tuple(keywords)

    kinds: list[str]

    def kind_of(self, node: Node) -> str:
        """Return the kind of a node as text, from a table that is read faster than `node.type`."""
        return self.kinds[node.kind_id]

    # -- erased and joined ----------------------------------------------------------------------------------------

    def expr_parenthesized_expression(self, node: Node) -> Expr:
        value: Expr = UNKNOWN
        for child in node.named_children:
            if child.kind_id != self.comment_kind:
                value = self.expr(child)
        return value

    expr_await = expr_parenthesized_expression
    expr_as_pattern_target = expr_parenthesized_expression
    expr_list_splat = expr_parenthesized_expression
    expr_expression_statement = expr_parenthesized_expression

    def expr_type(self, node: Node) -> Expr:
        """Return a type that stands inside an expression, read like an annotation."""
        return self.annotation(node)

    def expr_yield(self, node: Node) -> Expr:
        value: Expr = UNKNOWN
        for child in node.named_children:
            value = self.mention(self.expr(child), child)
        if any(not child.is_named and child.type == "from" for child in node.children):
            value = Subscript(value, Constant("int"))
        owner = self.function_body()
        owner.is_generator = True
        owner.yields.append(value)
        return UNKNOWN

    def function_body(self) -> Body:
        """Return the body that a walrus or a yield inside a comprehension belongs to."""
        body = self.body
        while body.kind == "comprehension" and body.parent is not None:
            body = body.parent
        return body

    def expr_binary_operator(self, node: Node) -> Expr:
        return self.joined(node)

    def joined(self, node: Node) -> Expr:
        """Return the union of a chain of operators; chains lean left and can be thousands long, so no recursion."""
        options: list[Expr] = []
        kind = node.kind_id
        while node.kind_id == kind:
            parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
            if len(parts) < 2:
                break
            options.append(self.expr(parts[-1]))
            node = parts[0]
        options.append(self.expr(node))
        known = tuple(option for option in reversed(options) if option is not UNKNOWN)
        return Union(known) if known else UNKNOWN

    def expr_conditional_expression(self, node: Node) -> Expr:
        values = [self.expr(child) for child in node.named_children if child.kind_id != self.comment_kind]
        return Union((values[0], values[-1])) if len(values) == 3 else UNKNOWN

    def expr_named_expression(self, node: Node) -> Expr:
        parts = node.named_children
        value = self.mention(self.expr(parts[-1]), parts[-1])
        owner = self.function_body()
        line = node.start_point[0] + 1
        owner.assigns.append(Assign(self.expr_identifier(parts[0]), value, line=line, flow=max(owner.flow, 1)))
        return value

    # -- literals -------------------------------------------------------------------------------------------------

    def items(self, node: Node, kind: str) -> Expr:
        values = [
            self.mention(self.expr(child), child) for child in node.named_children if child.kind_id != self.comment_kind
        ]
        return Collection(kind, tuple(values[:MAX_ITEMS]))

    def expr_list(self, node: Node) -> Expr:
        return self.items(node, "list")

    def expr_tuple(self, node: Node) -> Expr:
        return self.items(node, "tuple")

    def expr_expression_list(self, node: Node) -> Expr:
        return self.items(node, "tuple")

    def expr_set(self, node: Node) -> Expr:
        return self.items(node, "set")

    def expr_dictionary(self, node: Node) -> Expr:
        keys: list[Expr] = []
        values: list[Expr] = []
        for child in node.named_children:
            parts = child.named_children
            if self.kind_of(child) == "pair" and len(parts) >= 2:
                keys.append(self.expr(parts[0]))
                values.append(self.mention(self.expr(parts[-1]), parts[-1]))
            elif self.kind_of(child) == "dictionary_splat" and parts:
                keys.append(_SPREAD)
                values.append(self.expr(parts[-1]))
            else:
                self.expr(child)
        return Collection("dict", tuple(values[:MAX_ITEMS]), tuple(keys[:MAX_ITEMS]))

    # -- bodies inside expressions --------------------------------------------------------------------------------

    def enter(self, kind: str, qualname: str, definition: int = -1) -> Body:
        """Open a body and make it the current one; the caller sets `self.body` back."""
        body = Body(kind, len(self.bodies), self.body, qualname, definition)
        self.bodies.append(body)
        self.body = body
        return body

    def comprehension(self, node: Node, kind: str) -> Expr:
        outer = self.body
        parts = node.named_children
        self.enter("comprehension", outer.qualname)
        for clause in parts[1:]:
            self.expr(clause)
        body = parts[0]
        if self.kind_of(body) == "pair" and body.named_child_count >= 2:
            key, value = body.named_children[0], body.named_children[-1]
            made = Collection(f"{kind} comprehension", (self.expr(value),), (self.expr(key),))
        else:
            made = Collection(f"{kind} comprehension", (self.mention(self.expr(body), body),))
        number = self.body.number
        self.body.returns.append(made)
        self.body = outer
        return FunctionRef(number)

    def expr_list_comprehension(self, node: Node) -> Expr:
        return self.comprehension(node, "list")

    def expr_set_comprehension(self, node: Node) -> Expr:
        return self.comprehension(node, "set")

    def expr_dictionary_comprehension(self, node: Node) -> Expr:
        return self.comprehension(node, "dict")

    def expr_generator_expression(self, node: Node) -> Expr:
        return self.comprehension(node, "generator")

    def expr_for_in_clause(self, node: Node) -> Expr:
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        if len(parts) < 2:
            return self.walk(node)
        value = self.expr(parts[1])
        self.assign(parts[0], value, "iterate", node.start_point[0] + 1)
        return UNKNOWN

    def assign(self, target: Node, value: Expr, how: str, line: int) -> None:
        """Record an assignment; the statement walker says how."""
        raise NotImplementedError

    def expr_lambda(self, node: Node) -> Expr:
        outer = self.body
        parts = node.named_children
        parameters = self.parameters(parts[0]) if self.kind_of(parts[0]) == "lambda_parameters" else ()
        body = self.enter("lambda", outer.qualname)
        body.parameters = parameters
        body.returns.append(self.mention(self.expr(parts[-1]), parts[-1]))
        self.body = outer
        return FunctionRef(body.number)

    def parameters(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters of a function; the walker of heads says how."""
        raise NotImplementedError

    def annotation(self, node: Node) -> Expr:
        """Return an annotation as an expression; the walker of heads says how."""
        raise NotImplementedError
