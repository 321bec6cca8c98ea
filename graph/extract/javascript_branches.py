"""Branches and loops: which assignments are sure to happen, and what a type test says of a name inside its branch.

`if (x instanceof C)` makes x a C up to the end of the branch; `typeof x === "string"` makes it nothing of ours. Behind
`if (!(x instanceof C)) return` it is a C too.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from graph.extract.facts import Constant, Expr, Subscript
from graph.extract.javascript_blocks import open_head
from graph.extract.javascript_patterns import bind
from graph.extract.javascript_walk import UNKNOWN, Handler, Walk, last_named

__all__ = ["BRANCHES"]

_BRANCH, _LOOP = 1, 2
_MAX_TESTS = 8
_MAX_NAME = 60
_PREDICATE = re.compile(r"(?:^|[.#_])(?:is|has)[A-Z_]\w*$")
"""How functions are called whose result may be `x is T`."""
_LEAVING = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})


def branch(walk: Walk, node: Node) -> Expr:
    """Visit what may happen or not: cases, `try`, `catch`."""
    return _inside(walk, node.named_children, _BRANCH)


def loop(walk: Walk, node: Node) -> Expr:
    """Visit what may happen several times."""
    return _inside(walk, node.named_children, _LOOP)


def _inside(walk: Walk, nodes: list[Node], flow: int) -> Expr:
    scope, outer = walk.scope, walk.scope.flow
    scope.flow = max(outer, flow)
    walk.visit_all(nodes)
    scope.flow = outer
    return UNKNOWN


def if_statement(walk: Walk, node: Node) -> Expr:
    """Visit `if (...) ... else ...`, with what the condition says of names."""
    condition, consequence = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is not None:
        walk.visit(condition)
        if consequence is not None:
            _narrow(walk, node, condition, consequence)
    return _inside(walk, [child for child in node.named_children if child != condition], _BRANCH)


def _narrow(walk: Walk, node: Node, condition: Node, consequence: Node) -> None:
    """Record what a condition says in both branches, and behind them where one of them leaves."""
    line = condition.start_point[0]  # the line before: the branch may stand on the line of its condition
    held, failed = _tests(walk, condition), _tests(walk, condition, holds=False)
    _record(walk, held, line, consequence.end_point[0] + 1)
    alternative = node.child_by_field_name("alternative")
    if alternative is not None:
        _record(walk, failed, alternative.start_point[0], alternative.end_point[0] + 1)
    follows = node.next_named_sibling if held or failed else None
    if follows is None or node.parent is None:
        return
    start, end = max(node.end_point[0] + 1, 1), node.parent.end_point[0] + 1
    if follows.start_point[0] == node.end_point[0]:
        start -= 1
    if alternative is None and _leaves(consequence):
        _record(walk, failed, start, end)
    elif alternative is not None and _leaves(alternative):
        _record(walk, held, start, end)


def _record(walk: Walk, tests: list[tuple[str, Expr]], line: int, end: int) -> None:
    for name, expr in tests:
        how = "holds" if isinstance(expr, Subscript) else "narrow"
        walk.assign(walk.name(name), expr, line, f"{how}:{end}")


def _leaves(branch: Node) -> bool:
    """Tell whether a branch never goes on to what follows it."""
    node: Node | None = branch
    while node is not None and node.type in {"statement_block", "else_clause"}:
        node = last_named(node)
    return node is not None and node.type in _LEAVING


def _tests(walk: Walk, condition: Node, *, holds: bool = True) -> list[tuple[str, Expr]]:
    """Return what a condition says that holds, or does not; of `a || b` only where both speak of the same name."""
    found: list[tuple[str, Expr]] = []
    pending = [(condition, holds)]
    while pending and len(found) < _MAX_TESTS:
        node, outcome = pending.pop()
        if node.type == "parenthesized_expression":
            pending += [(child, outcome) for child in node.named_children[:1]]
        elif node.type == "unary_expression" and (inner := node.child_by_field_name("argument")) is not None:
            if node.children[0].type == "!":
                pending.append((inner, not outcome))
        elif node.type == "call_expression" and outcome and walk.typed:
            found += _predicate(walk, node)
        elif node.type == "binary_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            if left is None or right is None or operator is None:
                continue
            if operator.type == ("&&" if outcome else "||"):
                pending += ((right, outcome), (left, outcome))
            elif operator.type == "||":
                found += _either(walk, left, right)
            elif operator.type != "&&":
                found += _test(walk, left, operator.type, right, outcome=outcome)
    return found


def _either(walk: Walk, left: Node, right: Node) -> list[tuple[str, Expr]]:
    """Return what `a || b` says where both say it of the same name."""
    either = [_tests(walk, side) for side in (left, right) if not walk.is_too_deep()]
    names = [{name for name, _ in side} for side in either]
    if len(names) != 2 or names[0] != names[1] or len(names[0]) != 1:
        return []
    return [test for side in either for test in side if isinstance(test[1], Constant)][:1]


def _test(walk: Walk, left: Node, operator: str, right: Node, *, outcome: bool) -> list[tuple[str, Expr]]:
    if operator == "instanceof":
        is_plain = left.type == "identifier" and right.type in {"identifier", "member_expression"}
        return [(walk.text(left), walk.visit(right))] if is_plain and outcome else []
    is_same = operator in ({"===", "=="} if outcome else {"!==", "!="})
    if is_same and left.type == "unary_expression" and right.type == "string":
        argument, kind = left.child_by_field_name("argument"), walk.text(right)[1:-1]
        is_typeof = walk.text(left).startswith("typeof") and argument is not None and argument.type == "identifier"
        if is_typeof and argument is not None and kind not in {"object", "function"}:
            return [(walk.text(argument), Constant(kind))]
    return []


def _predicate(walk: Walk, call: Node) -> list[tuple[str, Expr]]:
    """Return what `isCat(x)` may say of x; whether its result is declared as `x is Cat` shows when it is resolved."""
    function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or given is None or not _PREDICATE.search(walk.text(function)[-_MAX_NAME:]):
        return []
    base = function.child_by_field_name("object") if function.type == "member_expression" else function
    if base is None or base.type not in {"identifier", "this"}:
        return []
    callee = walk.visit(function)
    arguments = [child for child in given.named_children if child.type != "comment"][:_MAX_TESTS]
    return [
        (walk.text(argument), Subscript(callee, Constant("int", str(place))))
        for place, argument in enumerate(arguments)
        if argument.type == "identifier"
    ]


def for_in(walk: Walk, node: Node) -> Expr:
    """Bind the elements of `for (x of xs)`, the names of properties of `for (k in o)`."""
    left, right, body = (node.child_by_field_name(part) for part in ("left", "right", "body"))
    operator = node.child_by_field_name("operator")
    source = walk.visit(right) if right is not None else UNKNOWN
    scope, outer = walk.scope, walk.scope.flow
    scope.flow = _LOOP
    kind, around = node.child_by_field_name("kind"), walk.current
    if left is not None and kind is not None and kind.type != "var":
        around = open_head(walk, node, left)
    if left is not None:
        is_keys = operator is not None and operator.type == "in"
        walk.scope.is_writing = kind is None
        bind(walk, left, Constant("str") if is_keys else source, "value" if is_keys else "iterate")
        walk.scope.is_writing = False
    if body is not None:
        walk.visit(body)
    walk.enter(around)
    scope.flow = outer
    return UNKNOWN


def catch(walk: Walk, node: Node) -> Expr:
    """Bind the parameter of `catch (e) { ... }`."""
    parameter, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
    outer = open_head(walk, node, parameter) if parameter is not None else walk.current
    if parameter is not None:
        bind(walk, parameter, UNKNOWN, "catch")
    _inside(walk, [body] if body is not None else [], _BRANCH)
    walk.enter(outer)
    return UNKNOWN


BRANCHES: dict[str, Handler] = {
    "if_statement": if_statement,
    **dict.fromkeys(("switch_case", "switch_default", "try_statement"), branch),
    **dict.fromkeys(("for_statement", "while_statement", "do_statement"), loop),
    "for_in_statement": for_in,
    "catch_clause": catch,
}
