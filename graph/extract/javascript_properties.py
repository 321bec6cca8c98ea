"""Calls that assign: `Object.defineProperty`, `Object.assign`, `Object.setPrototypeOf`, `util.inherits`."""

from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, Name
from graph.extract.javascript_walk import Walk

__all__ = ["assign_by_call", "assign_by_helper"]

_CLASS_HELPERS = frozenset({"_createClass", "__createClass", "_create_class"})
"""What compilers put in the place of class bodies: (constructor, descriptors of methods, descriptors of statics)."""


def assign_by_call(walk: Walk, function: Attribute, arguments: tuple[Expr, ...], line: int) -> None:
    """Record what `Object.defineProperty` and its kin assign to properties and prototypes."""
    owner = function.base.id if isinstance(function.base, Name) else ""
    match owner, function.name, arguments:
        case (
            ("Object" | "Reflect"),
            "defineProperty",
            (target, Constant(type="str", value=name), Collection() as how),
        ):
            _assign_described(walk, Attribute(target, name, line), how, line)
        case "Object", "defineProperties", (target, Collection() as table):
            for key, value in zip(table.keys, table.values, strict=False):
                if isinstance(key, Constant) and isinstance(value, Collection):
                    _assign_described(walk, Attribute(target, key.value, line), value, line)
        case (("Object" | "Reflect"), "setPrototypeOf", (target, prototype, *_)):
            walk.assign(Attribute(target, "__proto__", line), prototype, line)
        case "Object", "assign", (target, *sources) if isinstance(target, Name | Attribute):
            for source in sources:  # what is copied is looked up like what is inherited
                walk.assign(Attribute(target, "__proto__", line), source, line)
        case "util", "inherits", (target, base):
            below = Attribute(Attribute(target, "prototype", line), "__proto__", line)
            walk.assign(below, Attribute(base, "prototype", line), line)
        case _:
            pass


def assign_by_helper(walk: Walk, function: Name, arguments: tuple[Expr, ...], line: int) -> None:
    """Record the methods of a class that was compiled: `_createClass(A, [{key: "m", value: function () {}}])`."""
    if function.id not in _CLASS_HELPERS or not arguments:
        return
    owner = arguments[0]
    for target, listed in zip((Attribute(owner, "prototype", line), owner), arguments[1:3], strict=False):
        for item in listed.values if isinstance(listed, Collection) else ():
            name = _name_in(item)
            if name and isinstance(item, Collection):
                _assign_described(walk, Attribute(target, name, line), item, line)


def _name_in(item: Expr) -> str:
    """Return the name that a descriptor of a method states, empty when it states none."""
    pairs = zip(item.keys, item.values, strict=False) if isinstance(item, Collection) else ()
    return next(
        (
            value.value
            for key, value in pairs
            if isinstance(key, Constant) and key.value == "key" and isinstance(value, Constant)
        ),
        "",
    )


def _assign_described(walk: Walk, target: Attribute, how: Collection, line: int) -> None:
    for key, value in zip(how.keys, how.values, strict=False):
        if isinstance(key, Constant) and key.value == "value":
            walk.assign(target, value, line)
        elif isinstance(key, Constant) and key.value == "get":
            walk.assign(target, CallExpr(value, line), line)
