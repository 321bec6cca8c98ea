"""Which file an import means in languages of packages and load paths: C#, Kotlin, Scala, PHP, Swift; Ruby, Lua, shell.

A package says nothing of folders for sure, so a file counts only when it declares the package and defines the name: the
files named like the thing are asked first, then those of the folders named like the package. A path counts only when
one convention leads to it. The rule that must stay true: whatever was looked at is listened to, found or not.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct

from graph.extract.facts import Constant, Facts
from graph.resolve.signals import folder_signal, module_signal

if TYPE_CHECKING:
    from graph.resolve.world import World

__all__ = ["Found", "OutlineModules", "packages_of"]

_FAMILIES = {
    ".cs": "csharp", ".kt": "jvm", ".kts": "jvm", ".scala": "jvm", ".java": "jvm", ".php": "php", ".swift": "swift",
}  # fmt: skip
_FAMILY_OF = {"csharp": "csharp", "kotlin": "jvm", "scala": "jvm", "php": "php", "swift": "swift"}
_MAX_FILES = 200
"""Files of one package that are asked for a name; the folders of larger ones are passed over."""
_RUBY_FOLDERS = ("lib/", "test/", "spec/")
_LUA_FOLDERS = ("", "lua/", "src/", "lib/")


class Found(Struct):
    """Files, and what would change that they are the ones."""

    paths: list[str]
    listens: set[str]


class OutlineModules:
    """An index of files by their names and folders."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._stems: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._folders: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._named: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        """By family and last part: the folders of that name."""
        for path in world.paths():
            folder, _, name = path.rpartition("/")
            family = _FAMILIES.get(name[name.rfind(".") :])
            if family is not None:
                self._stems[family, name.split(".", 1)[0]].append(path)
                self._folders[family, folder].append(path)
                self._named[family, folder.rsplit("/", 1)[-1]].add(folder)

    # -- packages -------------------------------------------------------------------------------------------------

    def defining(self, language: str, importer: str, package: str, name: str, *, wide: bool = True) -> Found:
        """Return the files of a package that define a top-level name; `wide` also asks the folders of the package."""
        family = _FAMILY_OF[language]
        found = Found([], {module_signal(name)})
        stems = self._stems.get((family, name), [])
        self._ask(found, stems[:_MAX_FILES], package, name)
        if not found.paths and wide:
            for folder in self._package_folders(family, package):
                found.listens.add(folder_signal(folder))
                files = self._folders[family, folder]
                self._ask(found, files if len(files) <= _MAX_FILES else [], package, name)
            found.listens.add(module_signal(package.rsplit(".", 1)[-1]))
        if language != "csharp" and len(found.paths) > 1:
            found.paths = _nearest(importer, found.paths)
        return found

    def _package_folders(self, family: str, package: str) -> list[str]:
        last = package.rsplit(".", 1)[-1]
        return sorted(self._named.get((family, last), ()))[:50]

    def _ask(self, found: Found, paths: list[str], package: str, name: str) -> None:
        for path in paths:
            found.listens.add(path)
            if path.endswith(".java"):
                if path.rsplit("/", 1)[0].endswith(package.replace(".", "/")) and path.endswith(f"/{name}.java"):
                    found.paths.append(path)
                continue
            facts = self._world.view(path).facts
            if _declares(path, facts, package) and any(item.qualname == name for item in facts.definitions):
                found.paths.append(path)

    def dotted(self, language: str, importer: str, specifier: str) -> Found:
        """Return the file of a dotted name: a thing of a package, or what is nested in one."""
        parts = specifier.split(".")
        everything: set[str] = set()
        for end in range(len(parts), max(0, len(parts) - 4), -1):
            found = self.defining(language, importer, ".".join(parts[: end - 1]), parts[end - 1], wide=end > 1)
            everything |= found.listens
            if found.paths:
                return Found(found.paths, everything)
        return Found([], everything)

    # -- paths ----------------------------------------------------------------------------------------------------

    def beside(self, importer: str, path: str, suffix: str = "") -> Found:
        """Return the file at a path seen from the folder of the importer."""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))
        if suffix and not target.endswith(suffix):
            target += suffix
        return self._first([target])

    def script(self, importer: str, path: str) -> Found:
        """Return a file that is looked for from the current folder: the root or the folder of the script, not both."""
        if path.startswith(("/", "~")):
            return Found([], set())
        near = posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))
        far = posixpath.normpath(path)
        known = sorted({item for item in (near, far) if item in self._world.known})
        return Found(known if len(known) == 1 else [], {near, far})

    def ruby(self, importer: str, name: str) -> Found:
        """Return what `require` finds in the load path of the gem around a file, else in the only gem that has it."""
        wanted = name if name.endswith(".rb") else f"{name}.rb"
        found = self._first([f"{base}{folder}{wanted}" for base in _around(importer) for folder in _RUBY_FOLDERS])
        if not found.paths:
            tail = f"/lib/{wanted}"
            found.paths = [path for path in self._ruby_files(wanted) if path.endswith(tail)]
            found.paths = found.paths if len(found.paths) == 1 else []
            found.listens.add(module_signal(wanted.removesuffix(".rb").replace("/", ".")))
        return found

    def _ruby_files(self, wanted: str) -> list[str]:
        last = wanted.rsplit("/", 1)[-1]
        index = self._world.index("ruby names", _ruby_names)
        return index.get(last, [])

    def lua(self, importer: str, name: str) -> Found:
        """Return what `require` finds from the nearest folder that has it."""
        path = name.replace(".", "/")
        return self._first(
            [
                f"{base}{folder}{path}{end}"
                for base in _around(importer)
                for folder in _LUA_FOLDERS
                for end in (".lua", "/init.lua")
            ]
        )

    def _first(self, candidates: list[str]) -> Found:
        listens: set[str] = set()
        for path in candidates:
            listens.add(path)
            if path in self._world.known:
                return Found([path], listens)
        return Found([], listens)


def packages_of(facts: Facts) -> tuple[str, ...]:
    """Return the packages or namespaces that a file declares."""
    return tuple(value.value for name, value in facts.exports if name == "package" and isinstance(value, Constant))


def _declares(path: str, facts: Facts, package: str) -> bool:
    if facts.language == "swift":
        # A module is a folder below the usual ones; nothing in a file says which.
        return f"/Sources/{package}/" in f"/{path}" or f"/Tests/{package}/" in f"/{path}"
    return package in packages_of(facts) or (not package and not packages_of(facts))


def _ruby_names(world: World) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in world.paths():
        if path.endswith(".rb"):
            found[path.rsplit("/", 1)[-1]].append(path)
    return found


def _around(path: str) -> list[str]:
    """Return the folders around a file with a trailing slash, the nearest first; the root is empty."""
    parts = path.split("/")[:-1]
    return ["".join(f"{part}/" for part in parts[:end]) for end in range(len(parts), -1, -1)]


def _nearest(importer: str, paths: list[str]) -> list[str]:
    """Return the one path that shares most folders with the importer, nothing when several do."""
    shared = {path: _shared(importer, path) for path in paths}
    best = max(shared.values())
    nearest = [path for path in paths if shared[path] == best]
    return nearest if len(nearest) == 1 else []


def _shared(left: str, right: str) -> int:
    count = 0
    for a, b in zip(left.split("/")[:-1], right.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count
