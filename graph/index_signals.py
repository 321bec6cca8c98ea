"""What changed between two states of the file table, in the words that resolution listens for.

Pure. A path stands for a change of what other files can see of it; a path that came or went also gives the signals of
`graph.resolve.signals`, which wake imports that found nothing or found something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from graph.index_plan import Known
from graph.resolve.configuration import declared_signals, met_signals
from graph.resolve.signals import signals_of

__all__ = ["changed_signals", "remade_packages"]

_PACKAGE_FILES = ("__init__.py", "__init__.pyi")


def changed_signals(before: Mapping[str, Known], after: Mapping[str, Known]) -> set[str]:
    """Return the paths whose interface changed and the signals of those that came or went.

    A folder counts as known only for the language of its files, and only by files that were there before and after:
    the first Python file in a folder of scripts makes it a package, and two files that come into a new folder together
    both announce it.
    """
    given: set[str] = set()
    moved: set[tuple[str, str]] = set()
    for path, old, new in _differing(before, after):
        if old is not None and new is not None and old[0] == new[0]:
            given.add(path)
            given.update(declared_signals(path, old[1], new[1]))
        else:
            moved.update((path, seen[0]) for seen in (old, new) if seen is not None)
    if not moved:
        return given
    unmoved = after.keys() & before.keys() - {path for path, _ in moved}
    stayed = {path: after[path].language for path in unmoved if _is_visible(after[path])}

    @cache
    def folders(language: str) -> set[str]:
        return _folders(path for path, other in stayed.items() if other == language)

    for path, language in moved:
        given.update(signals_of(path, folders(language)))
        given.update(met_signals(path, folders(language), after))
    for folder in _remade(path for path, _ in moved):
        given.update(signal for path in _directly_in(folder, stayed) for signal in signals_of(path, set()))
    return given


def remade_packages(before: Mapping[str, Known], after: Mapping[str, Known]) -> set[str]:
    """Return the folders (`""` or ending in `/`) that became a regular package or stopped being one.

    Every file below is to be resolved again: what `from .` means there, and from which folders modules can be
    imported, is decided by packages above.
    """
    return _remade(path for path, old, new in _differing(before, after) if old is None or new is None)


def _differing(
    before: Mapping[str, Known], after: Mapping[str, Known]
) -> Iterator[tuple[str, tuple[str, str] | None, tuple[str, str] | None]]:
    """Give the files that others see differently: (path, before, after) as (language, interface), None if not seen."""
    for path in before.keys() | after.keys():
        row, now = before.get(path), after.get(path)
        if row is not now and (old := _seen(row)) != (new := _seen(now)):
            yield path, old, new


def _seen(row: Known | None) -> tuple[str, str] | None:
    return (row.language, row.interface) if row is not None and _is_visible(row) else None


def _remade(moved: Iterable[str]) -> set[str]:
    return {path.removesuffix(name) for path in moved for name in _PACKAGE_FILES if f"/{path}".endswith(f"/{name}")}


def _directly_in(folder: str, paths: Iterable[str]) -> set[str]:
    """Return the files of a folder, and its subfolders as if they were files: names that are imported from there."""
    return {folder + path[len(folder) :].partition("/")[0] for path in paths if path.startswith(folder)}


def _is_visible(row: Known) -> bool:
    """Say whether a resolver can see a file: indexed, or a configuration."""
    return row.status == "indexed" or (row.status == "other" and bool(row.blob))


def _folders(paths: Iterable[str]) -> set[str]:
    """Return every folder above these paths."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found
