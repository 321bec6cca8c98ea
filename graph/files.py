"""Which files of a root count: git's own list (or a walk that honours `.gitignore`), with a reason for each left out.

Nothing is opened here: a path and a stat decide. What the bytes of a file say about it (binary, minified, generated)
is decided in `graph.contents` when they are read. The rule that must stay true: no link is followed, so no path of the
list can lead out of the root.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from graph.errors import RootError
from graph.git import Worktree, listed_paths, special_entries
from graph.ignore import IGNORE_FILE, Exclusion, excluder, ignore_lines
from graph.reading import FileUnreadableError, read_file
from graph.secrets import is_secret
from graph.settings import IndexSettings
from graph.walk import walked_paths

__all__ = ["FileStat", "Listed", "exclusion_of", "is_foreign", "list_files"]

_FOREIGN_FOLDERS = frozenset({"node_modules", "bower_components", "site-packages", ".git", ".roteiro"})
"""Installed code of others, and our own store: never indexed, not even when tracked."""


class FileStat(Struct, frozen=True, gc=False):
    """What tells a changed file from an unchanged one without reading it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Listed(Struct, frozen=True, gc=False):
    """A file that git (or the walk) names; `skip` says why it does not count, empty when it does."""

    path: str
    stat: FileStat
    skip: str = ""


def list_files(root: Path, worktree: Worktree | None, settings: IndexSettings) -> tuple[Listed, ...]:
    """Return the files of a root, sorted by path; files that are listed and not on disk are left out.

    Raises:
        RootError: git cannot list them, or there are more than `max_files`.

    """
    exclusion = exclusion_of(root, settings)
    modes: dict[str, str] = {}
    if worktree is None:
        paths = set(walked_paths(root, exclusion))
    else:
        modes = {entry.path: entry.mode for entry in special_entries(root)}
        paths = {*listed_paths(root)} | modes.keys()
    if len(paths) > settings.max_files:
        raise _too_many(root, paths, settings.max_files)
    looker = _Looker(root, exclusion, modes, settings.max_file_bytes)
    return tuple(sorted(looker.look_at(paths), key=lambda listed: listed.path))


def exclusion_of(root: Path, settings: IndexSettings) -> Exclusion:
    """Return what `.roteiroignore` and `[index] exclude` leave out of a root."""
    return excluder(_own_ignore_file(root), settings.exclude)


def is_foreign(path: str) -> bool:
    """Say whether a path lies in a folder of installed code, or in a store."""
    return not _FOREIGN_FOLDERS.isdisjoint(path.split("/")[:-1])


def _own_ignore_file(root: Path) -> tuple[str, ...]:
    try:
        return ignore_lines(read_file(root, IGNORE_FILE, 1 << 20))
    except FileUnreadableError:
        return ()


class _Looker:
    """Looks at paths one by one; remembers which folders are links."""

    def __init__(self, root: Path, exclusion: Exclusion, modes: dict[str, str], max_bytes: int) -> None:
        self._root = str(root)
        self._exclusion = exclusion
        self._modes = modes
        self._max_bytes = max_bytes
        self._links: dict[str, bool] = {"": False}
        self._foreign_folders: dict[str, str] = {}

    def look_at(self, paths: Iterable[str]) -> Iterator[Listed]:
        for path in paths:
            listed = self._one(path)
            if listed is not None:
                yield listed

    def _one(self, path: str) -> Listed | None:
        if path.endswith("/"):
            return Listed(
                _printable(path), _NO_STAT, "a repository of its own" if self._is_repository(path) else "folder"
            )
        folder = path.rpartition("/")[0]
        if self._passes_link(folder):
            return Listed(_printable(path), _NO_STAT, "reached through a symbolic link")
        try:
            found = os.lstat(f"{self._root}/{path}")
        except OSError:
            return None  # deleted in the work tree, or in a folder that may not be entered
        mode = found.st_mode
        if stat.S_ISDIR(mode):
            return Listed(_printable(path), _NO_STAT, "a submodule") if self._modes.get(path) == "160000" else None
        size = found.st_size
        kept = FileStat(size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        return Listed(_printable(path), kept, self._skip(path, mode, size))

    def _skip(self, path: str, mode: int, size: int) -> str:
        if stat.S_ISLNK(mode):
            return _link_reason(self._root, path)
        if not stat.S_ISREG(mode):
            return "not a regular file"
        if not _is_storable(path):
            return "its name is not UTF-8"
        if is_secret(path):
            return "may hold a secret"
        if foreign := self._foreign(path.rpartition("/")[0]):
            return f"installed code or a store: {foreign}/"
        if excluded := self._exclusion.reason(path):
            return excluded
        if path.endswith(".ipynb"):
            return "a notebook"
        if size > self._max_bytes:
            return f"too large: {size:,} bytes, the limit is {self._max_bytes:,} (`[index] max_file_bytes`)"
        return ""

    def _passes_link(self, folder: str) -> bool:
        """Say whether a folder is a link or lies behind one: git's index still names what was there before."""
        known = self._links.get(folder)
        if known is not None:
            return known
        parent = self._links.get(folder.rpartition("/")[0])
        if parent is not None:
            self._links[folder] = parent or os.path.islink(f"{self._root}/{folder}")  # noqa: PTH114 - 3x faster
            return self._links[folder]
        parts = folder.split("/")
        found = False
        for depth in range(1, len(parts) + 1):
            above = "/".join(parts[:depth])
            if above not in self._links:
                self._links[above] = found or os.path.islink(f"{self._root}/{above}")  # noqa: PTH114 - 3x faster
            found = self._links[above]
        return found

    def _foreign(self, folder: str) -> str:
        """Return the part of a folder that holds installed code or a store, empty when none does."""
        found = self._foreign_folders.get(folder)
        if found is None:
            found = self._foreign_folders[folder] = min(_FOREIGN_FOLDERS.intersection(folder.split("/")), default="")
        return found

    def _is_repository(self, path: str) -> bool:
        return Path(self._root, path, ".git").exists()


_NO_STAT = FileStat(0, 0, 0, 0)


def _link_reason(root: str, path: str) -> str:
    """Say where a link leads, as far as that can be told without following it into somebody's folder."""
    try:
        target = os.path.realpath(f"{root}/{path}", strict=True)
    except FileNotFoundError:
        return "a symbolic link to nothing"
    except OSError:
        return "a symbolic link in a loop"
    inside = target == root or target.startswith(f"{root}/")
    return "a symbolic link" if inside else "a symbolic link out of the root"


def _is_storable(path: str) -> bool:
    if path.isascii():
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(path: str) -> str:
    return path if _is_storable(path) else path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _too_many(root: Path, paths: Iterable[str], limit: int) -> RootError:
    folders: Counter[str] = Counter(path.partition("/")[0] for path in paths)
    most = ", ".join(f"{name}/ {count:,}" for name, count in folders.most_common(5))
    return RootError(
        f"{root} holds {folders.total():,} files, more than `[index] max_files` = {limit:,}. The most are in: {most}. "
        f"Exclude folders in {IGNORE_FILE}, or raise the limit in your own settings file."
    )
