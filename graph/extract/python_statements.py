"""Statements of Python: what they bind and return, and how surely they run."""

# ruff: noqa: D102 - the handlers are named after the kinds of nodes in the grammar, which says what each of them is
from __future__ import annotations

from tree_sitter import Node

from graph.extract.facts import (
    Assign,
    Attribute,
    CallExpr,
    Collection,
    Constant,
    Expr,
    Name,
    Subscript,
    Union,
)
from graph.extract.python_expressions import MAX_ITEMS
from graph.extract.python_narrowing import NarrowingWalker
from graph.extract.python_scopes import BRANCH, LOOP, STRAIGHT, UNKNOWN

__all__ = ["StatementWalker"]

_PUBLIC = Name("__all__")
_TAKEN_APART = frozenset({"value", "unpack", "iterate", "enter"})
"""What gives a value of which a pattern takes the parts, by `Assign.how`."""


class StatementWalker(NarrowingWalker):
    """Walks blocks, assignments and jumps."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.public_names: list[str] | None = None
        self._is_public_unknown = False

    def top(self, node: Node) -> None:
        """Walk one statement of the module; a broken one that has lost its parts is noted and left."""
        try:
            self.expr(node)
        except (IndexError, ValueError):
            # Recovery may leave any node without the children its grammar promises; checking each of them on the hot
            # path would slow every sound file down for the sake of broken ones.
            self.notes.add("a broken statement was not understood")
            self.depth = 0
            self.body = self.bodies[0]
            self.body.flow = STRAIGHT

    # -- blocks ---------------------------------------------------------------------------------------------------

    def under(self, flow: int, nodes: list[Node]) -> None:
        """Walk nodes that run no more surely than `flow`."""
        body = self.body
        before, end = body.flow, self.block_end
        body.flow = max(before, flow)
        for node in nodes:
            if flow > STRAIGHT:
                self.block_end = min(end, int(node.end_point[0]) + 1)
            self.expr(node)
        body.flow, self.block_end = before, end

    def stmt_if_statement(self, node: Node) -> Expr:
        condition, *branches = node.named_children
        self.expr(condition)
        blocks = [branch for branch in branches if branch.kind_id != self.comment_kind]
        if blocks and self.tests_types(node):
            self.narrow_branches(node, condition, blocks)
        self.under(BRANCH, branches)
        return UNKNOWN

    stmt_elif_clause = stmt_if_statement

    def stmt_assert_statement(self, node: Node) -> Expr:
        self.walk(node)
        self.narrow(node.named_children[0], int(node.end_point[0]) + 2, self.block_end)
        return UNKNOWN

    def stmt_try_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            self.under(STRAIGHT if self.kind_of(child) == "finally_clause" else BRANCH, [child])
        return UNKNOWN

    def stmt_for_statement(self, node: Node) -> Expr:
        target, iterable, *rest = [child for child in node.named_children if child.kind_id != self.comment_kind]
        value = self.expr(iterable)
        line = node.start_point[0] + 1
        before, self.body.flow = self.body.flow, max(self.body.flow, LOOP)
        end, self.block_end = self.block_end, int(node.end_point[0]) + 1
        self.assign(target, value, "iterate", line)
        self.body.flow, self.block_end = before, end
        self.under(LOOP, rest)
        return UNKNOWN

    def stmt_with_item(self, node: Node) -> Expr:
        inner = node.named_children[0]
        line = node.start_point[0] + 1
        if self.kind_of(inner) == "as_pattern" and inner.named_child_count >= 2:
            context, target = inner.named_children[0], inner.named_children[-1]
            self.assign(target.named_children[0], self.expr(context), "enter", line)
        else:
            self.body.assigns.append(Assign(UNKNOWN, self.expr(inner), "enter", line, self.body.flow))
        return UNKNOWN

    def stmt_except_clause(self, node: Node) -> Expr:
        for child in node.named_children:
            if self.kind_of(child) == "as_pattern" and child.named_child_count >= 2:
                caught, target = child.named_children[0], child.named_children[-1]
                self.assign(target.named_children[0], self.expr(caught), "catch", node.start_point[0] + 1)
            else:
                self.expr(child)
        return UNKNOWN

    def stmt_case_clause(self, node: Node) -> Expr:
        self.under(BRANCH, node.named_children)
        return UNKNOWN

    def stmt_case_pattern(self, node: Node) -> Expr:
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        if len(parts) == 1 and self.kind_of(parts[0]) == "dotted_name" and parts[0].named_child_count == 1:
            target = self.expr_identifier(parts[0])
            self.body.assigns.append(Assign(target, UNKNOWN, line=node.start_point[0] + 1, flow=BRANCH))
            return UNKNOWN
        for part in parts:
            self.expr(part)
        return UNKNOWN

    def stmt_as_pattern(self, node: Node) -> Expr:
        """`case Shape() as s`: the captured name is an instance of the class in the pattern."""
        pattern, target = node.named_children[0], node.named_children[-1]
        value = self.expr(pattern)
        inner = pattern.named_children[0] if pattern.named_child_count == 1 else pattern
        if self.kind_of(inner) == "class_pattern":
            value = self.expr(inner.named_children[0])
        if self.kind_of(target) == "identifier":
            line = node.start_point[0] + 1
            self.body.assigns.append(Assign(self.expr_identifier(target), value, "catch", line, BRANCH))
        return UNKNOWN

    # -- assignments ----------------------------------------------------------------------------------------------

    def expr_expression_statement(self, node: Node) -> Expr:
        value = self.expr_parenthesized_expression(node)
        if isinstance(value, CallExpr) and isinstance(value.function, Attribute):
            table, method = value.function.base, value.function.name
            if method == "update":
                self.updated(table, value)
            elif table == _PUBLIC and method in ("append", "extend"):
                self.publish(self.public_addition(value, method), more=True)
        return value

    def public_addition(self, call: CallExpr, method: str) -> Expr:
        """Return what a call adds to `__all__`; unknown in a function, which may run with anything."""
        if self.body.kind != "module" or len(call.arguments) != 1:
            return UNKNOWN
        return Collection("list", call.arguments) if method == "append" else call.arguments[0]

    def updated(self, table: Expr, call: CallExpr) -> None:
        """Record `table.update({"k": f}, j=g)` as what it does: the items under these keys are new."""
        if not isinstance(table, Name | Attribute):
            return
        pairs = [(Constant("str", key), value) for key, value in call.keywords]
        for given in call.arguments:
            if isinstance(given, Collection):
                pairs += [
                    (key, value)
                    for key, value in zip(given.keys, given.values, strict=False)
                    if isinstance(key, Constant) and key.value
                ]
        self.body.assigns.extend(
            Assign(Subscript(table, key), value, "value", call.line, self.body.flow) for key, value in pairs
        )

    def expr_assignment(self, node: Node) -> Expr:
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        target, *rest = parts
        line = node.end_point[0] + 1
        annotation: Expr | None = None
        if rest and self.kind_of(rest[0]) == "type":
            annotation = self.annotation(rest[0])
            self.assign(target, annotation, "annotation", line)
            rest = rest[1:]
        if not rest:
            self.variable(target, node, annotation)
            return UNKNOWN
        value = self.mention(self.expr(rest[-1]), rest[-1])
        self.assign(target, value, "value", line)
        self.variable(target, node, annotation)
        return value

    def expr_augmented_assignment(self, node: Node) -> Expr:
        parts = node.named_children
        target = self.expr(parts[0])
        value = self.expr(parts[-1])
        if isinstance(target, Name) and target.id == "__all__" and self.body.kind == "module":
            self.publish(value, more=True)
        return UNKNOWN

    def assign(self, target: Node, value: Expr, how: str, line: int) -> None:
        """Record what a target is given; patterns are taken apart."""
        kind = self.kind_of(target)
        if kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
            self.unpack(target, value, how, line)
            return
        if kind in ("list_splat_pattern", "parenthesized_expression", "as_pattern_target"):
            for child in target.named_children[:1]:
                self.assign(child, value, how, line)
            return
        if kind not in ("identifier", "attribute", "subscript"):
            self.expr(target)
            return
        place = self.expr(target)
        flow = self.body.flow
        self.body.assigns.append(Assign(place, value, how, line, flow, self.block_end if flow > STRAIGHT else 0))
        if isinstance(place, Name) and place.id == "__all__" and how == "value" and self.body.kind == "module":
            self.publish(value, more=False)

    def unpack(self, target: Node, value: Expr, how: str, line: int) -> None:
        """Record `a, b = value`: item by item where the value is written out, else by place."""
        parts = [child for child in target.named_children if child.kind_id != self.comment_kind]
        splat = next((i for i, part in enumerate(parts) if self.kind_of(part) == "list_splat_pattern"), len(parts))
        behind = len(parts) - splat - 1
        written = isinstance(value, Collection) and value.type in ("tuple", "list") and how == "value"
        for place, part in enumerate(parts):
            if isinstance(value, Collection) and written and _fits(len(value.values), len(parts), behind):
                self.assign(part, _share(value, place, splat, behind), "value", line)
            elif place == splat:
                self.rest(part, value, how, line)
            elif how.partition(":")[0] in _TAKEN_APART:
                item = place if place < splat else place - len(parts)
                self.assign(part, value, f"{'unpack' if how == 'value' else how}:{item}", line)
            else:
                self.assign(part, UNKNOWN, "value", line)

    def rest(self, part: Node, value: Expr, how: str, line: int) -> None:
        """Record what a starred target takes: a list of any of the items."""
        inner = part.named_children[0] if part.named_child_count else part
        items = Collection("list", (Subscript(value, Constant("int")),)) if how == "value" else UNKNOWN
        self.assign(inner, items, "value", line)

    def publish(self, value: Expr, *, more: bool) -> None:
        """Keep `__all__` while it is a literal; anything else makes it unknown for good."""
        names = None if self._is_public_unknown else _listed_names(value)
        if names is None:
            self._is_public_unknown, self.public_names = True, None
        else:
            self.public_names = [*(self.public_names or []), *names] if more else names

    def stmt_delete_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            targets = child.named_children if self.kind_of(child) == "expression_list" else [child]
            for target in targets:
                place = self.expr(target)
                if isinstance(place, Name):
                    self.body.assigns.append(Assign(place, UNKNOWN, "delete", node.end_point[0] + 1, self.body.flow))
        return UNKNOWN

    # -- jumps and declarations -----------------------------------------------------------------------------------

    def stmt_return_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            if child.kind_id != self.comment_kind:
                self.function_body().returns.append(self.mention(self.expr(child), child))
        return UNKNOWN

    def stmt_raise_statement(self, node: Node) -> Expr:
        for child in node.named_children:
            value = self.mention(self.expr(child), child)
            if isinstance(value, Name | Attribute):
                # `raise Refused` makes an instance of it; the call is written nowhere, so it has no line.
                self.body.calls.append(CallExpr(value, 0))
        return UNKNOWN

    def stmt_global_statement(self, node: Node) -> Expr:
        self.body.globals.extend(self.text(child) for child in node.named_children)
        return UNKNOWN

    def stmt_nonlocal_statement(self, node: Node) -> Expr:
        self.body.nonlocals.extend(self.text(child) for child in node.named_children)
        return UNKNOWN


def _share(value: Collection, place: int, splat: int, behind: int) -> Expr:
    """Return what a place of a pattern takes of a written-out value: one item, for a star those that are left."""
    if place < splat:
        return value.values[place]
    end = len(value.values) - behind
    return Collection("list", value.values[splat:end]) if place == splat else value.values[end + place - splat - 1]


def _fits(items: int, parts: int, behind: int) -> bool:
    """Tell whether so many items can be taken apart by a pattern, which has a star if anything may stand behind one."""
    return items == parts if behind < 0 else items >= parts - 1


def _listed_names(value: Expr) -> list[str] | None:
    """Return the names in a written-out list, or in a sum of such lists; None where it is anything else."""
    names: list[str] = []
    for part in value.options if isinstance(value, Union) else (value,):
        if not isinstance(part, Collection) or part.keys or len(part.values) >= MAX_ITEMS:
            return None
        for item in part.values:
            if not isinstance(item, Constant) or item.type != "str" or not item.value:
                return None
            names.append(item.value)
    return names
