"""What type tests say of names: `isinstance(x, A)` in a condition, and the lines on which its outcome is sure.

A test is an assignment of its own kind, `is:L` or `isnt:L`: behind its line and up to line L the target is (or is not)
an instance of the value. Only what a condition says for sure is recorded: both sides of an `and` that holds, both sides
of an `or` that does not.
"""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import Assign, Attribute, Collection, Expr, Name
from graph.extract.python_definitions import DefinitionWalker
from graph.extract.python_scopes import BRANCH, LOOP, UNKNOWN

__all__ = ["NarrowingWalker"]

_LEAVING = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})
_IDENTITY = frozenset({"is", "=="})
_OTHERNESS = frozenset({"is not", "!="})
_MAX_CHAIN = 20
"""Operands of one `and` or `or` that are read for tests; longer chains are generated."""


class NarrowingWalker(DefinitionWalker):
    """Walks conditions and records the tests in them."""

    def tests_types(self, node: Node) -> bool:
        """Tell by the text whether a condition can hold a test at all: most of them do not."""
        data, start, end = self.data, node.start_byte, node.end_byte
        return data.find(b"isinstance(", start, end) >= 0 or data.find(b"type(", start, end) >= 0

    def narrow(self, condition: Node, first_line: int, last_line: int, *, holds: bool = True) -> None:
        """Record what a condition says on the lines from `first_line` to `last_line`, given its outcome."""
        if last_line < first_line or not self.tests_types(condition):
            return
        for tested, value, is_it in self.tests(condition, holds=holds):
            how = f"{'is' if is_it else 'isnt'}:{last_line}"
            self.body.assigns.append(Assign(tested, value, how, first_line - 1, BRANCH))

    def tests(self, condition: Node, *, holds: bool) -> list[tuple[Expr, Expr, bool]]:
        """Return what is tested, for which type, and with which outcome."""
        found: list[tuple[Expr, Expr, bool]] = []
        open_nodes = [(condition, holds)]
        while open_nodes:
            node, outcome = open_nodes.pop()
            match self.kind_of(node):
                case "parenthesized_expression":
                    open_nodes.extend((child, outcome) for child in node.named_children)
                case "not_operator":
                    open_nodes.append((node.named_children[-1], not outcome))
                case "boolean_operator":
                    if (self.operator(node) == "and") == outcome:
                        open_nodes += ((node.named_children[0], outcome), (node.named_children[-1], outcome))
                    else:
                        found += self._either(node, holds=outcome)
                case "call":
                    found += self._instance_test(node, outcome)
                case "comparison_operator":
                    found += self._type_test(node, outcome)
                case _:
                    pass
        return found

    def operator(self, node: Node) -> str:
        """Return `and` or `or`."""
        operator = node.child_by_field_name("operator")
        return operator.type if operator is not None else ""

    def _either(self, node: Node, *, holds: bool) -> list[tuple[Expr, Expr, bool]]:
        """Return the test that two sides have in common: `isinstance(x, A) or isinstance(x, B)`."""
        sides = [self.tests(child, holds=holds) for child in (node.named_children[0], node.named_children[-1])]
        if [len(side) for side in sides] != [1, 1] or not holds:
            return []
        (one, left, is_left), (other, right, is_right) = sides[0][0], sides[1][0]
        return [(one, Collection("tuple", (left, right)), True)] if one == other and is_left and is_right else []

    def _instance_test(self, node: Node, outcome: bool) -> list[tuple[Expr, Expr, bool]]:
        if node.named_child_count != 2 or self.text(node.named_children[0]) != "isinstance":
            return []
        arguments = [child for child in node.named_children[-1].named_children if child.kind_id != self.comment_kind]
        tested = self._tested(arguments[0]) if len(arguments) == 2 else None
        return [(tested, self.quietly(arguments[1]), outcome)] if tested is not None else []

    def _type_test(self, node: Node, outcome: bool) -> list[tuple[Expr, Expr, bool]]:
        """Read `type(x) is A`: it is an A; that it is not says nothing, it may be of a subclass."""
        parts = node.named_children
        if len(parts) != 2 or self.kind_of(parts[0]) != "call" or self.text(parts[0].named_children[0]) != "type":
            return []
        operator = " ".join(child.type for child in node.children if not child.is_named)
        if operator not in (_IDENTITY if outcome else _OTHERNESS):
            return []
        arguments = parts[0].named_children[-1].named_children
        tested = self._tested(arguments[0]) if len(arguments) == 1 else None
        return [(tested, self.quietly(parts[1]), True)] if tested is not None else []

    def _tested(self, node: Node) -> Expr | None:
        """Return what a test is about: a name, or a name with attributes."""
        if self.kind_of(node) == "named_expression":
            node = node.named_children[0]
        if self.kind_of(node) not in ("identifier", "attribute"):
            return None
        tested = inner = self.quietly(node)
        while isinstance(inner, Attribute):
            inner = inner.base
        return tested if isinstance(inner, Name) else None

    def quietly(self, node: Node) -> Expr:
        """Return an expression without recording what it mentions or calls a second time."""
        body = self.body
        calls, references = len(body.calls), len(body.references)
        value = self.expr(node)
        del body.calls[calls:], body.references[references:]
        return value

    # -- statements -----------------------------------------------------------------------------------------------

    def narrow_branches(self, node: Node, condition: Node, blocks: list[Node]) -> None:
        """Record what the conditions of an `if` say in its branches, and behind it where a branch does not go on."""
        first, *others = blocks
        self.narrow(condition, _first(first), _last(first))
        if self.kind_of(node) == "elif_clause":
            return
        conditions = [(condition, first)]
        for clause in others:
            parts = [child for child in clause.named_children if child.kind_id != self.comment_kind]
            if self.kind_of(clause) == "elif_clause" and len(parts) == 2:
                conditions.append((parts[0], parts[1]))
        all_leave = True
        for tested, block in conditions:
            all_leave = all_leave and self.leaves(block)
            self.narrow(tested, _last(block) + 1, self.block_end if all_leave else _last(node), holds=False)
        if len(others) == 1 and self.kind_of(others[0]) == "else_clause" and self.leaves(others[0].named_children[-1]):
            self.narrow(condition, _last(node) + 1, self.block_end)

    def leaves(self, block: Node) -> bool:
        """Tell whether a block never goes on to what follows it."""
        statements = [child for child in block.named_children if child.kind_id != self.comment_kind]
        return bool(statements) and self.kind_of(statements[-1]) in _LEAVING

    def narrow_loop(self, node: Node, condition: Node, block: Node) -> None:
        """Record what the condition of a `while` says in it, and behind it where nothing breaks out of it."""
        self.narrow(condition, _first(block), _last(block))
        if self.data.find(b"break", block.start_byte, block.end_byte) < 0:
            self.narrow(condition, _last(node) + 1, self.block_end, holds=False)

    def narrow_cases(self, node: Node) -> None:
        """Record what the class patterns of a `match` say of its subject."""
        subject, *_, body = [child for child in node.named_children if child.kind_id != self.comment_kind]
        tested = self._tested(subject)
        if tested is None:
            return
        for clause in body.named_children:
            pattern = clause.named_children[0] if self.kind_of(clause) == "case_clause" else None
            classes = self._classes(pattern) if pattern is not None else []
            if not classes:
                continue
            value = classes[0] if len(classes) == 1 else Collection("tuple", tuple(classes))
            assign = Assign(tested, value, f"is:{_last(clause)}", _first(clause) - 1, BRANCH)
            self.body.assigns.append(assign)

    def _classes(self, pattern: Node) -> list[Expr]:
        """Return the classes of a pattern that only instances of them match; none where others match too."""
        node = pattern
        while self.kind_of(node) in ("case_pattern", "as_pattern") and node.named_child_count:
            node = node.named_children[0]
        if self.kind_of(node) == "class_pattern":
            return [self.quietly(node.named_children[0])]
        if self.kind_of(node) != "union_pattern":
            return []
        parts = [self._classes(child) for child in node.named_children]
        return [part[0] for part in parts] if all(len(part) == 1 for part in parts) else []

    # -- expressions ----------------------------------------------------------------------------------------------

    def expr_boolean_operator(self, node: Node) -> Expr:
        if self.tests_types(node):
            inner, length = node, 0
            while self.kind_of(inner) == "boolean_operator" and length < _MAX_CHAIN:
                left, right = inner.named_children[0], inner.named_children[-1]
                self.narrow(left, _first(right), _last(right), holds=self.operator(inner) == "and")
                inner, length = left, length + 1
        return self.joined(node)

    def expr_conditional_expression(self, node: Node) -> Expr:
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        if len(parts) == 3 and self.tests_types(parts[1]):
            then, condition, otherwise = parts
            if self._apart(then, otherwise):
                self.narrow(condition, _first(then), _last(then))
            if self._apart(otherwise, then):
                self.narrow(condition, _first(otherwise), _last(otherwise), holds=False)
        return super().expr_conditional_expression(node)

    def _apart(self, one: Node, other: Node) -> bool:
        """Tell whether what holds on the lines of one branch does no harm to the other one."""
        if _last(one) < _first(other) or _last(other) < _first(one):
            return True
        return self.data.find(b".", other.start_byte, other.end_byte) < 0

    def stmt_if_clause(self, node: Node) -> Expr:
        """Read the condition of a comprehension, or the guard of a case."""
        self.walk(node)
        around = node.parent
        if around is not None and self.body.kind == "comprehension":
            self.narrow(node.named_children[0], _first(around), _last(around))
        return UNKNOWN

    def stmt_while_statement(self, node: Node) -> Expr:
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        if len(parts) >= 2 and self.tests_types(parts[0]):
            self.narrow_loop(node, parts[0], parts[1])
        self.under(LOOP, node.named_children)
        return UNKNOWN

    def stmt_match_statement(self, node: Node) -> Expr:
        if node.named_child_count >= 2:
            self.narrow_cases(node)
        return self.walk(node)

    def under(self, flow: int, nodes: list[Node]) -> None:
        """Walk nodes that run no more surely than `flow`; the walker of statements says how."""
        raise NotImplementedError


def _first(node: Node) -> int:
    return int(node.start_point[0]) + 1


def _last(node: Node) -> int:
    return int(node.end_point[0]) + 1
