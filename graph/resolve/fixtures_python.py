"""What pytest hands to tests: a parameter without a value is the fixture of its name.

The nearest definition wins: the class, the file, then each `conftest.py` on the way up. This is pytest's own rule, and
without it nothing that tests do with a fixture would count as a use of the code under test.
"""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from collections.abc import Iterator

from graph.extract.facts import Attribute, CallExpr, Name
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import Elements, External, Function, Values
from graph.resolve.views import FileView

__all__ = ["FixtureReader"]


class FixtureReader(EvaluatorCore):
    """Reads the parameters of tests and of fixtures."""

    def injected(self, view: FileView, scope: int, index: int) -> Values:
        parameter = view.parameters(scope)[index]
        definition = view.definition_of(scope)
        if definition is None or parameter.default is not None or not view.path.endswith(".py"):
            return ()
        if not definition.name.startswith("test") and not self._is_fixture(view, scope):
            return ()
        for place, container in self._places(view, scope):
            found = place.bindings(container, parameter.name)
            for binding in reversed(found.values if found else []):
                if binding.definition < 0:
                    continue
                body = place.facts.definitions[binding.definition].scope
                is_itself = (place.path, body) == (view.path, scope)
                if body >= 0 and not is_itself and self._is_fixture(place, body):
                    return self._given(Function(place.path, body))
        return ()

    def _places(self, view: FileView, scope: int) -> Iterator[tuple[FileView, int]]:
        """Give the scopes that may define a fixture for a function, the nearest first."""
        parent = view.facts.scopes[scope].parent
        if parent > 0:
            yield view, parent
        yield view, 0
        folder = view.path.rpartition("/")[0]
        while True:
            path = f"{folder}/conftest.py" if folder else "conftest.py"
            if path != view.path:
                if path in self.world.known:
                    yield self.view(path), 0
                else:
                    self.listen((path,))
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    def _is_fixture(self, view: FileView, scope: int) -> bool:
        definition = view.definition_of(scope)
        if definition is None:
            return False
        for decorator in definition.decorators:
            written = decorator.function if isinstance(decorator, CallExpr) else decorator
            last = written.name if isinstance(written, Attribute) else written.id if isinstance(written, Name) else ""
            if last in ("fixture", "async_fixture"):
                values = self.evaluate(view, definition.owner, written, definition.start_line)
                if any(isinstance(value, External) and value.name.startswith("pytest") for value in values):
                    return True
        return False

    def _given(self, function: Function) -> Values:
        """Return what a fixture gives: what it returns, or what it yields once."""
        is_generator = self.view(function.path).facts.scopes[function.scope].is_generator
        values = self.returned(function)
        if not is_generator:
            return values
        return union(value.items for value in values if isinstance(value, Elements))
