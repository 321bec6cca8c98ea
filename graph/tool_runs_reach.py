"""What the tools beside searching and calling do: explain, outline, list, debt, impact and changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.debt import DebtList, debt
from graph.errors import ArgumentError
from graph.explain import Explanation, explain
from graph.impact import Impact, impact_of_key, impact_of_symbols
from graph.kinds import KindList, list_kind
from graph.outline import Outline, outline
from graph.paging import next_cursor, page_offset
from graph.tool_arguments import (
    ChangesArguments,
    DebtArguments,
    ExplainArguments,
    ImpactArguments,
    ListKindArguments,
    OutlineArguments,
)
from graph.tool_results import ChangesAnswer

if TYPE_CHECKING:  # comparing revisions loads grammars; listing tools must not
    from graph.changes import Changes
    from graph.repository import Repository

__all__ = ["run_changes", "run_debt", "run_explain", "run_impact", "run_list_kind", "run_outline"]


def run_explain(repository: Repository, arguments: ExplainArguments) -> Explanation:
    """Return a symbol with its neighbourhood."""
    return explain(repository.store, arguments.key, limit=arguments.limit, cursor=arguments.cursor)


def run_outline(repository: Repository, arguments: OutlineArguments) -> Outline:
    """Return the symbols of a file or class, or the files of a folder."""
    return outline(repository.store, arguments.path, limit=arguments.limit, cursor=arguments.cursor)


def run_list_kind(repository: Repository, arguments: ListKindArguments) -> KindList:
    """Return the symbols of a kind."""
    return list_kind(
        repository.store, arguments.kind, path=arguments.path, limit=arguments.limit, cursor=arguments.cursor
    )


def run_debt(repository: Repository, arguments: DebtArguments) -> DebtList:
    """Return the debt markers."""
    return debt(
        repository.store, arguments.categories, path=arguments.path, limit=arguments.limit, cursor=arguments.cursor
    )


def run_impact(repository: Repository, arguments: ImpactArguments) -> Impact:
    """Return what a change of a symbol, or all changes since a revision, reach."""
    if bool(arguments.key) == bool(arguments.base):
        raise ArgumentError("key", "`impact` takes either `key` (a symbol) or `base` (a revision); give one.")
    store, depth, limit, cursor = repository.store, arguments.depth, arguments.limit, arguments.cursor
    if arguments.key:
        return impact_of_key(store, arguments.key, depth=depth, limit=limit, cursor=cursor)
    found = _changes(repository, arguments.base)
    removed = sum(change.status == "removed" for change in found.changes)
    notes = (f"{removed} removed symbols have no edges any more; `changes` lists them.",) if removed else ()
    return impact_of_symbols(
        store,
        # A file counts as changed for its imports and comments too; what depends on those is not told by its edges.
        [change.key for change in found.changes if change.status != "removed" and change.kind != "file"],
        base=arguments.base,
        depth=depth,
        limit=limit,
        cursor=cursor,
        notes=(*notes, *found.notes),
    )


def run_changes(repository: Repository, arguments: ChangesArguments) -> ChangesAnswer:
    """Return the symbols that differ from a revision."""
    offset = page_offset(arguments.cursor)
    found = _changes(repository, arguments.base, arguments.path)
    shown = found.changes[offset : offset + arguments.limit]
    return ChangesAnswer(
        base=found.base,
        commit=found.commit,
        changes=shown,
        total=len(found.changes),
        counts=found.counts,
        files=found.files,
        offset=offset,
        cursor=next_cursor(offset, len(shown), len(found.changes)),
        notes=found.notes,
    )


def _changes(repository: Repository, base: str, path: str = "") -> Changes:
    from graph.changes import changed_symbols

    if repository.worktree is None:
        raise ArgumentError("base", f"{repository.root} is no git checkout, so there is no revision to compare with.")
    return changed_symbols(
        repository.store, repository.root, repository.settings, repository.read_bytes, base, below=path
    )
