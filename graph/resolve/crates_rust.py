"""What the `Cargo.toml` files of a repository say: packages, crate roots, and dependencies that lie in the repository.

Pure reading: text and paths in, structs out, nothing for a file that is malformed.
"""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

from msgspec import Struct

__all__ = ["Package", "TextReader", "manifests_above", "read_packages"]

TextReader: TypeAlias = Callable[[str], "str | None"]

Table: TypeAlias = "dict[str, object]"

_TARGET_FOLDERS = {"src/bin": "autobins", "tests": "autotests", "examples": "autoexamples", "benches": "autobenches"}
"""Folders in which each file, and each folder with a `main.rs`, is a crate of its own, and the key that says not so."""

_MAX_TEXT = 262_144
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


class Package(Struct, frozen=True):
    """A package: a folder with a `Cargo.toml`."""

    folder: str
    name: str
    """The name of its library as code writes it, with underscores."""
    library: str | None
    """The root file of its library."""
    roots: tuple[str, ...]
    """The root files of its crates that are named or have a fixed name, the library first."""
    found: tuple[str, ...] = ()
    """The root files that are found by their folder; another crate may declare them as modules too."""
    linked: tuple[tuple[str, str], ...] = ()
    """Dependencies in the repository: the name as code writes it, and the folder of the package."""
    outside: frozenset[str] = frozenset()
    """The other dependencies, as code writes them."""


def read_packages(files: Sequence[str], texts: TextReader) -> dict[str, Package]:
    """Return the packages by their folder; files without any `Cargo.toml` above them are of none."""
    tables = _tables(files, texts)
    by_folder = _by_folder(files, tables)
    return {
        folder: _package(folder, table, by_folder[folder], tables)
        for folder, table in sorted(tables.items())
        if isinstance(table.get("package"), dict)
    }


def manifests_above(path: str) -> list[str]:
    """Return where the manifests may lie that a file is under."""
    found: list[str] = []
    while path:
        path = posixpath.dirname(path)
        found.append(posixpath.join(path, "Cargo.toml"))
    return found


def _tables(files: Sequence[str], texts: TextReader) -> dict[str, Table]:
    folders: set[str] = {""}
    for path in files:
        folder = posixpath.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    found: dict[str, Table] = {}
    for folder in sorted(folders):
        text = texts(posixpath.join(folder, "Cargo.toml"))
        if text is None or len(text) > _MAX_TEXT:
            continue
        try:
            found[folder] = cast("Table", tomllib.loads(text))
        except (tomllib.TOMLDecodeError, RecursionError, ValueError):
            continue
    return found


def _by_folder(files: Sequence[str], tables: dict[str, Table]) -> dict[str, list[str]]:
    """Return the files of each package, relative to its folder."""
    found: dict[str, list[str]] = {folder: [] for folder in tables}
    for path in files:
        folder = posixpath.dirname(path)
        while folder and folder not in tables:
            folder = posixpath.dirname(folder)
        if folder in tables:
            found[folder].append(path[len(folder) + 1 :] if folder else path)
    return found


def _package(folder: str, table: Table, files: list[str], tables: dict[str, Table]) -> Package:
    package, library = _table(table, "package"), _table(table, "lib")
    written = _text(library, "path") or "src/lib.rs"
    root = posixpath.normpath(written)
    has_library = root in files
    named = _text(library, "name") or _text(package, "name")
    roots = [root] if has_library else []
    roots += [found for found in _targets(table, files) if found != root]
    linked = tuple(sorted(_linked(folder, table, tables)))
    named_inside = {found for found, _ in linked}
    return Package(
        folder=folder,
        name=named.replace("-", "_"),
        library=posixpath.join(folder, root) if has_library else None,
        roots=tuple(dict.fromkeys(posixpath.join(folder, found) for found in roots)),
        found=tuple(posixpath.join(folder, path) for path in _found(table, files) if path not in roots),
        linked=linked,
        outside=frozenset(found for found, _ in _dependencies(table) if found not in named_inside),
    )


def _targets(table: Table, files: list[str]) -> Iterator[str]:
    """Give the root files of programs, tests, examples and benches, relative to the package."""
    known = set(files)
    build = _text(_table(table, "package"), "build") or "build.rs"
    yield from (path for path in ("src/main.rs", build) if path in known)
    for section in ("bin", "test", "example", "bench"):
        listed = table.get(section)
        for item in cast("list[object]", listed) if isinstance(listed, list) else []:
            path = _text(cast("Table", item), "path") if isinstance(item, dict) else ""
            if path and posixpath.normpath(path) in known:
                yield posixpath.normpath(path)


def _found(table: Table, files: list[str]) -> Iterator[str]:
    """Give the root files that nobody names: each file of the folders for programs, tests, examples and benches."""
    package = _table(table, "package")
    for path in files:
        for target, switch in _TARGET_FOLDERS.items():
            if package.get(switch) is False:
                continue
            rest = path[len(target) + 1 :] if path.startswith(f"{target}/") else ""
            if rest and ("/" not in rest or (rest.count("/") == 1 and rest.endswith("/main.rs"))):
                yield path


def _linked(folder: str, table: Table, tables: dict[str, Table]) -> Iterator[tuple[str, str]]:
    for name, value in _dependencies(table):
        path = _path_of(folder, name, value, tables)
        if path is not None:
            yield name, path


def _dependencies(table: Table) -> Iterator[tuple[str, Table]]:
    """Give the name of each dependency as code writes it, and what is said of it."""
    sections = [_table(table, name) for name in _DEPENDENCIES]
    for target in _table(table, "target").values():
        if isinstance(target, dict):
            sections += [_table(cast("Table", target), name) for name in _DEPENDENCIES]
    for section in sections:
        for name, value in section.items():
            yield name.replace("-", "_"), cast("Table", value) if isinstance(value, dict) else {"": name}


def _path_of(folder: str, name: str, value: Table, tables: dict[str, Table]) -> str | None:
    """Return the folder that a dependency lies in, also where the workspace says it."""
    base = folder
    if value.get("workspace") is True:
        above = _workspace(folder, tables)
        if above is None:
            return None
        listed = _table(_table(tables[above], "workspace"), "dependencies")
        inherited = listed.get(name, listed.get(name.replace("_", "-")))
        value, base = (cast("Table", inherited), above) if isinstance(inherited, dict) else ({}, above)
    path = _text(value, "path")
    found = posixpath.normpath(posixpath.join(base, path)) if path else None
    if found is None or found.startswith(".."):
        return None
    return "" if found == "." else found


def _workspace(folder: str, tables: dict[str, Table]) -> str | None:
    while True:
        if "workspace" in tables.get(folder, {}):
            return folder
        if not folder:
            return None
        folder = posixpath.dirname(folder)


def _table(table: Table, key: str) -> Table:
    found = table.get(key)
    return cast("Table", found) if isinstance(found, dict) else {}


def _text(table: Table, key: str) -> str:
    found = table.get(key)
    return found if isinstance(found, str) else ""
