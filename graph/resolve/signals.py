"""Who must be resolved again when a path appears or disappears.

An import that found nothing, or found the second best, depends on files that do not exist yet, in any folder from which
modules can be imported. Listing all those paths would be endless, so a dependency may also be a *signal*: a name that a
file gives when it appears or disappears. Signals and paths share one namespace in `Resolved.depends_on`; a signal
starts with `?`, which no relative path of a repository needs.

    for signal in signals_of(path, paths):   # `paths` without `path` in it
        again |= files that depend on signal
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

__all__ = ["folder_signal", "module_signal", "signals_of"]


_MANIFESTS = {".go": "go", ".rs": "Cargo"}
"""The stems of the manifests that count above files of a suffix: the first file of a folder brings them into play."""

_PACKAGED = frozenset({".cs", ".kt", ".kts", ".php", ".scala", ".swift"})
"""Suffixes of files of which several in a folder may make up a package."""


def module_signal(name: str) -> str:
    """Return the signal of modules whose dotted path ends in this name."""
    return f"?{name}"


def folder_signal(folder: str) -> str:
    """Return the signal of the Go or Rust files directly in a folder, which are a package or may be of one crate."""
    return f"?{folder}/"


def signals_of(path: str, folders: AbstractSet[str]) -> tuple[str, ...]:
    """Return what a path signals when it appears or disappears, sorted, the path itself included.

    `folders` are the folders that hold other indexed files, at any depth: a file that is the first or last one in a
    folder also makes or unmakes that folder as a namespace package.
    """
    *parents, name = path.split("/")
    stem = name.split(".", 1)[0]
    found = {path}
    found.update(_suffixes(parents if stem in ("__init__", "index") else [*parents, stem]))
    manifest = _MANIFESTS.get(name[name.rfind(".") :])
    if manifest is not None:
        found.add(folder_signal("/".join(parents)))
        if any("/".join(parents[:depth]) not in folders for depth in range(1, len(parents) + 1)):
            found.add(module_signal(manifest))
    elif name[name.rfind(".") :] in _PACKAGED:
        found.add(folder_signal("/".join(parents)))
    for depth in range(1, len(parents) + 1):
        if "/".join(parents[:depth]) not in folders:
            found.update(_suffixes(parents[:depth]))
    return tuple(sorted(found))


def _suffixes(parts: list[str]) -> list[str]:
    return [module_signal(".".join(parts[start:])) for start in range(len(parts))]
