"""The bindings of one name in one scope, and which of them a read at a line may see."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

from graph.extract.facts import Assign, Definition, Import, ImportedName

__all__ = ["Binding", "Bindings"]


class Binding(Struct, frozen=True, gc=False):
    """One way in which a name gets a value in a scope. Exactly one of the last five is set."""

    line: int
    """From where on it holds; 0 for parameters."""
    flow: int
    """Like `Assign.flow`."""
    scope: int
    """The scope in which the value is to be evaluated."""
    definition: int = -1
    parameter: int = -1
    assign: Assign | None = None
    item: Import | None = None
    imported: ImportedName | None = None


class Bindings:
    """All bindings of a name in a scope, sorted by line and sorted out by what they say."""

    __slots__ = ("_last_sure", "_lines", "_narrow", "declared", "everything", "values")

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
        self._lines = [binding.line for binding in self.values]
        self._last_sure: list[int] = []
        last = 0
        for place, binding in enumerate(self.values):
            last = place if binding.flow == 0 else last
            self._last_sure.append(last)

    def reaching(self, line: int) -> list[Binding]:
        """Return the bindings that a read at a line may see; line 0 reads after everything has run."""
        values = self.values
        if len(values) <= 1:
            return values
        if line <= 0:
            return values[self._last_sure[-1] :]
        place = bisect_left(self._lines, line)
        if place == 0:
            return values
        return values[self._last_sure[place - 1] : place] + [item for item in values[place:] if item.flow == 2]

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
