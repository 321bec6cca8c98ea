"""Where a Python module lives: dotted names to files, for every layout that one repository may hold at once.

There is no interpreter to ask, so `sys.path` is reconstructed for each importing file: any folder that is no package
may be a root. Roots that contain the importing file win over others, the nearest first; then come source folders and
other distributions. The standard library is never shadowed by a file of the repository, because a module named
`logging.py` inside a package is not what `import logging` means there.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence

from graph.resolve.signals import module_signal

__all__ = ["PythonModules"]

_STANDARD = sys.stdlib_module_names
_SUFFIXES = (".py", ".pyi")
_SOURCE_FOLDERS = frozenset({"src", "lib", "source", "python", "packages"})
_ISOLATED = frozenset(
    {"test", "tests", "testing", "fixtures", "examples", "example", "docs", "doc", "vendor", "_vendor"}
)
"""Below these folders a root serves only the files next to it: sample packages are no dependencies of the rest."""

_STUB_FOLDERS = frozenset({"typings", "stubs"})
"""Folders of stubs for modules that have no source here."""

_MAX_ROOTS = 64


class PythonModules:
    """An index of the Python files by the names under which they can be imported."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._files = {path for path in paths if path.endswith(_SUFFIXES)}
        self._folders: set[str] = set()
        self._roots: defaultdict[str, set[str]] = defaultdict(set)
        for path in self._files:
            self._register(path)
        self._found: dict[tuple[str, str], str | None] = {}

    def _register(self, path: str) -> None:
        *parents, name = path.split("/")
        stem = name.rsplit(".", 1)[0]
        self._roots[stem].add("/".join(parents))
        for depth in range(len(parents), 0, -1):
            folder = "/".join(parents[:depth])
            if folder in self._folders:
                break
            self._folders.add(folder)
            self._roots[parents[depth - 1]].add("/".join(parents[: depth - 1]))

    def is_package(self, folder: str) -> bool:
        """Tell whether a folder is a regular package."""
        prefix = f"{folder}/" if folder else ""
        return any(f"{prefix}__init__{suffix}" in self._files for suffix in _SUFFIXES)

    def inside(self, folder: str, name: str) -> str | None:
        """Return what `name` is in a folder: a file, a folder with a trailing slash, or None."""
        prefix = f"{folder}/" if folder else ""
        base = prefix + name
        for candidate in (f"{base}/__init__.py", f"{base}.py", f"{base}/__init__.pyi", f"{base}.pyi"):
            if candidate in self._files:
                return candidate
        return f"{base}/" if base in self._folders else None

    def absolute(self, importer: str, dotted: str) -> str | None:
        """Return the file of a module, or its folder with a trailing slash, or None when it lies outside."""
        folder = importer.rsplit("/", 1)[0] if "/" in importer else ""
        key = (folder, dotted)
        if key not in self._found:
            self._found[key] = self._absolute(folder, dotted)
        return self._found[key]

    def _absolute(self, folder: str, dotted: str) -> str | None:
        top, *rest = dotted.split(".")
        if top in _STANDARD:
            return None
        best: str | None = None
        for root in self._candidates(folder, top):
            found = self.inside(root, top)
            for part in rest:
                found = self.below(found, part) if found else None
            if found and not found.endswith("/"):
                return found
            best = best or found
        return best or self._elsewhere(folder, top, rest)

    def _elsewhere(self, folder: str, top: str, rest: list[str]) -> str | None:
        """Return a module that only a folder of stubs holds, or a namespace package below a root that nothing names."""
        ranked = sorted((-_shared(folder, root), root) for root in self._roots.get(top, ()))
        for rank, root in ranked[:_MAX_ROOTS]:
            parts = root.split("/") if root else []
            is_stub = bool(parts) and parts[-1] in _STUB_FOLDERS and -rank == len(parts) - 1
            if not is_stub and (not rest or self.is_package(root) or _ISOLATED.intersection(parts[-rank:])):
                continue
            found = self.inside(root, top)
            for part in rest:
                found = self.below(found, part) if found else None
            if found and found.endswith(".pyi" if is_stub else _SUFFIXES):
                return found
        return None

    def below(self, module: str, name: str) -> str | None:
        """Return the submodule of a module that is a package, else None."""
        if module.endswith("/"):
            return self.inside(module[:-1], name)
        folder, _, file = module.rpartition("/")
        return self.inside(folder, name) if file.startswith("__init__.") else None

    def relative(self, importer: str, dotted: str, level: int) -> str | None:
        """Return the target of a relative import; with an empty name, the package itself."""
        parts = importer.split("/")[:-level]
        if len(importer.split("/")) < level:
            return None
        folder = "/".join(parts)
        if not dotted:
            return self._package(folder)
        first, *rest = dotted.split(".")
        found = self.inside(folder, first)
        for part in rest:
            found = self.below(found, part) if found else None
        return found

    def package_files(self, importer: str, level: int) -> tuple[str, ...]:
        """Return the files that would make the package of a relative import a regular one."""
        parts = importer.split("/")[:-level]
        return tuple("/".join([*parts, f"__init__{suffix}"]) for suffix in _SUFFIXES)

    def _package(self, folder: str) -> str | None:
        prefix = f"{folder}/" if folder else ""
        for suffix in _SUFFIXES:
            if f"{prefix}__init__{suffix}" in self._files:
                return f"{prefix}__init__{suffix}"
        return f"{folder}/"

    def _candidates(self, folder: str, top: str) -> list[str]:
        """Return the roots that may give a top-level module to files of a folder, the likeliest first."""
        ranked = [
            (rank, root) for root in self._roots.get(top, ()) if (rank := self._rank(folder, root, top)) is not None
        ]
        return [root for _, root in sorted(ranked)[:_MAX_ROOTS]]

    def _rank(self, folder: str, root: str, top: str) -> tuple[int, int, int] | None:
        depth = root.count("/") + 1 if root else 0
        around = root in {"", folder} or folder.startswith(f"{root}/")
        if self.is_package(root):
            # A package is no root, but a script in it finds its neighbours, and a checkout may itself be a package.
            return (3, -depth, 0) if root in {"", folder} else None
        if around:
            return (0, -depth, 0)
        parts = root.split("/")
        shared = _shared(folder, root)
        if parts[-1] in _SOURCE_FOLDERS and shared == depth - 1:
            return (1, -shared, depth)
        if _ISOLATED.intersection(parts[shared:]):
            return None
        if self.is_package(f"{root}/{top}" if root else top):
            return (2, -shared, depth)
        return None

    def signals(self, dotted: str) -> tuple[str, ...]:
        """Return the signals that may change what a dotted name leads to."""
        parts = dotted.split(".")
        return tuple(module_signal(".".join(parts[: end + 1])) for end in range(len(parts)))


def _shared(left: str, right: str) -> int:
    count = 0
    for a, b in zip(left.split("/"), right.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count
