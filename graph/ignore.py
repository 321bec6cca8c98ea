"""Patterns in gitignore syntax: `.roteiroignore`, the `exclude` setting, and `.gitignore` where git cannot be asked.

The rule that must stay true: the last pattern that matches decides, and an ignore file deeper in the tree comes after
the ones above it. Patterns of a stranger are only matched, never run; an ignore file past `_MAX_BYTES` is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import pathspec

__all__ = ["IGNORE_FILE", "Exclusion", "IgnoreFile", "NestedIgnores", "excluder", "ignore_lines"]

IGNORE_FILE = ".roteiroignore"
_MAX_BYTES = 256 * 1024
_MAX_PATTERNS = 5_000


class Exclusion(Struct, frozen=True):
    """Patterns that exclude files although git tracks them, each list with the name a person knows it by."""

    sources: tuple[tuple[str, pathspec.GitIgnoreSpec], ...]

    def reason(self, path: str) -> str:
        """Return why a path is excluded, empty when it is not. The user's setting counts after the file."""
        found = ""
        for source, spec in self.sources:
            verdict = spec.check_file(path).include
            if verdict is not None:
                found = f"excluded by {source}" if verdict else ""
        return found


class IgnoreFile(Struct, frozen=True):
    """The patterns of one ignore file; `folder` is where it stands, empty or ending in `/`."""

    folder: str
    spec: pathspec.GitIgnoreSpec


class NestedIgnores(Struct, frozen=True):
    """The ignore files from the root down to one folder."""

    files: tuple[IgnoreFile, ...] = ()

    def with_file(self, folder: str, lines: Sequence[str]) -> NestedIgnores:
        """Return these and the ignore file of a folder below."""
        spec = _spec(lines)
        return NestedIgnores((*self.files, IgnoreFile(folder, spec))) if spec else self

    def ignores(self, path: str) -> bool:
        """Say whether a path (a folder's ends in `/`) is ignored: the deepest file that has an opinion decides."""
        for ignore in reversed(self.files):
            verdict = ignore.spec.check_file(path.removeprefix(ignore.folder)).include
            if verdict is not None:
                return verdict
        return False


def excluder(ignore_file: Sequence[str], setting: Sequence[str]) -> Exclusion:
    """Return the exclusion that `.roteiroignore` and `[index] exclude` ask for."""
    sources = ((IGNORE_FILE, _spec(ignore_file)), ("[index] exclude", _spec(setting)))
    return Exclusion(tuple((name, spec) for name, spec in sources if spec is not None))


def ignore_lines(data: bytes) -> tuple[str, ...]:
    """Return the patterns of an ignore file."""
    return tuple(data[:_MAX_BYTES].decode("utf-8", "replace").splitlines())


def _spec(lines: Iterable[str]) -> pathspec.GitIgnoreSpec | None:
    """Return the compiled patterns, None when there are none; a pattern that cannot be compiled matches nothing."""
    told = [line for line in lines if line.strip() and not line.startswith("#")][:_MAX_PATTERNS]
    if not told:
        return None
    import pathspec  # half of all repositories need none, and it takes 10 ms of every command

    try:
        return pathspec.GitIgnoreSpec.from_lines(told)
    except ValueError:
        return _spec_of_valid(told)


def _spec_of_valid(lines: Sequence[str]) -> pathspec.GitIgnoreSpec | None:
    import pathspec

    valid: list[str] = []
    for line in lines:
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue  # git passes over a pattern it cannot read
        valid.append(line)
    return pathspec.GitIgnoreSpec.from_lines(valid) if valid else None
