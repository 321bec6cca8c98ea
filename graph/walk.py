"""A walk over a root without git: every path that no `.gitignore` and no exclusion leaves out, folders in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from graph.ignore import Exclusion, NestedIgnores, ignore_lines
from graph.reading import FileUnreadableError, read_file

__all__ = ["walked_paths"]

_NEVER_ENTERED = frozenset(
    {".git", ".hg", ".svn", ".jj", ".roteiro", "node_modules", "__pycache__", ".venv", ".tox", ".nox", ".mypy_cache"}
    | {".ruff_cache", ".pytest_cache", "bower_components", "site-packages", ".eggs"}
)
"""Folders that a repository's `.gitignore` would name; a folder without git often has none."""


def walked_paths(root: Path, exclusion: Exclusion) -> Iterator[str]:
    """Yield paths relative to the root, in no order; links are named, never followed; unreadable folders are not."""
    waiting = [("", NestedIgnores())]  # a list, not recursion: a path may be two thousand folders deep
    while waiting:
        folder, above = waiting.pop()
        entries = _entries(root, folder)
        ignores = above
        if any(entry.name == ".gitignore" for entry in entries):
            ignores = above.with_file(folder, _lines(root, f"{folder}.gitignore"))
        for entry in entries:
            path = f"{folder}{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                if not ignores.ignores(path):
                    yield path
            elif (
                entry.name not in _NEVER_ENTERED
                and not ignores.ignores(f"{path}/")
                and not exclusion.reason(f"{path}/")
            ):
                waiting.append((f"{path}/", ignores))


def _entries(root: Path, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(root / folder) as found:
            return list(found)
    except OSError:
        return []


def _lines(root: Path, path: str) -> tuple[str, ...]:
    try:
        return ignore_lines(read_file(root, path, 1 << 20))
    except FileUnreadableError:
        return ()
