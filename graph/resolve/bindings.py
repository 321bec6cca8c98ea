"""The bindings of one name in one scope, and which of them a read at a line may see."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

from graph.extract.facts import Assign, Definition, Import, ImportedName

__all__ = ["Binding", "Bindings"]

_ANYTIME = 3


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

    __slots__ = ("_anytime", "_last_sure", "_lines", "_narrow", "_ordered", "declared", "everything", "values")

    def __init__(self, everything: list[Binding], definitions: Sequence[Definition]) -> None:
        everything.sort(key=_line)
        self.everything = everything
        self.declared: list[Binding] = []
        """What only declares a type."""
        self.values: list[Binding] = []
        """What gives a value: no declarations, no type tests, no overload stubs or setters."""
        self._narrow: list[Binding] = []
        for binding in everything:
            how = binding.assign.how if binding.assign is not None else ""
            if how == "annotation":
                self.declared.append(binding)
            elif how.startswith("narrow:"):
                self._narrow.append(binding)
            elif binding.definition < 0 or not _is_beside(definitions[binding.definition]):
                self.values.append(binding)
        self._anytime = [binding for binding in self.values if binding.flow == _ANYTIME]
        self._ordered = (
            [binding for binding in self.values if binding.flow != _ANYTIME] if self._anytime else self.values
        )
        self._lines = [binding.line for binding in self._ordered]
        self._last_sure: list[int] = []
        last = 0
        for place, binding in enumerate(self._ordered):
            last = place if binding.flow == 0 else last
            self._last_sure.append(last)

    def reaching(self, line: int) -> list[Binding]:
        """Return the bindings that a read at a line may see; line 0 reads after everything has run."""
        if len(self.values) <= 1:
            return self.values
        return self._in_order(line) + self._anytime if self._anytime else self._in_order(line)

    def _in_order(self, line: int) -> list[Binding]:
        values = self._ordered
        if len(values) <= 1:
            return values
        if line <= 0:
            return values[self._last_sure[-1] :]
        place = bisect_left(self._lines, line)
        if place == 0:
            return values
        first = self._last_sure[place - 1]
        for at in range(place - 1, first, -1):
            if values[at].until >= line:  # whoever comes to this line has passed it, in each turn of a loop
                return values[at:place]
        return values[first:place] + [item for item in values[place:] if item.flow == 2]

    def narrowed(self, line: int) -> Binding | None:
        """Return the innermost type test that holds at a line, unless the name was bound again since."""
        found: Binding | None = None
        for binding in self._narrow:
            assign = binding.assign
            if assign is not None and binding.line < line <= int(assign.how[7:]):
                found = binding
        if found is None:
            return None
        place = bisect_left(self._lines, line)
        return None if place and self._lines[place - 1] > found.line else found


def _line(binding: Binding) -> int:
    return binding.line


def _is_beside(definition: Definition) -> bool:
    """Tell whether a definition only decorates another one of its name."""
    modifiers = definition.modifiers
    return "setter" in modifiers or "deleter" in modifiers or "overload" in modifiers
