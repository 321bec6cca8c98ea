"""Go packages: which files of a folder belong together, and which of them define a name or a method.

A folder may hold a package, its tests, and tests from outside (`package x_test`); files of another clause, such as
programs that are excluded by `//go:build ignore`, are packages of their own.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Sequence

from graph.extract.facts import Facts, Name
from graph.model import NodeKind
from graph.resolve.modules_go import GoModules
from graph.resolve.world import World

__all__ = ["GoPackages", "package_clause"]


def package_clause(facts: Facts) -> str:
    """Return the name in the package clause of a file, empty when it has none."""
    for name, value in facts.exports:
        if name == "package" and isinstance(value, Name):
            return value.id
    return ""


class _Folder:
    """The names of the packages of one folder."""

    def __init__(self, world: World, paths: Sequence[str]) -> None:
        self.clauses: dict[str, str] = {}
        self.names: dict[str, list[str]] = {}
        """Package-level names -> the files that define them."""
        self.methods: dict[tuple[str, str], list[tuple[str, int]]] = {}
        """(type, method) -> (file, scope) of methods that stand in another file than their type."""
        for path in paths:
            facts = world.view(path).facts
            self.clauses[path] = package_clause(facts)
            self._add(path, facts)
        counted = Counter(clause for path, clause in self.clauses.items() if not path.endswith("_test.go"))
        best = sorted(counted.items(), key=lambda item: (item[0] == "main", -item[1], item[0]))
        self.clause = best[0][0] if best else ""
        """What importers see."""

    def _add(self, path: str, facts: Facts) -> None:
        named: set[str] = set()
        for item in facts.definitions:
            if item.owner == 0:
                named.add(item.name)
            elif item.kind is NodeKind.METHOD and facts.scopes[item.owner].kind == "extension":
                key = (item.qualname.partition(".")[0], item.name)
                self.methods.setdefault(key, []).append((path, item.scope))
        for name in sorted(named):
            self.names.setdefault(name, []).append(path)


class GoPackages:
    """The packages of a repository, each folder read when first asked for."""

    def __init__(self, world: World) -> None:
        self.modules = GoModules(world.paths(), world.config_text)
        self._folders: dict[str, _Folder] = {}

    def clause(self, world: World, folder: str) -> str:
        """Return the name of the package that importers of a folder see."""
        return self._folder(world, folder).clause

    def files(self, world: World, folder: str) -> list[str]:
        """Return the files that an importer of a folder sees."""
        found = self._folder(world, folder)
        return [path for path, clause in found.clauses.items() if clause == found.clause and not _is_test(path)]

    def defining(self, world: World, folder: str, name: str) -> list[str]:
        """Return the files that define a name for importers of a folder."""
        found = self._folder(world, folder)
        named = found.names.get(name, [])
        return [path for path in named if found.clauses[path] == found.clause and not _is_test(path)]

    def beside(self, world: World, path: str, name: str) -> list[str]:
        """Return the other files of a file's own package that define a name for it."""
        found = self._folder(world, posixpath.dirname(path))
        return [other for other in found.names.get(name, []) if self._sees(found, path, other)]

    def methods(self, world: World, path: str, of: str, name: str) -> list[tuple[str, int]]:
        """Return the methods of a type of this file that other files of its package define."""
        found = self._folder(world, posixpath.dirname(path))
        return [item for item in found.methods.get((of, name), []) if self._belongs(found, path, item[0])]

    def _folder(self, world: World, folder: str) -> _Folder:
        found = self._folders.get(folder)
        if found is None:
            found = self._folders[folder] = _Folder(world, self.modules.files.get(folder, ()))
        return found

    def _sees(self, found: _Folder, path: str, other: str) -> bool:
        return self._belongs(found, path, other) and (_is_test(path) or not _is_test(other))

    def _belongs(self, found: _Folder, path: str, other: str) -> bool:
        return path != other and found.clauses.get(path) == found.clauses[other]


def _is_test(path: str) -> bool:
    return path.endswith("_test.go")
