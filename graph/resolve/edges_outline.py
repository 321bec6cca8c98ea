"""The edges of one file in languages whose imports take in whole packages.

`using Shop.Pricing` reads those files of the namespace whose types the file names; all other imports read one file.
"""

from __future__ import annotations

from graph.extract.facts import Collection, Import, Name
from graph.model import EdgeKind, file_key
from graph.resolve.edges import EdgeCollector
from graph.resolve.modules_outline import packages_of
from graph.resolve.rules_outline import OutlineRules

__all__ = ["OutlineEdges"]


class OutlineEdges(EdgeCollector):
    """See `EdgeCollector`."""

    def _imports(self) -> None:
        view, evaluator = self._view, self._evaluator
        rules = evaluator.rules(view)
        if not isinstance(rules, OutlineRules):
            return
        source = file_key(view.path)
        wanted = self._wanted()
        for item in view.facts.imports:
            if wanted and any(name.name == "*" for name in item.names):
                paths = self._package(rules, item, wanted)
            else:
                found = rules.found(evaluator.world, view.path, item)
                evaluator.listen(found.listens)
                paths = found.paths
            for path in paths:
                if path != view.path:
                    self._add(source, EdgeKind.IMPORTS, file_key(path), item.line)

    def _wanted(self) -> list[str]:
        """Return the names that a file uses and does not define or import by name itself."""
        facts = self._view.facts
        uses = next((value for name, value in facts.exports if name == "uses" and isinstance(value, Collection)), None)
        if uses is None:
            return []
        own = {item.qualname for item in facts.definitions}
        own |= {name.alias for item in facts.imports for name in item.names}
        return [value.id for value in uses.values if isinstance(value, Name) and value.id not in own]

    def _package(self, rules: OutlineRules, item: Import, wanted: list[str]) -> list[str]:
        """Return the files of a package that define a name which the file uses; its own package comes first."""
        view, evaluator = self._view, self._evaluator
        modules = rules.modules(evaluator.world)
        found: dict[str, None] = {}
        for name in wanted:
            target = modules.defining(rules.language, view.path, item.specifier, name, wide=False)
            evaluator.listen(target.listens)
            if target.paths and not self._is_own(rules, name):
                found.update(dict.fromkeys(target.paths))
        return list(found)

    def _is_own(self, rules: OutlineRules, name: str) -> bool:
        view, evaluator = self._view, self._evaluator
        modules = rules.modules(evaluator.world)
        for package in packages_of(view.facts):
            target = modules.defining(rules.language, view.path, package, name, wide=False)
            evaluator.listen(target.listens)
            if target.paths:
                return True
        return False
