"""The bindings of one name in one scope, and which of them a read at a line may see."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

from graph.extract.facts import Assign, Definition, Import, ImportedName
from graph.resolve.spans import Spans

__all__ = ["Binding", "Bindings"]

_LOOP = 2
_ANYTIME = 3

_MAX_REACHING = 64
"""Bindings that one read may see; the nearest ones are kept. Generated code binds a name thousands of times."""


class Binding(Struct, frozen=True, gc=False):
    """One way in which a name gets a value in a scope. Exactly one of the last five is set."""

    line: int
    """From where on it holds; 0 for parameters."""
    flow: int
    """Like `Assign.flow`; 3 where a function assigns a variable around it: whenever it runs, all lines may see it."""
    scope: int
    """The scope in which the value is to be evaluated."""
    definition: int = -1
    parameter: int = -1
    assign: Assign | None = None
    item: Import | None = None
    imported: ImportedName | None = None
    until: int = 0
    """Like `Assign.until`."""


class Bindings:
    """All bindings of a name in a scope, sorted by line and sorted out by what they say."""

    __slots__ = (
        "_anytime",
        "_holding",
        "_last_sure",
        "_lines",
        "_looping",
        "_ordered",
        "_tests",
        "declared",
        "everything",
        "values",
    )

    def __init__(self, everything: list[Binding], definitions: Sequence[Definition]) -> None:
        if len(everything) > 1:
            everything.sort(key=_line)
        self.everything = everything
        self.declared: list[Binding] = []
        """What only declares a type."""
        self.values: list[Binding] = []
        """What gives a value: no declarations, no type tests, no overload stubs or setters."""
        tests: list[tuple[int, int, Binding]] = []
        holding: list[tuple[int, int, Binding]] = []
        for binding in everything:
            how = binding.assign.how if binding.assign is not None else ""
            if how == "annotation":
                self.declared.append(binding)
            elif how.startswith("narrow:"):
                tests.append((binding.line, int(how[7:]), binding))
            elif how.startswith("holds:"):
                holding.append((binding.line, int(how[6:]), binding))
            elif binding.definition < 0 or not _is_beside(definitions[binding.definition]):
                self.values.append(binding)
        self._tests = Spans(tests) if tests else None
        self._holding = Spans(holding) if holding else None
        self._anytime: list[Binding] = []
        self._ordered = self.values
        self._lines = [binding.line for binding in self.values]
        self._looping: list[int] = []
        """The places of what is bound in a loop, which lines above it see too."""
        self._last_sure: list[int] = [0]
        if len(self.values) > 1:
            self._sort_out()

    def _sort_out(self) -> None:
        """Tell apart what is bound in order, in loops, and at any time; a single binding is none of these."""
        self._anytime = [binding for binding in self.values if binding.flow == _ANYTIME]
        if self._anytime:
            self._ordered = [binding for binding in self.values if binding.flow != _ANYTIME]
            self._lines = [binding.line for binding in self._ordered]
        self._looping = [place for place, binding in enumerate(self._ordered) if binding.flow == _LOOP]
        self._last_sure = []
        last = 0
        for place, binding in enumerate(self._ordered):
            last = place if binding.flow == 0 else last
            self._last_sure.append(last)

    def reaching(self, line: int) -> list[Binding]:
        """Return the bindings that a read at a line may see; line 0 reads after everything has run."""
        if len(self.values) <= 1:
            return self.values
        return self._in_order(line) + self._anytime[-_MAX_REACHING:] if self._anytime else self._in_order(line)

    def _in_order(self, line: int) -> list[Binding]:
        values = self._ordered
        if len(values) <= 1:
            return values
        if line <= 0:
            return values[max(self._last_sure[-1], len(values) - _MAX_REACHING) :]
        place = bisect_left(self._lines, line)
        if place == 0:
            return values[:_MAX_REACHING]
        first = max(self._last_sure[place - 1], place - _MAX_REACHING)
        for at in range(place - 1, first, -1):
            if values[at].until >= line:  # whoever comes to this line has passed it, in each turn of a loop
                return values[at:place]
        later = bisect_left(self._looping, place)
        return values[first:place] + [values[at] for at in self._looping[later : later + _MAX_REACHING]]

    def is_bound(self, line: int) -> bool:
        """Tell whether anything gives the name a value before a line, or in a loop around it."""
        return any(item.line < line or item.flow > 1 for item in self.everything)

    def narrowed(self, line: int) -> Binding | None:
        """Return the innermost type test that holds at a line, unless the name was bound again since."""
        found = self._tests.at(line) if self._tests is not None else []
        return found[-1] if found and not self.rebound(found[-1].line, line) else None

    def holding(self, line: int) -> list[Binding]:
        """Return the calls that may be type tests and hold at a line, the innermost first."""
        found = self._holding.at(line) if self._holding is not None else []
        return [binding for binding in reversed(found) if not self.rebound(binding.line, line)]

    def rebound(self, after: int, before: int) -> bool:
        """Tell whether the name gets a value on a line between these two."""
        place = bisect_left(self._lines, before)
        return (place > 0 and self._lines[place - 1] > after) or any(
            after < binding.line < before for binding in self._anytime[:_MAX_REACHING]
        )


def _line(binding: Binding) -> int:
    return binding.line


def _is_beside(definition: Definition) -> bool:
    """Tell whether a definition only decorates another one of its name."""
    modifiers = definition.modifiers
    return "setter" in modifiers or "deleter" in modifiers or "overload" in modifiers
