"""The commands that ask what stands where and what depends on what: one for each further tool of `graph.tools`.

As in `questions`: a command's arguments have the names and meanings of the tool's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from roteiro.commands.options import AsJson, Cursor, Limit, Root

__all__ = ["changes", "debt", "explain", "impact", "list_kind", "outline"]

_BelowPath: TypeAlias = Annotated[str | None, typer.Option("--path", help="Only below this path.", show_default=False)]


def explain(
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key, or a name that is unique.")],
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Show one symbol with every edge at it."""
    return _ask("explain", {"key": key, "limit": limit, "cursor": cursor}, root, as_json=as_json)


def outline(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder, or a class as `path#Class`.")],
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Show the symbols of a file or class, in order."""
    return _ask("outline", {"path": path, "limit": limit, "cursor": cursor}, root, as_json=as_json)


def list_kind(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="class, function, method, test, adr ...")],
    path: _BelowPath = None,
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """List every symbol of one kind."""
    arguments = {"kind": kind, "path": path, "limit": limit, "cursor": cursor}
    return _ask("list_kind", arguments, root, as_json=as_json)


def debt(
    categories: Annotated[
        list[str] | None, typer.Argument(metavar="[CATEGORIES]", help="TODO, FIXME, HACK, XXX; all when left out.")
    ] = None,
    path: _BelowPath = None,
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """List TODO, FIXME, HACK and XXX comments."""
    wanted = ",".join(categories) if categories else None
    arguments = {"categories": wanted, "path": path, "limit": limit, "cursor": cursor}
    return _ask("debt", arguments, root, as_json=as_json)


def impact(
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="What may change; or give --base.", show_default=False)
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", help="Instead: all that differs from this revision.", show_default=False),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", help="How many steps away.", min=1, show_default=False)
    ] = None,
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Show what a change reaches, tests included."""
    arguments = {"key": key, "base": base, "depth": depth, "limit": limit, "cursor": cursor}
    return _ask("impact", arguments, root, as_json=as_json)


def changes(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="A commit, tag or branch; `main...`: where this branch left it.")
    ],
    path: _BelowPath = None,
    limit: Limit = None,
    cursor: Cursor = None,
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """List the symbols that differ from a revision."""
    arguments = {"base": base, "path": path, "limit": limit, "cursor": cursor}
    return _ask("changes", arguments, root, as_json=as_json)


def _ask(tool: str, arguments: Mapping[str, object], root: Path | None, *, as_json: bool) -> int:
    from roteiro.commands.answering import answer

    given = {name: value for name, value in arguments.items() if value is not None}
    return answer(tool, given, root, as_json=as_json)
