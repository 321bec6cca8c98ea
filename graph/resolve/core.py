"""The machinery below the evaluator: memory for one resolution, guards against cycles, a budget, and dependencies.

A result that ran into something still being computed is only part of the truth, so it is not kept at first. The budget
bounds what that costs on hostile sources. All of it lives for the resolution of one file: nothing is shared between
files, so their order can never matter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import cast

from graph.extract.facts import Assign, CallExpr, Collection, Expr
from graph.resolve.bindings import Binding, Bindings
from graph.resolve.languages import LanguageRules
from graph.resolve.values import Class, Function, Literal, Method, Value, Values
from graph.resolve.views import FileView
from graph.resolve.world import World
from graph.resolve.written_keys import WrittenKeys

__all__ = ["MAX_ALTERNATIVES", "MAX_NESTING", "EvaluatorCore", "Flows", "union"]

MAX_ALTERNATIVES = 12
"""A value with more alternatives is as good as unknown; the first ones in source order are kept."""

_MAX_DEPTH = 40
"""Open computations at once. Real chains of re-exports and returns are under 15; each takes up to eight frames, and the
default recursion limit of CPython is 1,000."""

MAX_NESTING = 45
"""Nested expressions that are evaluated at once, over all open computations; up to six frames each."""

_MAX_STEPS = 60_000
"""Computations for one file, after which no more returns are inferred: those of thousands of functions that call each
other in circles cost the most, and what a name, a member or a class is must be found in a generated parser too."""

_MAX_LOOKUPS = 12
"""Computations for each call, assignment and mention of a file that may follow when the steps are spent."""

_MAX_TRIES = 3
"""So often a computation inside a cycle is repeated before its partial result is kept."""

_MAX_ASIDE = 3
"""Computations over whole files that may wait for each other."""

_NEVER = 1_000_000


class Flows(dict[tuple[str, int, int], Values]):
    """Values by (path, scope, index of the parameter). Remembers what was asked for: read it by `get` alone."""

    def __init__(self, handed: Mapping[tuple[str, int, int], Values]) -> None:
        super().__init__(handed)
        self._asked: set[tuple[str, int, int]] = set()

    def get(self, key: tuple[str, int, int], default: Values = ()) -> Values:  # type: ignore[override] # of one type
        """Return what is handed to a parameter."""
        self._asked.add(key)
        return super().get(key, default)

    def is_refuted_by(self, handed: Mapping[tuple[str, int, int], Values]) -> bool:
        """Say whether something that was asked for is otherwise in these."""
        return any(super(Flows, self).get(key) != handed.get(key) for key in self._asked)


class EvaluatorCore:
    """State of one resolution, and the questions that its parts ask each other."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.depends: set[str] = set()
        self.asked: set[str] = set()
        """The names that other files were asked for; what else they say has no part in the result."""
        self.flows = Flows({})
        """What call sites hand to parameters, by (path, scope, index)."""
        self._held: dict[str, FileView] = {}
        self._memory: dict[Hashable, Values] = {}
        self._open: dict[Hashable, int] = {}
        self._reached = _NEVER
        self._steps = _MAX_STEPS
        self._lookups = 0
        self._orders: dict[Class, tuple[Class, ...]] = {}
        self._families: dict[str, dict[int, list[Class]]] = {}
        """By path and class: the classes of that file below it."""
        self._hangers: dict[tuple[str, str], dict[Value, list[tuple[int, Assign]]]] = {}
        """By path and attribute, then by owner: what the file assigns to it from outside."""
        self._nesting = 0
        self._aside: set[str] = set()
        self._tries: dict[Hashable, int] = {}
        self._final: dict[tuple[int, int, int], tuple[Expr, Values]] = {}
        """Attributes asked for while nothing was open, by identity; each entry keeps its expression alive."""
        self._literals: list[tuple[FileView, int, Collection, int]] = []
        self._literal_numbers: dict[int, int] = {}
        self._written_keys: dict[int, tuple[Collection, WrittenKeys]] = {}
        """The keys of tables by identity; each entry keeps its table alive."""

    def allow(self, view: FileView) -> None:
        """Let the work grow with the file that is resolved, as far as it only looks names and members up."""
        scopes = view.facts.scopes
        places = sum(len(scope.calls) + len(scope.assigns) + len(scope.references) for scope in scopes)
        self._lookups = _MAX_LOOKUPS * places

    def forget(self) -> None:
        """Drop what was computed, for another round with richer flows."""
        self._memory.clear()
        self._tries.clear()
        self._final.clear()
        self._orders.clear()
        self._families.clear()
        self._hangers.clear()
        self._steps = _MAX_STEPS

    def view(self, path: str) -> FileView:
        """Return an opened file; reading it makes the result depend on it."""
        view = self._held.get(path)
        if view is None:
            view = self._held[path] = self.world.view(path)
            view.asked = self.asked
            self.depends.add(path)
        return view

    def rules(self, view: FileView) -> LanguageRules:
        """Return the rules of a file that is being evaluated."""
        return view.rules

    def listen(self, signals: Iterable[str]) -> None:
        """Make the result depend on paths or signals that were asked for."""
        self.depends.update(signals)

    def recall(self, key: Hashable) -> Values | None:
        """Return a result that is kept, None when there is none: the fast way in before `guarded`."""
        return self._memory.get(key)

    def guarded(self, key: Hashable, compute: Callable[[], Values]) -> Values:
        """Return a memoised result; inside its own computation it is empty."""
        found = self._memory.get(key)
        if found is not None:
            return found
        if key in self._open:
            self._reached = min(self._reached, self._open[key])
            return ()
        self._steps -= 1
        depth = len(self._open)
        if depth >= _MAX_DEPTH or (self._steps < 0 and self._is_spent(key)):
            return ()
        outer, self._reached = self._reached, _NEVER
        self._open[key] = depth
        try:
            result = compute()
        finally:
            del self._open[key]
        if self._reached >= depth:
            self._memory[key] = result
            self._reached = outer
            return result
        self._reached = min(self._reached, outer)
        tries = self._tries[key] = self._tries.get(key, 0) + 1
        if tries >= _MAX_TRIES:
            self._memory[key] = result
        return result

    def _is_spent(self, key: Hashable) -> bool:
        """Tell whether a computation is one that the file has no more steps for."""
        if self._steps < -self._lookups:
            return True
        return isinstance(key, tuple) and cast("tuple[object, ...]", key)[0] == "returned"

    def aside(self, path: str, compute: Callable[[], None]) -> bool:
        """Run a computation over a whole file as if nothing else were open; False when it may not run now.

        It does not run inside itself, and not more than a few at once; what asked for it is then not kept.
        """
        if path in self._aside or len(self._aside) >= _MAX_ASIDE:
            self._reached = -1
            return False
        self._aside.add(path)
        outer = self._open, self._reached
        self._open, self._reached = {}, _NEVER
        try:
            compute()
        finally:
            self._aside.discard(path)
            self._open, self._reached = outer
        return True

    def too_deep(self) -> Values:
        """Give up on an expression. What depends on it is kept: the order of questions is fixed, so is the answer."""
        return ()

    def literal(self, view: FileView, scope: int, expr: Collection, line: int) -> Literal:
        """Return the value that stands for a written-out collection; the same expression gives the same value."""
        number = self._literal_numbers.get(id(expr))
        if number is None:
            number = self._literal_numbers[id(expr)] = len(self._literals)
            self._literals.append((view, scope, expr, line))
        return Literal(number)

    def literal_of(self, value: Literal) -> tuple[FileView, int, Collection, int]:
        """Return the file, scope, expression and line of a written-out collection."""
        return self._literals[value.number]

    def put(self, value: Literal, wanted: frozenset[str] | None) -> Values:
        """Return what is put into a literal later under the wanted keys, None for all."""
        raise NotImplementedError

    def put_surely(self, value: Literal, wanted: frozenset[str]) -> bool:
        """Tell whether a wanted key is always overwritten."""
        raise NotImplementedError

    # -- the questions, answered by the subclasses ----------------------------------------------------------------

    def evaluate(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        """Return what an expression may be, read at a line of a scope."""
        raise NotImplementedError

    def name(self, view: FileView, scope: int, name: str, line: int) -> Values:
        """Return what a bare name may be there."""
        raise NotImplementedError

    def find(self, view: FileView, scope: int, name: str) -> tuple[int, bool] | None:
        """Return the scope that binds a name seen from a scope, and whether both run as one frame."""
        raise NotImplementedError

    def bound(self, view: FileView, bindings: Bindings, line: int) -> Values:
        """Return what the bindings that reach a line hold."""
        raise NotImplementedError

    def binding(self, view: FileView, binding: Binding) -> Values:
        """Return what one binding holds."""
        raise NotImplementedError

    def assigned(self, view: FileView, scope: int, assign: Assign) -> Values:
        """Return what an assignment gives to its target."""
        raise NotImplementedError

    def injected(self, view: FileView, scope: int, index: int) -> Values:
        """Return what a framework hands to a parameter that nobody writes an argument for."""
        raise NotImplementedError

    def parameter(self, view: FileView, scope: int, index: int) -> Values:
        """Return what a parameter of a function may be."""
        raise NotImplementedError

    def module_name(self, path: str, name: str) -> Values:
        """Return what a global name of a module is once the module has run."""
        raise NotImplementedError

    def types(self, view: FileView, scope: int, expr: Expr, line: int) -> Values:
        """Return what a thing annotated with an expression may be."""
        raise NotImplementedError

    def attribute(self, value: Value, name: str) -> Values:
        """Return what `value.name` may be."""
        raise NotImplementedError

    def member(self, owner: Class, name: str) -> Values:
        """Return a member as the class or one of its bases defines it, unbound."""
        raise NotImplementedError

    def own_member(self, owner: Class, name: str) -> Values:
        """Return a member that this very class defines, unbound."""
        raise NotImplementedError

    def ancestors(self, owner: Class) -> tuple[Class, ...]:
        """Return a class and its bases in the order in which members are looked up."""
        raise NotImplementedError

    def elements(self, value: Value) -> Values:
        """Return what iterating a value gives."""
        raise NotImplementedError

    def item(self, value: Value, keys: Values) -> Values:
        """Return what `value[key]` may be."""
        raise NotImplementedError

    def container_call(self, method: Method, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return what a method of a built-in container gives."""
        raise NotImplementedError

    def entered(self, value: Value) -> Values:
        """Return what `with value as x` gives to x."""
        raise NotImplementedError

    def called(self, value: Value, call: CallExpr | None, view: FileView, scope: int) -> Values:
        """Return what calling a value gives; the call, if there is one, stands in `scope` of `view`."""
        raise NotImplementedError

    def passed(self, view: FileView, scope: int, call: CallExpr) -> Iterable[tuple[Function, int, Values]]:
        """Return what a call hands to parameters of functions that it does not name as its callee: callbacks."""
        del view, scope, call
        return ()

    def implied(self, view: FileView) -> Iterable[tuple[Function, int, Values]]:
        """Return what a file hands to parameters without a call that has arguments: to `this`, to setters."""
        del view
        return ()

    def gathered(self, view: FileView, scope: int, call: CallExpr, items: tuple[Expr, ...]) -> Values:
        """Return what a parameter that takes several arguments gets from the last ones of a call."""
        return union(self.evaluate(view, scope, item, call.line) for item in items)

    def unwrapped(self, value: Value, call: CallExpr) -> tuple[Function, CallExpr] | None:
        """Return the function that a value calls with other arguments than are written, and that call of it."""
        del value, call
        return None

    def replacements(self, function: Function) -> Values:
        """Return the functions that run in the place of one that is called: what its decorators make of it."""
        del function
        return ()

    def returned(self, function: Function) -> Values:
        """Return what a function returns, its parameters left open."""
        raise NotImplementedError


def union(groups: Iterable[Values]) -> Values:
    """Return all alternatives of several results in order, each once, bounded."""
    first: Values = ()
    seen: dict[Value, None] | None = None
    for group in groups:
        if not group:
            continue
        if seen is None:
            if not first and len(group) == 1:
                first = tuple(group)  # nearly always the only one
                continue
            seen = dict.fromkeys(first)
        for value in group:
            seen[value] = None
            if len(seen) >= MAX_ALTERNATIVES:
                return tuple(seen)
    return first if seen is None else tuple(seen)
