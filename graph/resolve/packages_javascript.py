"""What the configuration files of JavaScript projects say of module names: `package.json`, `tsconfig.json`, workspaces.

Pure reading: text in, structs out, nothing for a file that is malformed. The lookup of files is in
`modules_javascript`.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, cast

from msgspec import Struct

__all__ = [
    "FolderFinder",
    "Package",
    "PathRules",
    "TextReader",
    "export_targets",
    "read_json",
    "read_package",
    "read_path_rules",
    "workspace_globs",
]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

TextReader: TypeAlias = Callable[[str], "str | None"]

FolderFinder: TypeAlias = Callable[[str], "tuple[str | None, list[str]]"]
"""Gives the folder of a package of the workspace by its name, and the paths that were looked at for it."""

CONDITIONS = ("source", "development", "import", "module", "node", "browser", "require", "default", "types")
"""In the order in which a target is preferred: what leads to source text first, declarations last."""

_COMMENT_OR_STRING = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_YAML_ITEM = re.compile(r"^\s*-\s*['\"]?([^'\"#\n]+?)['\"]?\s*(?:#.*)?$")
_MAX_EXTENDS = 12


class Package(Struct, frozen=True):
    """A `package.json`, as far as it names modules."""

    folder: str
    name: str = ""
    entries: tuple[str, ...] = ()
    """`source`, `module`, `main`, `types`, as far as they are given."""
    exports: dict[str, tuple[str, ...]] | None = None
    """From a subpath (`.`, `./x`, `./x/*`) to its targets, in the order of `CONDITIONS`; None when there is no map."""
    imports: dict[str, tuple[str, ...]] = {}
    """The same for `#internal` names."""
    workspaces: tuple[str, ...] = ()
    depends: frozenset[str] = frozenset()
    """The names of everything it depends on."""
    linked: dict[str, str] = {}
    """Dependencies by a path of the repository (`file:../x`), by name."""


class PathRules(Struct, frozen=True):
    """The `paths` and `baseUrl` of a `tsconfig.json`, with folders relative to the repository."""

    base: str | None = None
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Pattern to targets, the most specific pattern first."""
    read: tuple[str, ...] = ()
    """The configuration files that were looked at, existing or not."""


def read_json(text: str | None) -> dict[str, Json]:
    """Return the object in a JSON text that may hold comments and trailing commas; empty for anything else."""
    if not text:
        return {}
    plain = _COMMENT_OR_STRING.sub(lambda match: match[1] or " ", text.removeprefix("\ufeff"))
    plain = _TRAILING_COMMA.sub(lambda match: match[1] or "", plain)
    try:
        found = cast("Json", json.loads(plain))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_package(folder: str, text: str | None) -> Package | None:
    """Return what a `package.json` says; None when there is none or it is malformed."""
    found = read_json(text)
    if not found:
        return None
    exports = found.get("exports")
    return Package(
        folder=folder,
        name=_string(found.get("name")),
        entries=tuple(
            text for key in ("source", "module", "main", "types", "typings") if (text := _string(found.get(key)))
        ),
        exports=_export_map(exports) if exports is not None else None,
        imports=_target_map(found.get("imports")),
        workspaces=_workspaces(found.get("workspaces")),
        depends=frozenset(name for name, _ in _listed(found)),
        linked={
            name: posixpath.normpath(posixpath.join(folder, wanted.partition(":")[2]))
            for name, wanted in _listed(found)
            if wanted.startswith(("file:", "link:", "portal:"))
        },
    )


def _string(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _workspaces(value: Json) -> tuple[str, ...]:
    if isinstance(value, dict):
        value = value.get("packages")
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _listed(found: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield name and wanted version of each dependency; the version is empty where it is no text."""
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        listed = found.get(key)
        for name, wanted in listed.items() if isinstance(listed, dict) else ():
            yield name, _string(wanted)


def _export_map(value: Json) -> dict[str, tuple[str, ...]]:
    if isinstance(value, dict) and any(key.startswith(".") for key in value):
        return _target_map(value)
    return {".": tuple(_targets(value))}


def _target_map(value: Json) -> dict[str, tuple[str, ...]]:
    return {key: tuple(_targets(target)) for key, target in value.items()} if isinstance(value, dict) else {}


def _targets(value: Json, depth: int = 0) -> Iterator[str]:
    """Yield the targets below a condition object, the preferred conditions first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value[:20]:
            yield from _targets(item, depth + 1)
    elif isinstance(value, dict) and depth < 8:
        known = [key for key in CONDITIONS if key in value]
        for key in (*known, *(key for key in value if key not in CONDITIONS)):
            yield from _targets(value[key], depth + 1)


def export_targets(table: dict[str, tuple[str, ...]], wanted: str) -> tuple[str, ...]:
    """Return the targets of a subpath or `#name`, by its exact key or the most specific pattern with a `*`."""
    if wanted in table:
        return table[wanted]
    best, stem = "", ""
    for key, targets in table.items():
        before, star, after = key.partition("*")
        fits = star and wanted.startswith(before) and wanted.endswith(after) and len(wanted) >= len(before) + len(after)
        if fits and len(before) > len(best.partition("*")[0]):
            best, stem = key, wanted[len(before) : len(wanted) - len(after)]
        elif key.endswith("/") and wanted.startswith(key) and not best:  # folder mappings, before Node 17
            return tuple(target + wanted[len(key) :] for target in targets)
    return tuple(target.replace("*", stem) for target in table[best]) if best else ()


def workspace_globs(package: Package | None, pnpm: str | None, lerna: str | None) -> tuple[str, ...]:
    """Return the patterns of folders that a workspace root declares; those with `!` take away."""
    found = list(package.workspaces) if package else []
    if pnpm:
        inside = False
        for line in pnpm.split("\n"):
            if line[:1] not in {" ", "\t", "-", "#", ""}:
                inside = line.startswith("packages:")
            elif inside and (match := _YAML_ITEM.match(line)):
                found.append(match[1].strip())
    if lerna:
        found += _workspaces(read_json(lerna).get("packages"))
    return tuple(found)


def read_path_rules(path: str, texts: TextReader, folders: FolderFinder) -> PathRules:
    """Return the path rules of a configuration file, with what it extends; `texts` gives the text of a file or None."""
    read: list[str] = []
    base, paths = _rules(path, texts, folders, read, 0)
    if not paths:
        for reference in _references(path, texts):
            other_base, paths = _rules(reference, texts, folders, read, 0)
            base = base if base is not None else other_base
            if paths:
                break
    ordered = sorted(paths.items(), key=lambda item: (-len(item[0].partition("*")[0]), item[0]))
    return PathRules(base, tuple(ordered), tuple(read))


def _rules(
    path: str, texts: TextReader, folders: FolderFinder, read: list[str], depth: int
) -> tuple[str | None, dict[str, tuple[str, ...]]]:
    found = read_json(texts(path))
    read.append(path)
    folder = posixpath.dirname(path)
    base: str | None = None
    paths: dict[str, tuple[str, ...]] = {}
    extends = found.get("extends")
    for parent in extends if isinstance(extends, list) else [extends]:
        if isinstance(parent, str) and parent and depth < _MAX_EXTENDS:
            inherited = _extended(folder, parent, texts, folders, read)
            if inherited is not None and inherited not in read:
                parent_base, parent_paths = _rules(inherited, texts, folders, read, depth + 1)
                base = parent_base if parent_base is not None else base
                paths = parent_paths or paths
    options = found.get("compilerOptions")
    if isinstance(options, dict):
        if isinstance(own_base := options.get("baseUrl"), str):
            base = _joined(folder, own_base)
        if isinstance(own := options.get("paths"), dict):
            paths = dict(_own_paths(own, base if base is not None else folder))
    return base, paths


def _extended(folder: str, name: str, texts: TextReader, folders: FolderFinder, read: list[str]) -> str | None:
    """Return the path of a configuration that another one names: by a path, or in a package of the workspace."""
    if name.startswith("."):
        return _config_path(folder, name, texts)
    parts = name.split("/")
    count = 2 if name.startswith("@") else 1
    found, looked = folders("/".join(parts[:count]))
    read += looked
    return _config_path(found, "/".join(parts[count:]) or "tsconfig.json", texts) if found is not None else None


def _own_paths(own: dict[str, Json], base: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern, targets in own.items():
        if isinstance(targets, list):
            yield pattern, tuple(_joined(base, target) for target in targets if isinstance(target, str))


def _references(path: str, texts: TextReader) -> Iterator[str]:
    listed = read_json(texts(path)).get("references")
    for item in listed[:40] if isinstance(listed, list) else ():
        if isinstance(item, dict) and isinstance(target := item.get("path"), str):
            found = _joined(posixpath.dirname(path), target)
            yield found if found.endswith(".json") else _joined(found, "tsconfig.json")


def _config_path(folder: str, name: str, texts: TextReader) -> str:
    path = _joined(folder, name)
    if path.endswith(".json") or texts(path) is not None:
        return path
    return f"{path}.json" if texts(f"{path}.json") is not None else _joined(path, "tsconfig.json")


def _joined(folder: str, name: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, name))
    return "" if path == "." else path
