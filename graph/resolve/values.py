"""What an expression may stand for, as far as resolution follows it.

Values are small and hashable: they name things by path and number and hold no facts, so that they can be memoised, put
in sets and compared across files. The commonest ones keep their hash: each is part of a key that is looked up, opened,
closed and kept.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

__all__ = [
    "Class",
    "Constant",
    "Elements",
    "External",
    "Function",
    "Generic",
    "Given",
    "Instance",
    "Literal",
    "Method",
    "Module",
    "Package",
    "ParameterOf",
    "Returning",
    "Shape",
    "Super",
    "TypeVariable",
    "Value",
    "Values",
]


class Module(Struct, frozen=True, gc=False):
    """A file as a module."""

    path: str


class Package(Struct, frozen=True, gc=False):
    """A folder as a module without a file of its own: a namespace package. `folder` has no trailing slash."""

    folder: str


class External(Struct, frozen=True, gc=False):
    """Something outside the repository, by its dotted name as far as it is known."""

    name: str


class Class(Struct, frozen=True, gc=False, cache_hash=True):
    """A class object."""

    path: str
    index: int


class Instance(Struct, frozen=True, gc=False, cache_hash=True):
    """An instance of a class of the repository."""

    path: str
    index: int
    is_self: bool = False
    """It is the receiver of the method at hand, so its real class may be narrower."""
    arguments: tuple[tuple[Value, ...], ...] = ()
    """What the type parameters of a generic class stand for, in their order; empty where that is not known."""


class Function(Struct, frozen=True, gc=False, cache_hash=True):
    """A function, method or lambda by the scope of its body, bound to a receiver where it has one."""

    path: str
    scope: int
    receiver: Value | None = None


class Literal(Struct, frozen=True, gc=False):
    """A written-out collection, by its place in the table of the evaluator that met it."""

    number: int


class Elements(Struct, frozen=True, gc=False):
    """A container known by what it holds: `kind` is `list`, `tuple`, `dict`, `iterator`, `context`."""

    kind: str
    items: tuple[Value, ...]
    """What iteration gives; the keys of a dict; what a context manager enters; for `tuple` one item a place."""
    values: tuple[Value, ...] = ()
    """The values of a dict."""


class Constant(Struct, frozen=True, gc=False):
    """A literal of a basic type."""

    type: str
    value: str


class Returning(Struct, frozen=True, gc=False):
    """A callable known only by what it returns: `Callable[..., T]`."""

    items: tuple[Value, ...]
    parameters: tuple[Value, ...] = ()
    """What it is called with, one value a place, as far as its type says so."""


class Method(Struct, frozen=True, gc=False):
    """A method of a built-in container."""

    owner: Value
    name: str


class Super(Struct, frozen=True, gc=False):
    """`super()` in a class: members are looked up behind that class in the order of the receiver's class."""

    path: str
    index: int
    receiver: Value


class ParameterOf(Struct, frozen=True, gc=False):
    """A parameter whose value only a call can tell; replaced by the argument when the result of a call is computed."""

    path: str
    scope: int
    index: int


class TypeVariable(Struct, frozen=True, gc=False):
    """A thing whose type is a type parameter; what it is, a receiver or a call tells."""

    path: str
    name: str
    bounds: tuple[Value, ...] = ()
    """What it is at least: instances of its bound, or of any of its constraints."""
    is_class: bool = False
    """It is the class itself: `type[T]`."""


class Given(Struct, frozen=True, gc=False):
    """What type parameters stand for where a generic type is used; it is the receiver of a function type."""

    meanings: tuple[tuple[str, tuple[Value, ...]], ...]
    """By path and name of the variable."""


class Generic(Struct, frozen=True, gc=False):
    """A type alias with parameters that nothing has filled in yet."""

    items: tuple[Value, ...]
    parameters: tuple[TypeVariable, ...]


class Shape(Struct, frozen=True):
    """An object known by a scope: an object literal, what a constructor function makes, an object type, a namespace."""

    path: str
    scope: int
    given: Given | None = None
    """What the type parameters stand for that an object type mentions."""


Value: TypeAlias = (
    Module
    | Package
    | External
    | Class
    | Instance
    | Function
    | Literal
    | Elements
    | Constant
    | Returning
    | Method
    | Super
    | ParameterOf
    | Shape
    | TypeVariable
    | Given
    | Generic
)

Values: TypeAlias = tuple[Value, ...]
"""Alternatives in a fixed order, each once; empty when nothing is known."""
