"""Where a Java type lives: dotted names to files, whatever the source roots are.

A type `a.b.C` is found in a file whose path ends in `a/b/C.java`; nested types lie in the file of the outermost one. Of
several such files (modules, samples, copies) the one that shares most folders with the importing file is meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from graph.resolve.signals import module_signal

__all__ = ["FoundType", "JavaModules"]

_SUFFIX = ".java"


class FoundType(Struct, frozen=True, gc=False):
    """A file, and what of a dotted name is left inside of it: nested types and members, the first being its type."""

    path: str
    inside: tuple[str, ...]


class JavaModules:
    """An index of the Java files by their names."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._folders: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            if path.endswith(_SUFFIX):
                folder, _, name = path.rpartition("/")
                self._folders[name.removesuffix(_SUFFIX)].append(folder)
        self._found: dict[tuple[str, str], FoundType | None] = {}

    def resolve(self, importer: str, dotted: str) -> FoundType | None:
        """Return the file of a type or of a member of it, None when it lies outside."""
        folder = importer.rpartition("/")[0]
        key = (folder, dotted)
        if key not in self._found:
            self._found[key] = self._resolve(folder, dotted.split("."))
        return self._found[key]

    def _resolve(self, folder: str, parts: list[str]) -> FoundType | None:
        for end in range(1, len(parts) + 1):
            package = "/".join(parts[: end - 1])
            found = self._nearest(folder, package, parts[end - 1])
            if found is not None:
                return FoundType(found, tuple(parts[end - 1 :]))
        return None

    def _nearest(self, folder: str, package: str, name: str) -> str | None:
        """Return the file of a type in a package that is nearest to a folder."""
        tail = f"/{package}" if package else ""
        known = [item for item in self._folders.get(name, ()) if item == package or (tail and item.endswith(tail))]
        if not known:
            return None
        best = min(known, key=lambda item: (-_shared(folder, item), item.count("/"), item))
        return f"{best}/{name}{_SUFFIX}" if best else f"{name}{_SUFFIX}"

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
