"""The edges of one Go file, where they differ from those of other languages."""

# ruff: noqa: D102 - described once, in the class this one extends
from __future__ import annotations

from collections.abc import Iterator

from graph.extract.facts import Attribute, CallExpr, Expr, Import, Name, Subscript
from graph.model import EdgeKind, file_key
from graph.resolve.edges import EdgeCollector
from graph.resolve.rules_go import GO_RULES
from graph.resolve.values import Class, Package, Value

__all__ = ["GoEdges"]


class GoEdges(EdgeCollector):
    """See `EdgeCollector`; an import leads to the files that define what is used, a conversion is no call."""

    def _imports(self) -> None:
        used = self._used_names()
        for item in self._view.facts.imports:
            target = GO_RULES.import_target(self._evaluator.world, self._view.path, item)
            self._evaluator.listen(target.listens)
            if isinstance(target.value, Package):
                self._import(item, target.value.folder, used)

    def _import(self, item: Import, folder: str, used: dict[str, set[str]]) -> None:
        """Add edges to the files of a package that define what the file uses, to all where it uses nothing by name."""
        world = self._evaluator.world
        packages = GO_RULES.packages(world)
        self._evaluator.listen(packages.modules.files.get(folder, ()))
        bound = {packages.clause(world, folder), *(name.alias for name in item.names)}
        wanted = sorted({name for alias in bound for name in used.get(alias, ())})
        found = {path for name in wanted for path in packages.defining(world, folder, name)}
        for path in sorted(found) or packages.files(world, folder):
            if path != self._view.path:
                self._add(file_key(self._view.path), EdgeKind.IMPORTS, file_key(path), item.line)

    def _used_names(self) -> dict[str, set[str]]:
        """Return what stands behind a dot after each name of the file."""
        found: dict[str, set[str]] = {}
        for expr in self._expressions():
            while isinstance(expr, Attribute | Subscript | CallExpr):
                if isinstance(expr, Attribute) and isinstance(expr.base, Name):
                    found.setdefault(expr.base.id, set()).add(expr.name)
                expr = expr.function if isinstance(expr, CallExpr) else expr.base  # noqa: PLW2901 - down the chain
        return found

    def _expressions(self) -> Iterator[Expr]:
        for scope in self._view.facts.scopes:
            yield from scope.calls
            for expr, _ in scope.references:
                yield expr
            for assign in scope.assigns:
                yield assign.value

    def target_of(self, value: Value) -> str | None:
        # `T(x)` converts and `T{}` makes a value: neither runs anything of T.
        return None if isinstance(value, Class) else super().target_of(value)
