"""Which of several Java methods of one name a call means: by the number of its arguments, then by their types.

A type is compared by its simple name and those of what it extends. What is not known fits anywhere; where several
methods fit equally well, all of them are meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from graph.extract.facts import Attribute, Expr, Name, Parameter, Subscript
from graph.resolve.library_java import PRIMITIVES

__all__ = ["Candidate", "best_fits", "simple_name", "takes"]

Candidate: TypeAlias = tuple[Parameter, ...]

_WIDER: dict[str, tuple[str, ...]] = {
    "boolean": ("Boolean", "Object"),
    "byte": ("short", "int", "long", "float", "double", "Byte", "Number", "Object"),
    "char": ("int", "long", "float", "double", "Character", "Object"),
    "Class": ("Type", "AnnotatedElement", "Object"),
    "double": ("Double", "Number", "Object"),
    "float": ("double", "Float", "Number", "Object"),
    "int": ("long", "float", "double", "Integer", "Number", "Object"),
    "long": ("float", "double", "Long", "Number", "Object"),
    "short": ("int", "long", "float", "double", "Short", "Number", "Object"),
    "String": ("CharSequence", "Comparable", "Object"),
    "Integer": ("int", "Number", "long", "Object"),
    "Long": ("long", "Number", "Object"),
    "Boolean": ("boolean", "Object"),
    "Character": ("char", "Object"),
}
"""What else a value of a type may be handed to, the nearest first."""

_VARIABLE = re.compile(r"[A-Z]\d?$")
"""Type parameters are called so by convention."""

_CLOSED = frozenset({*PRIMITIVES, "String", "Integer", "Long", "Boolean", "Character", "Double", "Float", "Class"})
"""Types of which all that a value of another known type could be is known: no repository extends them."""


def simple_name(annotation: Expr | None) -> str:
    """Return the last part of a type without its arguments; `[]` for arrays, empty when it is not known."""
    match annotation:
        case Subscript(base=base):
            return simple_name(base)
        case Attribute(name=name):
            return name
        case Name(id=name):
            return name
        case _:
            return ""


def takes(parameters: Candidate, count: int) -> bool:
    """Tell whether a method can be called with a number of arguments."""
    if parameters and parameters[-1].kind == "rest":
        return count >= len(parameters) - 1
    return count == len(parameters)


def best_fits(candidates: Sequence[Candidate], count: int, types_of: Callable[[int], tuple[str, ...]]) -> list[int]:
    """Return the places of the candidates that fit best.

    `types_of(place)` gives the simple names that the argument at a place has, the nearest first; empty when they are
    not known; `null` for null.
    """
    fitting = [place for place, item in enumerate(candidates) if takes(item, count)]
    if len(fitting) < 2:
        return fitting
    fixed = [place for place in fitting if not (candidates[place] and candidates[place][-1].kind == "rest")]
    given = [types_of(place) for place in range(count)]
    for group in (fixed, fitting):  # methods of variable arity are asked last
        ranked = {place: rank for place in group if (rank := _rank(candidates[place], given)) is not None}
        if ranked:
            best = min(ranked.values())
            return [place for place, rank in ranked.items() if rank == best]
    return fitting


def _rank(parameters: Candidate, given: Sequence[tuple[str, ...]]) -> int | None:
    """Return how far the arguments are from the parameters, None when they do not fit."""
    total = 0
    for place, types in enumerate(given):
        parameter = parameters[min(place, len(parameters) - 1)]
        distance = _distance(types, simple_name(parameter.annotation))
        if distance is None:
            return None
        total += distance
    return total


def _distance(types: tuple[str, ...], wanted: str) -> int | None:
    if not types or not wanted:
        return 5
    if types[0] == "null":
        return None if wanted in PRIMITIVES else 5 + (wanted == "Object")
    if types[0] == "lambda":
        return None if wanted in _CLOSED or wanted == "[]" else 25 if _VARIABLE.match(wanted) else 5
    for steps, name in enumerate(types):
        if name == wanted:
            return 2 * steps
        wider = _WIDER.get(name, ())
        if wanted in wider:
            return 2 * steps + 1 + wider.index(wanted)
    if wanted == "Object":
        return 30
    is_closed = wanted in _CLOSED or types[0] in _CLOSED or "[]" in (wanted, types[0])
    return None if is_closed else 20
