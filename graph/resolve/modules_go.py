"""Where a Go package lives: import paths to folders, as modules, `replace`, `vendor` and `internal` have it.

A package is a folder; which of its files count, and what they are called together, stands in `packages_go`. Every
`go.mod` of the repository makes a module, so nested modules and workspaces need no more than their own files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from graph.resolve.signals import folder_signal, module_signal

__all__ = ["Found", "GoModules", "read_go_mod"]

TextReader: TypeAlias = Callable[[str], "str | None"]

_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)"?', re.MULTILINE)
_REPLACE_BLOCK = re.compile(r"^\s*replace\s*\((.*?)^\s*\)", re.MULTILINE | re.DOTALL)
_REPLACE = re.compile(
    r'^\s*(?:replace\s+)?"?([^\s"]+)"?(?:\s+v\S+)?\s*=>\s*"?(\.{1,2}(?:/[^\s"]*)?)"?\s*$', re.MULTILINE
)
_COMMENT = re.compile(r"//[^\n]*")
_MAX_TEXT = 262_144


class GoModule(Struct, frozen=True):
    """A `go.mod`."""

    folder: str
    path: str
    """The import path of its root package."""
    replaced: tuple[tuple[str, str], ...] = ()
    """Import paths that stand for a folder of the repository, the longest first."""


class Found(Struct, frozen=True):
    """Where an import path leads."""

    folder: str | None
    listens: tuple[str, ...] = ()


def read_go_mod(folder: str, text: str) -> GoModule | None:
    """Return what a `go.mod` says, None when it names no module."""
    plain = _COMMENT.sub("", text[:_MAX_TEXT])
    named = _MODULE.search(plain)
    if named is None:
        return None
    blocks = "\n".join(_REPLACE_BLOCK.findall(plain))
    lines = [line for line in plain.splitlines() if line.lstrip().startswith("replace")]
    found = {old: posixpath.normpath(posixpath.join(folder, new)) for old, new in _REPLACE.findall(blocks)}
    found |= {old: posixpath.normpath(posixpath.join(folder, new)) for old, new in _REPLACE.findall("\n".join(lines))}
    kept = [(old, "" if new == "." else new) for old, new in found.items() if not new.startswith("..")]
    return GoModule(folder, named.group(1), tuple(sorted(kept, key=lambda item: (-len(item[0]), item[0]))))


class GoModules:
    """An index of the Go files of a repository by folder, and of its modules."""

    def __init__(self, paths: Sequence[str], texts: TextReader) -> None:
        self.files: dict[str, list[str]] = {}
        """The Go files of each folder, sorted."""
        for path in paths:
            if path.endswith(".go"):
                self.files.setdefault(posixpath.dirname(path), []).append(path)
        self._manifests: list[str] = []
        self._modules = self._read_modules(texts)
        self._found: dict[tuple[str, str], Found] = {}

    def _read_modules(self, texts: TextReader) -> dict[str, GoModule]:
        folders = {above for folder in self.files for above in _ancestors(folder)} | {""}
        found: dict[str, GoModule] = {}
        for folder in sorted(folders):
            text = texts(posixpath.join(folder, "go.mod"))
            if text is not None:
                self._manifests.append(posixpath.join(folder, "go.mod"))
            module = read_go_mod(folder, text) if text is not None else None
            if module is not None:
                found[folder] = module
        return found

    def resolve(self, importer: str, specifier: str) -> Found:
        """Return the folder that an import path means in a file, None for one outside the repository."""
        folder = posixpath.dirname(importer)
        key = (folder, specifier)
        found = self._found.get(key)
        if found is None:
            target = self._allowed(folder, specifier, self._lookup(folder, specifier))
            found = self._found[key] = Found(target, self._listens(target))
        return found

    def _lookup(self, folder: str, specifier: str) -> str | None:
        if specifier.startswith(("./", "../")) or specifier in (".", ".."):
            return self._existing(posixpath.normpath(posixpath.join(folder, specifier)))
        around = list(_ancestors(folder))
        for above in around:
            vendored = posixpath.join(above, "vendor", specifier)
            if vendored in self.files:
                return vendored
        own = next((self._modules[above] for above in around if above in self._modules), None)
        for old, new in own.replaced if own is not None else ():
            if (rest := _below(specifier, old)) is not None:
                return self._existing(posixpath.join(new, rest))
        return self._in_modules(folder, specifier)

    def _in_modules(self, folder: str, specifier: str) -> str | None:
        """Return the package in the module with the longest path that begins the import path; the nearest of equals."""
        best: tuple[int, int, str] | None = None
        for module in self._modules.values():
            rest = _below(specifier, module.path)
            target = self._existing(posixpath.join(module.folder, rest)) if rest is not None else None
            if target is None or self._module_of(target) != module.folder:
                continue
            near = len(posixpath.commonpath([folder, module.folder])) if folder and module.folder else 0
            if best is None or (len(module.path), near) > best[:2]:
                best = (len(module.path), near, target)
        if best is None and not self._modules:
            return self._existing(posixpath.join("src", specifier))  # the layout before modules: `$GOPATH/src`
        return best[2] if best is not None else None

    def _module_of(self, folder: str) -> str | None:
        return next((above for above in _ancestors(folder) if above in self._modules), None)

    def _existing(self, folder: str) -> str | None:
        folder = "" if folder in (".", "/") else folder.rstrip("/")
        return folder if folder in self.files and not folder.startswith("..") else None

    def _allowed(self, folder: str, specifier: str, target: str | None) -> str | None:
        """Return the target unless it is internal to a folder that the importer is not in."""
        if target is None or "internal" not in specifier.split("/"):
            return target
        parts = target.split("/")
        if "internal" not in parts:
            return target
        place = len(parts) - 1 - parts[::-1].index("internal")
        parent = "/".join(parts[:place])
        return target if not parent or folder == parent or folder.startswith(f"{parent}/") else None

    def _listens(self, target: str | None) -> tuple[str, ...]:
        """Return what may change the target: any `go.mod`, the first file of a folder, the files of the target."""
        found = {module_signal("go"), *self._manifests}
        if target is not None:
            found.add(folder_signal(target))
        return tuple(sorted(found))


def _ancestors(folder: str) -> list[str]:
    """Return a folder and all folders above it, the root (``""``) last."""
    found = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        found.append(folder)
    return found


def _below(specifier: str, path: str) -> str | None:
    """Return what follows a path in an import path, None when it does not begin with it."""
    if specifier == path:
        return ""
    return specifier[len(path) + 1 :] if specifier.startswith(f"{path}/") else None
