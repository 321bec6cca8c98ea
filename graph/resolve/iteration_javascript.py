"""What JavaScript iterates and takes apart: spread elements, rests, iterables of the repository, `arguments`."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from graph.extract.facts import CallExpr, Collection, Expr, Name, Subscript
from graph.extract.facts import Constant as ConstantExpr
from graph.resolve.core import union
from graph.resolve.members_javascript import ScriptMembers
from graph.resolve.values import Constant, Elements, Function, Instance, Literal, Shape, Value, Values
from graph.resolve.views import FileView
from graph.resolve.world import World

__all__ = ["ScriptIteration", "is_spread"]

_ITERATORS = ("[Symbol.iterator]", "[Symbol.asyncIterator]")


class ScriptIteration(ScriptMembers):
    """Reads what extraction marked as an element, a rest, a cast, or as written in another scope."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._unwritten: dict[tuple[int, int], tuple[object, Collection]] = {}
        """Lists that nobody wrote, by the identity of what they were made from, which is kept alive beside them."""

    def marked(self, view: FileView, scope: int, mark: str, index: Expr, line: int) -> Values:
        """Return what `<mark>[index]` stands for; see the extractors for the marks."""
        match mark, index:
            case "<each>", _:
                return union(self.elements(value) for value in self.evaluate(view, scope, index, line))
            case "<as>", Collection(values=(inner, declared)):
                return self.types(view, scope, declared, line) or self.evaluate(view, scope, inner, line)
            case "<in>", Collection(values=(inner,), scope=place):
                return self.evaluate(view, place, inner, 0)
            case "<rest>", Collection(values=(source, ConstantExpr(value=start))):
                values = self.evaluate(view, scope, source, line)
                return union(self._rest(value, int(start)) for value in values)
            case _:
                return super()._evaluate(view, scope, Subscript(Name(mark), index), line)

    def _rest(self, value: Value, start: int) -> Values:
        """Return the list of what stands in a list from a position on."""
        if isinstance(value, Elements) and value.kind == "tuple":
            return (Elements("tuple", value.items[start:]),)
        if not isinstance(value, Literal):
            return (value,)
        view, scope, expr, line = self.literal_of(value)
        if expr.keys or any(is_spread(item) for item in expr.values[:start]):
            return (value,)
        return (self.literal(view, scope, self.made_list(expr, start, expr.values[start:]), line),)

    def made_list(self, origin: object, number: int, values: tuple[Expr, ...]) -> Collection:
        """Return a list of expressions that nobody wrote as one; the same one for the same origin and number."""
        return self.made(origin, number, Collection("list", values))

    def made(self, origin: object, number: int, collection: Collection) -> Collection:
        """Return the first collection that was made from an origin under a number."""
        return self._unwritten.setdefault((id(origin), number), (origin, collection))[1]

    def gathered(self, view: FileView, scope: int, call: CallExpr, items: tuple[Expr, ...]) -> Values:
        place = len(call.arguments) - len(items)
        return (self.literal(view, scope, self.made_list(call, place, items), call.line),)

    def _written(self, view: FileView, scope: int, expr: Collection, wanted: list[str], line: int) -> tuple[Expr, ...]:
        if wanted and not expr.keys and any(is_spread(item) for item in expr.values):
            first = next(place for place, item in enumerate(expr.values) if is_spread(item))
            return _from_spread(expr.values, first, wanted)
        return super()._written(view, scope, expr, wanted, line)

    # -- iterables --------------------------------------------------------------------------------------------------

    def elements(self, value: Value) -> Values:
        if isinstance(value, Elements) and value.kind == "dict":  # a map gives its pairs
            key = value.items[0] if value.items else Constant("str", "")
            return tuple(Elements("tuple", (key, item)) for item in value.values)
        if not isinstance(value, Instance | Shape):
            return super().elements(value)
        return self.guarded(("elements", value), lambda: self._iterated(value)) or super().elements(value)

    def _iterated(self, value: Value) -> Values:
        found: list[Values] = []
        for iterator in self._iterators(value):
            if isinstance(iterator, Instance | Shape):
                steps = union(self._result(step) for step in self.attribute(iterator, "next"))
                found += [self.attribute(step, "value") for step in steps]
            elif isinstance(iterator, Elements | Literal):
                found.append(self.elements(iterator))
        return union(found)

    def _iterators(self, value: Value) -> Values:
        made = (self._result(item) for name in _ITERATORS for item in self.attribute(value, name))
        return union(made)

    def _result(self, value: Value) -> Values:
        if not isinstance(value, Function):
            return ()
        return self.called(value, None, self.view(value.path), value.scope)

    def iterating(self, value: Value) -> Values:
        """Return the functions that run when a value is iterated: the one that makes the iterator, and its `next`."""
        if not isinstance(value, Instance | Shape):
            return ()
        makers = union(self.attribute(value, name) for name in _ITERATORS)
        iterators = (item for item in self._iterators(value) if isinstance(item, Instance | Shape))
        return union([makers, *(self.attribute(item, "next") for item in iterators)])


def is_spread(expr: Expr) -> bool:
    """Tell whether an element or an argument stands for several."""
    return isinstance(expr, Subscript) and isinstance(expr.base, Name) and expr.base.id == "<each>"


def _from_spread(values: tuple[Expr, ...], first: int, wanted: list[str]) -> tuple[Expr, ...]:
    """Return what may stand at the wanted places of a list whose places are only sure before its first spread."""
    places = [int(place) for place in wanted if place.isdigit()]
    sure = [values[place] for place in places if place < first]
    if len(sure) == len(wanted):
        return tuple(sure)
    last = values[first]
    if first == len(values) - 1 and len(places) == len(wanted) and isinstance(last, Subscript):
        inside = (ConstantExpr("int", str(place - first)) for place in places if place >= first)
        return (*sure, *(Subscript(last.index, place) for place in inside))
    return (*sure, *values[first:])
