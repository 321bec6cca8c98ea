"""What the calls of a file hand to the parameters of its own functions.

Rounds: the first one knows no parameters; what its calls hand over lets the next one resolve more. Values flow inside
one file only, so that a file's result never depends on who else calls it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from graph.extract.facts import Attribute, CallExpr, Expr, FunctionRef, Name, Subscript
from graph.resolve.calls import argument_of, rest_arguments
from graph.resolve.core import EvaluatorCore, Flows, union
from graph.resolve.evaluator import Evaluator
from graph.resolve.members import decorated_by
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    Method,
    Module,
    Returning,
    Shape,
    Value,
    Values,
)
from graph.resolve.views import FileView

__all__ = ["flow_arguments"]

_NAMED = frozenset({FunctionRef, Name})
_MAX_ROUNDS = 4
_MAX_HANDED = 8
"""A parameter that gets more different things is a general one; following it would say nothing."""


def flow_arguments(evaluator: Evaluator, view: FileView) -> None:
    """Let arguments flow into the parameters of the file's own functions until nothing new arrives."""
    keys = _index_names(view)
    for _ in range(_MAX_ROUNDS):
        handed = _handed(evaluator, view, keys)
        is_settled = not evaluator.flows.is_refuted_by(handed)  # another round would ask the same and find the same
        evaluator.flows = Flows(handed)
        if is_settled:
            return
        evaluator.forget()


def _handed(evaluator: Evaluator, view: FileView, keys: set[str]) -> dict[tuple[str, int, int], Values]:
    found: dict[tuple[str, int, int], Values] = {}
    unwraps = type(evaluator).unwrapped is not EvaluatorCore.unwrapped
    for scope, facts in enumerate(view.facts.scopes):
        for call in facts.calls:
            if not call.arguments and not call.keywords:
                continue
            values = evaluator.evaluate(view, scope, call.function, call.line)
            hands_names = any(type(item) in _NAMED for item in call.arguments)
            if hands_names or call.keywords:
                _feed(evaluator, view, scope, call, values, found)
            for value in values if unwraps else ():
                unwrapped = evaluator.unwrapped(value, call)
                if unwrapped is not None and unwrapped[0].path == view.path:
                    _hand(evaluator, view, scope, unwrapped[1], unwrapped[0], keys, found)
            for function in _targets(evaluator, values) if values else ():
                if function.path == view.path:
                    _hand(evaluator, view, scope, call, function, keys, found)
                if hands_names:
                    _expect(evaluator, view, scope, call, function, found)
            for function, index, given in evaluator.passed(view, scope, call):
                _give(view, function, index, given, keys, found)
    for function, index, given in evaluator.implied(view):
        _give(view, function, index, given, keys, found)
    return {key: values for key, values in found.items() if len(values) <= _MAX_HANDED}


def _give(
    view: FileView,
    function: Function,
    index: int,
    given: Values,
    keys: set[str],
    found: dict[tuple[str, int, int], Values],
) -> None:
    if function.path != view.path or not given:
        return
    parameters = view.parameters(function.scope)
    is_key = 0 <= index < len(parameters) and parameters[index].name in keys
    kept = tuple(_settled(value) for value in given if _flows(value, is_key=is_key))
    if kept:
        place = (view.path, function.scope, index)
        found[place] = union([found.get(place, ()), kept])


def _targets(evaluator: Evaluator, values: Values) -> Iterator[Function]:
    """Give the functions that calling these values runs: functions, and the constructors of classes."""
    for value in values:
        if isinstance(value, Function):
            yield value
        elif isinstance(value, Class):
            rules = evaluator.world.rules(value.path)
            for name in rules.constructor_names if rules else ():
                bound = evaluator.attribute(Instance(value.path, value.index), name)
                # `constructor` of an instance of a script is its class, so the method is looked up by itself
                known = bound if any(isinstance(item, Function) for item in bound) else evaluator.member(value, name)
                yield from (item for item in known if isinstance(item, Function))


def _hand(
    evaluator: Evaluator,
    view: FileView,
    scope: int,
    call: CallExpr,
    function: Function,
    keys: set[str],
    found: dict[tuple[str, int, int], Values],
) -> None:
    for index, parameter in enumerate(view.parameters(function.scope)):
        if parameter.kind in ("rest", "keyrest", "all"):
            values = evaluator.gathered(view, scope, call, rest_arguments(view, function, index, call))
        else:
            written = argument_of(view, function, index, call)
            values = _given(evaluator, view, scope, call, written) if written is not None else ()
        kept = tuple(_settled(value) for value in values if _flows(value, is_key=parameter.name in keys))
        if kept:
            place = (view.path, function.scope, index)
            found[place] = union([found.get(place, ()), kept])


def _given(evaluator: Evaluator, view: FileView, scope: int, call: CallExpr, written: Expr) -> Values:
    """Return what an argument is; decorators from outside hand on what they decorate, as far as it matters here."""
    values = evaluator.evaluate(view, scope, written, call.line)
    if call.line or not isinstance(written, CallExpr) or any(_flows(value, is_key=False) for value in values):
        return values
    inner = decorated_by(call)
    return evaluator.evaluate(view, scope, inner, 0) if inner is not None else values


def _feed(
    evaluator: Evaluator,
    view: FileView,
    scope: int,
    call: CallExpr,
    values: Values,
    found: dict[tuple[str, int, int], Values],
) -> None:
    """Give the elements of an iterable to the function that is called with each: `map(f, xs)`, `xs.sort(key=f)`."""
    rules = evaluator.rules(view)
    for value in values:
        name = value.name if isinstance(value, External | Method) else ""
        callbacks = rules.callbacks(name, call) if name else ()
        if not callbacks:
            continue
        functions = [
            handed
            for item in callbacks
            for handed in evaluator.evaluate(view, scope, item, call.line)
            if isinstance(handed, Function) and handed.path == view.path and handed.receiver is None
        ]
        if not functions:
            continue
        sources = [evaluator.evaluate(view, scope, item, call.line) for item in call.arguments]
        held = union([*sources, (value.owner,) if isinstance(value, Method) else ()])
        given = union(evaluator.elements(item) for item in held)
        kept = tuple(_settled(item) for item in given if _flows(item, is_key=False))
        for function in functions if kept else ():
            place = (view.path, function.scope, 0)
            found[place] = union([found.get(place, ()), kept])


def _expect(
    evaluator: Evaluator,
    view: FileView,
    scope: int,
    call: CallExpr,
    function: Function,
    found: dict[tuple[str, int, int], Values],
) -> None:
    """Give a function that is handed over the parameters that the declared type of its place promises."""
    target = evaluator.view(function.path)
    for index, parameter in enumerate(target.parameters(function.scope)):
        written = argument_of(target, function, index, call) if parameter.annotation is not None else None
        if not isinstance(written, FunctionRef | Name):
            continue
        promised = [item for item in evaluator.parameter(target, function.scope, index) if isinstance(item, Returning)]
        if not promised or not promised[0].parameters:
            continue
        for handed in evaluator.evaluate(view, scope, written, call.line):
            if isinstance(handed, Function) and handed.path == view.path and handed.receiver is None:
                for place, value in enumerate(promised[0].parameters):
                    if isinstance(value, Instance):
                        key = (view.path, handed.scope, place)
                        found[key] = union([found.get(key, ()), (value,)])


def _settled(value: Value) -> Value:
    """Return a receiver as what it is elsewhere: an instance of the class that was written."""
    return replace(value, is_self=False) if isinstance(value, Instance) and value.is_self else value


def _flows(value: Value, *, is_key: bool) -> bool:
    if isinstance(value, Constant):
        return is_key and bool(value.value)
    return isinstance(value, Function | Class | Instance | Literal | Elements | Module | Shape)


def _index_names(view: FileView) -> set[str]:
    """Return the names that select an item somewhere in the file: only for them do constants matter."""
    found: set[str] = set()
    for facts in view.facts.scopes:
        for call in facts.calls:
            _collect(call.function, found)
        for assign in facts.assigns:
            _collect(assign.target, found)
            _collect(assign.value, found)
        for item in facts.returns:
            _collect(item, found)
    return found


def _collect(expr: Expr, found: set[str]) -> None:
    while type(expr) is not Name:  # which nearly all of them are in the end
        match expr:
            case Subscript(base=base, index=index):
                if isinstance(index, Name):
                    found.add(index.id)
                expr = base
            case Attribute(base=base):
                expr = base
            case CallExpr(function=function):
                expr = function
            case _:
                return
