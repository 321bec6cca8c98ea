"""Type variables of TypeScript inside of values: whether there are any, and values with others in their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from graph.resolve.core import union
from graph.resolve.values import (
    Elements,
    External,
    Function,
    Generic,
    Given,
    Instance,
    Method,
    Shape,
    TypeVariable,
    Value,
    Values,
)

__all__ = ["is_open", "key_of", "substituted"]

_MAX_DEPTH = 3
"""Types inside of types are followed so deep: a recursive type never ends."""

Signature = Callable[["Function | Shape"], bool]
"""Tells whether a function or an object is but a type that is written out."""


def key_of(variable: TypeVariable) -> str:
    """Return what tells a type variable from all others."""
    return f"{variable.path} {variable.name}"


def is_open(value: Value, is_signature: Signature, depth: int = 0) -> bool:
    """Tell whether a value holds a type variable, or is a written type that may mention one."""
    if depth > _MAX_DEPTH:
        return False
    match value:
        case TypeVariable() | Generic():
            return True
        case Instance(arguments=arguments):
            return any(is_open(item, is_signature, depth + 1) for some in arguments for item in some)
        case Elements(items=items, values=held):
            return any(is_open(item, is_signature, depth + 1) for item in (*items, *held))
        case Function(receiver=Given(meanings=meanings)) | Shape(given=Given(meanings=meanings)):
            return any(is_open(item, is_signature, depth + 1) for _, some in meanings for item in some)
        case Function(receiver=None) | Shape(given=None):
            return is_signature(value)
        case Method(owner=owner):
            return is_open(owner, is_signature, depth + 1)
        case _:
            return False


def substituted(value: Value, meanings: Mapping[str, Values], is_signature: Signature, depth: int) -> Values:
    """Return a value with its type variables replaced; those that nothing is known of stay."""
    if depth > _MAX_DEPTH:
        return (value,)

    def inside(values: Values) -> Values:
        return union(substituted(item, meanings, is_signature, depth + 1) for item in values)

    match value:
        case TypeVariable():
            return meanings.get(key_of(value), (value,))
        case Generic(items=items):
            return inside(items)
        case Instance(arguments=arguments) if arguments:
            return (replace(value, arguments=tuple(inside(some) for some in arguments)),)
        case Elements(kind="tuple", items=items):
            places = (inside((item,)) for item in items)
            return (Elements("tuple", tuple(found[0] if found else External("?") for found in places)),)
        case Elements(kind=kind, items=items, values=held):
            return (Elements(kind, inside(items), inside(held)),)
        case Function() | Shape():
            return (_written(value, meanings, inside, is_signature),)
        case Method(owner=owner):
            return tuple(replace(value, owner=item) for item in inside((owner,)))
        case _:
            return (value,)


def _written(
    value: Function | Shape, meanings: Mapping[str, Values], inside: Callable[[Values], Values], is_signature: Signature
) -> Value:
    """Return a type that is written out, with what the type variables in it stand for."""
    known = value.receiver if isinstance(value, Function) else value.given
    if isinstance(known, Given):
        given = _refined(known, inside)
    elif known is None and is_signature(value):
        given = Given(tuple(meanings.items()))
    else:
        return value
    return replace(value, receiver=given) if isinstance(value, Function) else replace(value, given=given)


def _refined(given: Given, inside: Callable[[Values], Values]) -> Given:
    return Given(tuple((key, inside(values)) for key, values in given.meanings))
