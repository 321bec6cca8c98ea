"""The commands that ask the graph: one for each tool of `graph.tools` that a person would type.

The rule that must stay true: a command's arguments have the names and meanings of the tool's, so that what a person
learns here holds for an agent too.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from roteiro.commands.options import AsJson, Cursor, Limit, Root

__all__ = ["callees", "callers", "context", "overview", "path", "search", "source"]

_KeyArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="KEY", help="A key as `search` prints it, or a name that is unique.")
]
_Depth: TypeAlias = Annotated[
    int | None, typer.Option("--depth", help="How many calls away.", min=1, show_default=False)
]
_Inferred: TypeAlias = Annotated[
    bool, typer.Option("--include-inferred", help="Also candidates that no rule proves, labelled.")
]


def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="A name or a question, in one or more words.")],
    kind: Annotated[str | None, typer.Option(help="Only this kind: function, class ...", show_default=False)] = None,
    path_filter: Annotated[str | None, typer.Option("--path", help="Only below this path.", show_default=False)] = None,
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Find symbols and sections by name or by what they do."""
    arguments = {"query": " ".join(query), "kind": kind, "path": path_filter, "limit": limit, "cursor": cursor}
    return _ask("search", arguments, root, as_json=as_json)


def context(
    key: _KeyArgument,
    budget: Annotated[int | None, typer.Option(help="Tokens to stay under.", min=1, show_default=False)] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Show what to read to understand one symbol."""
    return _ask("context", {"key": key, "budget": budget}, root, as_json=as_json)


def source(
    place: Annotated[str, typer.Argument(metavar="KEY|PATH", help="A key, or a path with optional `:START-END`.")],
    lines: Annotated[str | None, typer.Option(help="START-END, with a path.", show_default=False)] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Print the source of a symbol, or lines of a file."""
    return _ask("source", _place(place, lines, root), root, as_json=as_json)


def callers(
    key: _KeyArgument,
    depth: _Depth = None,
    include_inferred: _Inferred = False,
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Show who calls a symbol, with the line of every call."""
    return _ask("callers", _walk(key, depth, limit, cursor, include_inferred=include_inferred), root, as_json=as_json)


def callees(
    key: _KeyArgument,
    depth: _Depth = None,
    include_inferred: _Inferred = False,
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Show what a symbol calls, with the line of every call."""
    return _ask("callees", _walk(key, depth, limit, cursor, include_inferred=include_inferred), root, as_json=as_json)


def path(
    start: Annotated[str, typer.Argument(metavar="FROM", help="A key, or a name that is unique.")],
    end: Annotated[str, typer.Argument(metavar="TO", help="A key, or a name that is unique.")],
    max_hops: Annotated[
        int | None, typer.Option("--max-hops", help="The longest path to look for.", min=1, show_default=False)
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Show how one symbol is connected to another."""
    return _ask("path", {"from": start, "to": end, "max_hops": max_hops}, root, as_json=as_json)


def overview(root: Root = None, as_json: AsJson = False) -> int:
    """Show packages, entry points and most used symbols."""
    return _ask("overview", {}, root, as_json=as_json)


def _walk(
    key: str, depth: int | None, limit: int | None, cursor: str | None, *, include_inferred: bool
) -> dict[str, object]:
    inferred = include_inferred or None
    return {"key": key, "depth": depth, "include_inferred": inferred, "limit": limit, "cursor": cursor}


def _place(place: str, lines: str | None, root: Path | None) -> dict[str, object]:
    """Return the arguments of `source` for what a person has at hand: a key, a name, a path, a path with lines.

    A path may also be relative to the folder that the person stands in.
    """
    path_part, _, span = place.rpartition(":")
    has_lines = bool(path_part) and span.replace("-", "").isdecimal()
    file = path_part if has_lines else place
    below_root = "" if "#" in place else _below_root(file, root)
    if "#" in place or not ("/" in file or below_root):
        return {"key": place, "lines": lines}
    return {"path": below_root or file, "lines": lines or (span if has_lines else None)}


def _below_root(path: str, root: Path | None) -> str:
    """Return a path relative to the root for one that is a file there, or in the working folder; else nothing."""
    from roteiro.root import find_root

    top = find_root(root)
    if (top / path).is_file():
        return path
    here = Path.cwd() / path
    return here.relative_to(top).as_posix() if here.is_file() and here.is_relative_to(top) else ""


def _ask(tool: str, arguments: Mapping[str, object], root: Path | None, *, as_json: bool) -> int:
    from roteiro.commands.answering import answer

    given = {name: value for name, value in arguments.items() if value is not None}
    return answer(tool, given, root, as_json=as_json)
