"""A type with a variable in it against what an argument really is: `list[T]` against a list of users gives User."""

from __future__ import annotations

from graph.extract.facts import Attribute, Collection, Expr, Name, Subscript, Union
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import Class, Elements, Function, Instance, Literal, Method, Returning, Value, Values

__all__ = ["last_name", "match_type"]

_TRANSPARENT = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable", "Coroutine", "Required"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict"})
_MAX_DEPTH = 6


def last_name(expr: Expr) -> str:
    """Return the last part of a dotted name, nothing for anything else."""
    match expr:
        case Attribute(name=name):
            return name
        case Name(id=name):
            return name
        case _:
            return ""


def match_type(evaluator: EvaluatorCore, annotation: Expr, name: str, given: Values, depth: int = 0) -> Values:
    """Return what a type variable stands for, if a thing of this type is what was given."""
    if depth > _MAX_DEPTH or not given:
        return ()
    match annotation:
        case Name(id=written):
            return given if written == name else ()
        case Union(options=options):
            return union(match_type(evaluator, option, name, given, depth + 1) for option in options)
        case Subscript(base=base, index=index):
            written_items = index.values if isinstance(index, Collection) else (index,)
            return _applied(evaluator, last_name(base), written_items, name, given, depth + 1)
        case _:
            return ()


def _applied(
    evaluator: EvaluatorCore, base: str, items: tuple[Expr, ...], name: str, given: Values, depth: int
) -> Values:
    if base in _TRANSPARENT:
        return union(match_type(evaluator, item, name, given, depth) for item in items)
    if base in ("type", "Type"):
        made = tuple(Instance(value.path, value.index) for value in given if isinstance(value, Class))
        return union(match_type(evaluator, item, name, made, depth) for item in items)
    if base == "Callable":
        results = union(_result(evaluator, value) for value in given)
        return match_type(evaluator, items[-1], name, results, depth) if items else ()
    own = [value.arguments for value in given if isinstance(value, Instance) and value.arguments]
    if own:
        places = [(item, union(some[place] for some in own if place < len(some))) for place, item in enumerate(items)]
        return union(match_type(evaluator, item, name, found, depth) for item, found in places)
    if base in _MAPPINGS and len(items) == 2:
        held = union(evaluator.item(value, ()) for value in given)
        keys = union(evaluator.elements(value) for value in given)
        return union(
            (match_type(evaluator, items[0], name, keys, depth), match_type(evaluator, items[1], name, held, depth))
        )
    held = union(evaluator.elements(value) for value in given if isinstance(value, Elements | Literal | Instance))
    return match_type(evaluator, items[0], name, held, depth) if items else ()


def _result(evaluator: EvaluatorCore, value: Value) -> Values:
    match value:
        case Function():
            return evaluator.returned(value)
        case Class(path=path, index=index):
            return (Instance(path, index),)
        case Returning(items=items):
            return items
        case Method():
            return ()
        case _:
            return ()
