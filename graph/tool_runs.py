"""What each tool does: the query behind it, and the source lines that make its answer readable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from graph.context import Context, reading_list
from graph.errors import ArgumentError, GraphError, KeyNotFoundError, PathError
from graph.lookup import FileRow, GraphReader, file_row, find_node
from graph.model import NodeKind
from graph.overview import Overview, describe_repository
from graph.paging import page_offset
from graph.paths import Hop, Path, find_path
from graph.query import Call, Calls, callees, callers
from graph.tool_arguments import (
    CallsArguments,
    ContextArguments,
    OverviewArguments,
    PathArguments,
    SearchArguments,
    SourceArguments,
)
from graph.tool_results import SearchAnswer, SearchHit, SourceAnswer
from graph.visible import visible

if TYPE_CHECKING:  # the pipeline behind a repository loads grammars; listing tools must not
    from graph.repository import Repository

__all__ = [
    "run_callees",
    "run_callers",
    "run_context",
    "run_overview",
    "run_path",
    "run_search",
    "run_source",
]

_MOST_SOURCE_LINES = 2_000
"""Read at once; the text of an answer is cut by its own limit, this one bounds the struct behind it."""


def run_search(repository: Repository, arguments: SearchArguments) -> SearchAnswer:
    """Return ranked hits for a question or an identifier."""
    from graph.search.search import search  # only the tool that ranks pays for its tables

    page = search(
        repository.store,
        arguments.query,
        kind=arguments.kind or None,
        path=arguments.path or None,
        limit=arguments.limit,
        cursor=arguments.cursor or None,
    )
    return SearchAnswer(
        query=arguments.query,
        hits=tuple(
            SearchHit(
                path=hit.path,
                start_line=max(hit.start_line, 1),  # a file counts from 0 inside, so that it holds every line
                end_line=hit.end_line,
                key=hit.key,
                name=hit.name,
                qualname=hit.qualname,
                kind=hit.kind,
                signature=hit.signature,
                doc=hit.doc,
                lines=tuple(hit.lines),
                why=hit.why,
                score=hit.score,
            )
            for hit in page.hits
        ),
        total=page.total,
        offset=page_offset(arguments.cursor),
        cursor=page.cursor or "",
        note=page.note or "",
    )


def run_context(repository: Repository, arguments: ContextArguments) -> Context:
    """Return the reading list of a symbol."""
    return reading_list(repository.store, repository.read_lines, arguments.key, budget_tokens=arguments.budget)


def run_source(repository: Repository, arguments: SourceArguments) -> SourceAnswer:
    """Return the exact text of a symbol, or of lines of a file."""
    if bool(arguments.key) == bool(arguments.path):
        raise ArgumentError("key", "`source` takes either `key` or `path` (with `lines`); give one of the two.")
    if arguments.path and (arguments.lines or not _names_a_symbol(repository.store, arguments.path)):
        return _file_source(repository, arguments.path, arguments.lines)
    try:
        node = find_node(repository.store, arguments.key or arguments.path)
    except KeyNotFoundError:
        path, lines = _path_and_lines(arguments.key or arguments.path)
        if "/" not in path and not _files_ending_in(repository.store, path):
            raise
        return _file_source(repository, path, arguments.lines or lines)
    if node.kind is NodeKind.FILE or arguments.lines:
        return _file_source(repository, node.path, arguments.lines)
    line_count = _listed_file(repository.store, node.path).line_count
    return _source(repository, node.path, (node.start_line, node.end_line), line_count, (node.key, node.qualname))


def run_callers(repository: Repository, arguments: CallsArguments) -> Calls:
    """Return who calls a symbol."""
    found = callers(
        repository.store,
        arguments.key,
        depth=arguments.depth,
        include_inferred=arguments.include_inferred,
        limit=arguments.limit,
        cursor=arguments.cursor,
    )
    return _with_text(repository, found)


def run_callees(repository: Repository, arguments: CallsArguments) -> Calls:
    """Return what a symbol calls."""
    found = callees(
        repository.store,
        arguments.key,
        depth=arguments.depth,
        include_inferred=arguments.include_inferred,
        limit=arguments.limit,
        cursor=arguments.cursor,
    )
    return _with_text(repository, found)


def run_path(repository: Repository, arguments: PathArguments) -> Path:
    """Return how two symbols are connected."""
    found = find_path(repository.store, arguments.start, arguments.end, max_hops=arguments.max_hops)
    return replace(found, hops=tuple(_hop_with_text(repository, hop) for hop in found.hops))


def run_overview(repository: Repository, _arguments: OverviewArguments) -> Overview:
    """Return the repository at a glance."""
    return describe_repository(repository.store, lambda path: _text(repository, path))


def _with_text(repository: Repository, found: Calls) -> Calls:
    return replace(found, calls=tuple(_call_with_text(repository, call) for call in found.calls))


def _call_with_text(repository: Repository, call: Call) -> Call:
    return replace(call, text=_line(repository, call.site_path, call.lines[0])) if call.lines else call


def _hop_with_text(repository: Repository, hop: Hop) -> Hop:
    if hop.kind == "contains" or not hop.lines:
        return hop
    return replace(hop, text=_line(repository, (hop.source if hop.forward else hop.target).path, hop.lines[0]))


def _line(repository: Repository, path: str, line: int) -> str:
    """Return one line of the work tree without its indent; empty where the file changed under the index."""
    try:
        return repository.read_lines(path, line, line).strip()
    except (GraphError, OSError):  # a missing line takes nothing from the answer: the place itself is right there
        return ""


def _text(repository: Repository, path: str) -> str | None:
    """Return the text of a project file; None where it cannot be read."""
    try:
        return repository.read_lines(path)
    except (GraphError, OSError):  # an overview without it is still one
        return None


def _names_a_symbol(store: GraphReader, written: str) -> bool:
    """Say whether `path` holds a symbol instead: people and models mix the two up, and only one can be meant."""
    if file_row(store, written.removeprefix("file:").removeprefix("./")) is not None:
        return False
    try:
        find_node(store, written)
    except GraphError:  # the answer about the path says more than one about a symbol that was never meant
        return False
    return True


def _file_source(repository: Repository, path: str, lines: str) -> SourceAnswer:
    row = _listed_file(repository.store, path.removeprefix("file:").removeprefix("./"))
    path, line_count = row.path, _line_count(repository, row)
    start, end = _line_range(lines, line_count)
    return _source(repository, path, (start, end), line_count, (f"file:{path}", path))


def _source(
    repository: Repository, path: str, span: tuple[int, int], line_count: int, identity: tuple[str, str]
) -> SourceAnswer:
    start, asked_end = span
    end = min(asked_end, max(line_count, start), start + _MOST_SOURCE_LINES - 1)
    return SourceAnswer(
        path=path,
        start_line=start,
        end_line=end,
        key=identity[0],
        name=identity[1],
        text=repository.read_lines(path, start, end),
        line_count=line_count,
        asked_end_line=min(asked_end, line_count),
    )


def _line_count(repository: Repository, row: FileRow) -> int:
    """Return the lines of a file; those of one without a language of ours are counted now."""
    return row.line_count if row.status == "indexed" else len(repository.read_lines(row.path).splitlines())


def _listed_file(store: GraphReader, path: str) -> FileRow:
    """Return the row of a file that may be shown: indexed, or listed without a language of ours.

    The end of a path is enough where it is the end of one path only: `app.py`, `flask/app.py`.

    Raises:
        PathError: it was left out of the index, and why; or there is none, and which files have that name.
    """
    same_end = _files_ending_in(store, path)
    found = file_row(store, path) or (file_row(store, same_end[0]) if len(same_end) == 1 else None)
    if found is not None and found.status != "skipped":
        return found
    if found is not None:
        raise PathError(f"{found.path} was left out of the index: {found.reason}.")
    near = ", ".join(map(visible, same_end or _files_ending_in(store, path.rstrip("/").rsplit("/", 1)[-1])))
    there = f" Files of that name: {near}." if near else ""
    raise PathError(f"{path} is not a file of this repository's index. Paths are relative to its root.{there}")


def _files_ending_in(store: GraphReader, end: str) -> list[str]:
    """Return the first few paths whose last parts are these."""
    rows = store.read().execute(
        "SELECT path FROM file WHERE project = ? AND (path = ? OR path LIKE ? ESCAPE '!') ORDER BY path LIMIT 5",
        (store.project_id, end, f"%/{_escaped(end)}"),
    )
    return [str(path) for (path,) in rows]


def _path_and_lines(written: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.+?):(\d[\d,:-]*)", written.strip())
    return (match[1], match[2]) if match else (written.strip(), "")


def _escaped(name: str) -> str:
    return re.sub(r"([!%_])", r"!\1", name)


def _line_range(written: str, line_count: int) -> tuple[int, int]:
    """Return the lines meant by `10`, `10-60`, `10:60`, `10-` or nothing (all)."""
    if not written.strip():
        return 1, max(1, line_count)
    match = re.fullmatch(r"L?(\d{1,7})(?:\s*[-:,]\s*L?(\d{1,7})?)?", written.strip())
    start = int(match[1]) if match else 0
    end = start if match and match[2] is None and not written.rstrip().endswith(("-", ":", ",")) else line_count
    if match and match[2]:
        end = int(match[2])
    if not 1 <= start <= max(1, line_count) or end < start:
        raise ArgumentError(
            "lines",
            f"`lines` is {written!r}; the file has {line_count} lines, so give a range such as `1-{line_count}`.",
        )
    return start, min(end, max(1, line_count))
