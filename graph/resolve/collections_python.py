"""The collections that well-known functions of Python make of their arguments: `zip`, `dict`, `defaultdict`, ..."""

from __future__ import annotations

from graph.extract.facts import CallExpr, Collection
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import Constant, Elements, External, Values
from graph.resolve.views import FileView

__all__ = ["COLLECTION_MAKERS", "made_collection"]

COLLECTION_MAKERS = frozenset({"collections.defaultdict", "itertools.zip_longest"})
"""Those that are no builtins."""


_NOTHING: Values = (Constant("none", ""),)
"""What stands at a place of which nothing is known."""


def made_collection(evaluator: EvaluatorCore, name: str, call: CallExpr, view: FileView, scope: int) -> Values:
    """Return what a call of the function with this last name makes."""
    groups = [evaluator.evaluate(view, scope, item, call.line) for item in call.arguments]
    first = groups[0] if groups else ()
    match name:
        case "defaultdict":
            made = union(evaluator.called(value, None, view, scope) for value in first)
            return (Elements("dict", (), made) if made else External("collections.defaultdict()"),)
        case "dict":
            return union([first, _table(evaluator, call, view, scope)])
        case "enumerate":
            numbers: Values = (Constant("int", ""),)
            held = _held(evaluator, groups[:1])
            return (Elements("iterator", _side_by_side([numbers, *held]) if any(held) else ()),)
        case _:
            return (Elements("iterator", _side_by_side(_held(evaluator, groups))),)


def _held(evaluator: EvaluatorCore, groups: list[Values]) -> list[Values]:
    return [union(evaluator.elements(value) for value in values) for values in groups]


def _side_by_side(groups: list[Values]) -> Values:
    """Return tuples in which each alternative of each group stands at its place at least once."""
    known = [group or _NOTHING for group in groups]
    count = max((len(group) for group in groups), default=0)
    return tuple(Elements("tuple", tuple(group[min(at, len(group) - 1)] for group in known)) for at in range(count))


def _table(evaluator: EvaluatorCore, call: CallExpr, view: FileView, scope: int) -> Values:
    """Return the table that the keywords of `dict(name=value)` write out."""
    if not call.keywords:
        return ()
    keys = tuple(ConstantExpr("str", key) for key, _ in call.keywords)
    written = Collection("dict", tuple(value for _, value in call.keywords), keys)
    return (evaluator.literal(view, scope, written, call.line),)
