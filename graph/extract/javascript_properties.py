"""Calls that assign: `Object.defineProperty`, `Object.assign`, `Object.setPrototypeOf`, `util.inherits`."""

from __future__ import annotations

from graph.extract.facts import Attribute, CallExpr, Collection, Constant, Expr, Name
from graph.extract.javascript_walk import Walk

__all__ = ["assign_by_call"]


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


def _assign_described(walk: Walk, target: Attribute, how: Collection, line: int) -> None:
    for key, value in zip(how.keys, how.values, strict=False):
        if isinstance(key, Constant) and key.value == "value":
            walk.assign(target, value, line)
        elif isinstance(key, Constant) and key.value == "get":
            walk.assign(target, CallExpr(value, line), line)
