"""What a call hands to a function of another file that calls its parameter.

Only what the facts of that function show without following values counts: a parameter that is never bound again and is
called by its own name, in the function or in a named closure of it (in scripts in a nameless one too). What such a
function hands on is not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from graph.extract.facts import CallExpr, Name
from graph.resolve.evaluator import Evaluator
from graph.resolve.values import Class, Function, Instance, Value
from graph.resolve.views import FileView

__all__ = ["called_parameters", "handed_edges", "handed_over"]

_MAX_HANDED = 8
"""A function that gets more different things from everywhere is a general one; its calls would say nothing."""

Key = TypeVar("Key", int, str)


def handed_over(
    evaluator: Evaluator, view: FileView, scope: int, call: CallExpr, value: Value
) -> Iterator[tuple[str, Value]]:
    """Give, for what a call runs in another file, the key of what calls a parameter there and what is handed to it."""
    for function in _functions(evaluator, value):
        if function.path == view.path:
            continue
        target = evaluator.view(function.path)
        for name in _closures(target, function.scope):
            target.binds(function.scope, name)  # asking makes the result depend on what stands behind the name
        for body, index in called_parameters(target, function.scope):
            given = evaluator.argument(function, index, call, view, scope)
            for handed in given if len(given) <= _MAX_HANDED else ():
                if isinstance(handed, Function | Class):
                    yield target.caller_key(body), handed


def _functions(evaluator: Evaluator, value: Value) -> Iterator[Function]:
    if isinstance(value, Function):
        yield value
    elif isinstance(value, Class):
        rules = evaluator.world.rules(value.path)
        for name in rules.constructor_names[:1] if rules else ():
            bound = evaluator.attribute(Instance(value.path, value.index), name)
            found = [item for item in bound if isinstance(item, Function)]
            # An instance of a script has its class under that name, not the function.
            yield from found or [item for item in evaluator.member(value, name) if isinstance(item, Function)]


def called_parameters(view: FileView, body: int) -> tuple[tuple[int, int], ...]:
    """Return where a function calls its parameters: (the scope of the call, the place of the parameter), each once."""
    # What is kept for the next one who asks must not keep from him what the answer rests on.
    view.asked.update(parameter.name for parameter in view.parameters(body))
    known = view.called.get(body)
    if known is None:
        known = view.called[body] = tuple(dict.fromkeys(_called(view, body))) if view.parameters(body) else ()
    return known


def _called(view: FileView, body: int) -> Iterator[tuple[int, int]]:
    scopes = view.facts.scopes
    places = {parameter.name: place for place, parameter in enumerate(scopes[body].parameters)}
    for scope in _bodies(view, body):
        for call in scopes[scope].calls:
            name = call.function.id if isinstance(call.function, Name) else ""
            if name in places and _binder(view, scope, name) == body:
                bindings = view.bindings(body, name)
                if bindings is not None and len(bindings.everything) == 1:
                    yield scope, places[name]


def _bodies(view: FileView, body: int) -> Iterator[int]:
    """Give the scope of a function and those of the named functions in it."""
    scopes = view.facts.scopes
    kinds = ("function",) if view.language == "python" else ("function", "lambda", "block")  # named ones in scripts
    for scope in range(body, len(scopes)):
        if scope != body and not _is_inside(view, scope, body):
            return  # the scopes of a function stand together
        if scopes[scope].kind in kinds:
            yield scope


def _closures(view: FileView, body: int) -> list[str]:
    """Return the names of the functions in a function that may call one of its parameters."""
    if not view.parameters(body):
        return []
    definitions = (view.definition_of(scope) for scope in _bodies(view, body) if scope != body)
    return [definition.name for definition in definitions if definition is not None]


def _is_inside(view: FileView, scope: int, body: int) -> bool:
    while scope > body:
        scope = view.facts.scopes[scope].parent
    return scope == body


def _binder(view: FileView, scope: int, name: str) -> int:
    """Return the scope that binds a name seen from a scope, -1 where none does."""
    number = view.binding_scope(scope, name)
    while number >= 0:
        facts = view.facts.scopes[number]
        if facts.kind != "class" and view.binds(number, name):
            return number
        number = facts.parent
    return -1


def handed_edges(rows: Iterable[tuple[Key, Key, str]]) -> list[tuple[Key, Key, str]]:
    """Return the edges that (function, what is handed to it, path of the file that does) make, each with one path.

    The first path stands for all. A function that is handed too many different things has none.
    """
    paths: dict[tuple[Key, Key], str] = {}
    handed: dict[Key, set[Key]] = {}
    for src, dst, path in rows:
        paths[src, dst] = min(path, paths.get((src, dst), path))
        handed.setdefault(src, set()).add(dst)
    return [(src, dst, path) for (src, dst), path in sorted(paths.items()) if len(handed[src]) <= _MAX_HANDED]
