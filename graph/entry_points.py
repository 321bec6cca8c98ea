"""Where programs start: what the project files declare, then what is customary.

`[project.scripts]` of a `pyproject.toml`, `bin` and `main` of a `package.json`; then files and functions with the usual
names. The project files are written by strangers: what cannot be read, or leads nowhere, is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from graph.lookup import GraphReader, Symbol, node_by_key, nodes_by_id, symbol_of
from graph.model import Node, file_key

__all__ = ["EntryPoint", "entry_points"]

_MOST_PROJECT_FILES = 40
"""The shallowest of each kind; the rest are examples and fixtures."""
_FILES = (
    *("__main__.py", "manage.py", "wsgi.py", "asgi.py", "cli.py", "main.py"),
    *("index.ts", "main.ts", "index.js", "main.go", "main.rs"),
)
_NAMES = ("main", "cli")
_SOURCE_FOLDERS = ("", "src/", "lib/", "python/")


class EntryPoint(Symbol, frozen=True, kw_only=True):
    """A symbol that a program starts at."""

    declared: str = ""
    """How a project file names it, `flask = flask.cli:main` or `bin: hono`; empty when it is one by custom."""


def entry_points(store: GraphReader, read_text: Callable[[str], str | None], most: int) -> tuple[EntryPoint, ...]:
    """Return at most `most` entry points, the declared ones first; `read_text` gives a project file or None."""
    found: dict[str, EntryPoint] = {}
    for node, declared in (*_of_python(store, read_text), *_of_scripts(store, read_text)):
        found.setdefault(node.key, _entry(node, declared))
    for node in _customary(store, most):
        found.setdefault(node.key, _entry(node, ""))
    return tuple(list(found.values())[:most])


def _of_python(store: GraphReader, read_text: Callable[[str], str | None]) -> Iterator[tuple[Node, str]]:
    for path in _project_files(store, "pyproject.toml"):
        folder = path.removesuffix("pyproject.toml")
        for name, target in sorted(_scripts(read_text(path)).items()):
            node = _python_target(store, folder, target)
            if node is not None:
                yield node, f"{name} = {target}"


def _scripts(text: str | None) -> Mapping[str, str]:
    """Return what a `pyproject.toml` declares as commands, by their names."""
    import tomllib  # as the readers of package.json below: listing tools, which an agent waits for, needs none of them

    try:
        document: object = tomllib.loads(text or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    tables = (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"))
    found = {name: target for table in tables for name, target in _table(document, table).items()}
    return {name: target.strip() for name, target in found.items() if isinstance(target, str)}


def _table(document: object, names: tuple[str, ...]) -> Mapping[str, object]:
    for name in names:
        document = cast("Mapping[str, object]", document).get(name) if isinstance(document, dict) else None
    return cast("Mapping[str, object]", document) if isinstance(document, dict) else {}


def _python_target(store: GraphReader, folder: str, target: str) -> Node | None:
    """Return the function that `package.module:name` means; its module where the name is bound by an import."""
    module, _, name = target.partition(":")
    base = module.strip().replace(".", "/")
    for source in _SOURCE_FOLDERS:
        for suffix in (".py", "/__init__.py"):
            path = f"{folder}{source}{base}{suffix}"
            file = node_by_key(store, file_key(path))
            if file is not None:
                return node_by_key(store, f"sym:python:{path}#{name.partition('[')[0].strip()}") or file
    return None


def _of_scripts(store: GraphReader, read_text: Callable[[str], str | None]) -> Iterator[tuple[Node, str]]:
    paths = _project_files(store, "package.json")
    if not paths:
        return
    from graph.resolve.modules_javascript import ScriptModules
    from graph.resolve.packages_javascript import read_package

    modules = ScriptModules(_indexed_paths(store), lambda _path: None)
    for path in paths:
        text = read_text(path)
        package = read_package(path.removesuffix("package.json").rstrip("/"), text)
        if package is None:
            continue
        for target, declared in _declared_scripts(text):
            found = modules.target(package, target, is_typed=True)
            node = node_by_key(store, file_key(found)) if found is not None else None
            if node is not None:
                yield node, declared


def _declared_scripts(text: str | None) -> Iterator[tuple[str, str]]:
    """Yield each target with how it is declared: the commands of `bin`, then `main`."""
    from graph.resolve.packages_javascript import read_json

    document = read_json(text)
    name, commands, main = document.get("name"), document.get("bin"), document.get("main")
    if isinstance(commands, str):
        commands = {str(name or "bin").rpartition("/")[2]: commands}
    if isinstance(commands, dict):
        for command, target in sorted(commands.items()):
            if isinstance(target, str):
                yield target, f"bin: {command}"
    if isinstance(main, str):
        yield main, f"main of {name}" if isinstance(name, str) and name else "main"


def _project_files(store: GraphReader, name: str) -> list[str]:
    """Return the project files of a name, the shallowest first, those of tests and fixtures left out."""
    rows = store.read().execute(
        "SELECT path FROM file AS f WHERE project = ? AND status IN ('indexed', 'other') "
        "AND (path = ? OR path LIKE ?) AND path NOT LIKE 'test%' AND path NOT LIKE '%/test%' "
        "AND path NOT LIKE '%fixture%' ORDER BY LENGTH(path) - LENGTH(REPLACE(path, '/', '')), path LIMIT ?",
        (store.project_id, name, f"%/{name}", _MOST_PROJECT_FILES),
    )
    return [str(path) for (path,) in rows]


def _indexed_paths(store: GraphReader) -> list[str]:
    rows = store.read().execute(
        "SELECT path FROM file WHERE project = ? AND status = 'indexed' ORDER BY path", (store.project_id,)
    )
    return [str(path) for (path,) in rows]


def _customary(store: GraphReader, most: int) -> list[Node]:
    """Return files and functions with the usual names, outside the tests, the shallowest first."""
    names = (*_FILES, *_NAMES)
    marks = ",".join("?" * len(names))
    rows = store.read().execute(
        f"SELECT n.id FROM node AS n JOIN file AS f ON f.id = n.file WHERE n.project = ? AND n.is_test = 0 "  # noqa: S608 (placeholders only)
        f"AND n.name IN ({marks}) AND n.kind IN ('file', 'function') "
        "AND f.path NOT LIKE 'test%' AND f.path NOT LIKE '%/test%' "
        "ORDER BY LENGTH(f.path) - LENGTH(REPLACE(f.path, '/', '')), f.path, n.start_line LIMIT ?",
        (store.project_id, *names, most),
    )
    ids = [int(id_) for (id_,) in rows]
    nodes = nodes_by_id(store, ids)
    return [nodes[id_] for id_ in ids]


def _entry(node: Node, declared: str) -> EntryPoint:
    symbol = symbol_of(node)
    return EntryPoint(
        path=symbol.path,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        key=symbol.key,
        name=symbol.name,
        qualname=symbol.qualname,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        is_test=symbol.is_test,
        declared=declared,
    )
