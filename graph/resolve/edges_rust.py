"""The edges of one Rust file, where they differ from those of other languages."""

from __future__ import annotations

from graph.extract.facts import Import
from graph.model import EdgeKind, file_key
from graph.resolve.edges import EdgeCollector
from graph.resolve.evaluator_rust import RustEvaluator
from graph.resolve.values import Class, Function, Instance, Module, Shape, Value

__all__ = ["RustEdges"]


class RustEdges(EdgeCollector):
    """See `EdgeCollector`; a `use` leads to the file of what it names, behind re-exports."""

    def _imports(self) -> None:
        for item in self._view.facts.imports:
            for path in sorted(self._files_of(item)):
                if path != self._view.path:
                    self._add(file_key(self._view.path), EdgeKind.IMPORTS, file_key(path), item.line)

    def _files_of(self, item: Import) -> set[str]:
        evaluator = self._evaluator
        if not isinstance(evaluator, RustEvaluator):
            return set()
        found: set[str] = set()
        for imported in item.names:
            name = imported.name
            values = evaluator.imported(self._view, item, "" if name == "*" else name)
            modules = values if name in ("", "*") else evaluator.imported(self._view, item, "")
            found |= _paths(values) or _paths(modules)
        return found


def _paths(values: tuple[Value, ...]) -> set[str]:
    return {value.path for value in values if isinstance(value, Module | Shape | Class | Function | Instance)}
