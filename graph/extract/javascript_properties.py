"""Calls that assign: `Object.defineProperty`, `Object.assign`, `Object.setPrototypeOf`, `util.inherits`."""

from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, Name, Subscript
from graph.extract.javascript_walk import Walk

__all__ = ["assign_by_call", "assign_by_helper", "assign_by_loop"]

_DESCRIBING = {"value": "value", "get": "getter", "set": "setter"}
"""What each part of a descriptor is to the property: see `Assign.how`."""

_CLASS_HELPERS = frozenset({"_createClass", "__createClass", "_create_class"})
"""What compilers put in the place of class bodies: (constructor, descriptors of methods, descriptors of statics)."""


_INHERITING = frozenset({"__extends", "_inherits", "_inheritsLoose", "_inherits_loose", "inherits"})
"""What they put in the place of `extends`: (class, base class)."""


def assign_by_call(walk: Walk, function: Attribute, arguments: tuple[Expr, ...], line: int) -> None:
    """Record what `Object.defineProperty` and its kin assign to properties and prototypes."""
    owner = function.base.id if isinstance(function.base, Name) else ""
    match owner, function.name, arguments:
        case (("Object" | "Reflect"), "defineProperty", (target, key, how, *_)):
            _assign_described(walk, _place(target, key, line), how, line)
        case "Object", "defineProperties", (target, Collection() as table):
            for key, how in zip(table.keys, table.values, strict=False):
                _assign_described(walk, _place(target, key, line), how, line)
        case "Object", "defineProperties", (target, Name() | Attribute() | CallExpr() as table):
            walk.assign(Attribute(target, "<described>", line), table, line)
        case (("Object" | "Reflect"), "setPrototypeOf", (target, prototype, *_)):
            walk.assign(Attribute(target, "__proto__", line), prototype, line)
        case "Object", "assign", (target, *sources) if isinstance(target, Name | Attribute):
            for source in sources:  # what is copied is looked up like what is inherited
                walk.assign(Attribute(target, "__proto__", line), source, line)
        case "util", "inherits", (target, base):
            _inherit(walk, target, base, line)
        case _, "__extends", (target, base):
            _inherit(walk, target, base, line)
        case _:
            pass


def assign_by_loop(walk: Walk, target: Expr, value: Expr, line: int) -> None:
    """Record `to[key] = from[key]`, which copies whatever the keys are: it is looked up like what is inherited."""
    match target, value:
        case Subscript(base=Name() as to, index=Name(id=key)), Subscript(base=Name() as source, index=Name(id=same)):
            if key == same and to != source:
                walk.assign(Attribute(to, "__proto__", line), source, line)
        case _:
            pass


def _inherit(walk: Walk, target: Expr, base: Expr, line: int) -> None:
    below = Attribute(Attribute(target, "prototype", line), "__proto__", line)
    walk.assign(below, Attribute(base, "prototype", line), line)
    walk.assign(Attribute(target, "__proto__", line), base, line)


def assign_by_helper(walk: Walk, function: Name, arguments: tuple[Expr, ...], line: int) -> None:
    """Record the methods of a class that was compiled: `_createClass(A, [{key: "m", value: function () {}}])`."""
    if function.id in _INHERITING and len(arguments) > 1:
        _inherit(walk, arguments[0], arguments[1], line)
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


def _place(target: Expr, key: Expr, line: int) -> Attribute | Subscript:
    """Return the property that a key names."""
    if isinstance(key, Constant) and key.type == "str" and key.value:
        return Attribute(target, key.value, line)
    return Subscript(target, key)


def _assign_described(walk: Walk, target: Attribute | Subscript, how: Expr, line: int) -> None:
    """Record what a descriptor gives to a property; one that is not written out is read when it is looked up."""
    if isinstance(how, Collection):
        for key, value in zip(how.keys, how.values, strict=False):
            if isinstance(key, Constant) and key.value in _DESCRIBING:
                walk.assign(target, value, line, _DESCRIBING[key.value])
    elif isinstance(how, Name | Attribute):
        for part, kind in _DESCRIBING.items():
            walk.assign(target, Attribute(how, part, line), line, kind)
