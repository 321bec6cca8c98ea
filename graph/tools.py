"""THE table of tools: one definition each, which MCP, the Ask loop, the command line and the docs are all made from.

`call_tool` is the one way in (arguments checked, project checked, index brought up to date if that is quick) and the
one way out (text cut to its limit). The rule that must stay true: a tool reads; none changes anything in a work tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from graph import tool_page, tool_runs, tool_runs_reach, tool_text, tool_text_lists, tool_text_reach
from graph.context import Context
from graph.debt import DebtList
from graph.errors import ArgumentError, StoreError
from graph.explain import Explanation
from graph.impact import Impact
from graph.kinds import KindList
from graph.outline import Outline
from graph.overview import Overview
from graph.paths import Path
from graph.query import Calls
from graph.tool_arguments import (
    CallsArguments,
    ChangesArguments,
    ContextArguments,
    DebtArguments,
    ExplainArguments,
    ImpactArguments,
    ListKindArguments,
    OutlineArguments,
    OverviewArguments,
    PathArguments,
    SearchArguments,
    SourceArguments,
    ToolArguments,
    argument_schema,
    argument_signature,
    read_arguments,
)
from graph.tool_results import ChangesAnswer, SearchAnswer, SourceAnswer
from graph.visible import visible_result

if TYPE_CHECKING:  # the pipeline behind a repository loads grammars; listing tools must not
    from graph.repository import Repository

__all__ = ["ANSWER_BYTES", "Answer", "Tool", "call_tool", "find_tool", "input_schema", "signature", "tool_table"]

_REFRESH_BUDGET_S = 1.0
"""An answer may wait this long for changed files to be indexed; past it the answer says how many are newer."""

ANSWER_BYTES = 8_000
"""The most bytes of an answer's text: a common agent cuts the middle out of tool output at about 10 KB."""


class Tool(Struct, frozen=True, kw_only=True):
    """One row of the table."""

    name: str
    """`[a-z0-9_]`, at most 24 characters: clients put their own prefix before it."""
    description: str
    arguments: type[ToolArguments]
    result: type[Struct]
    run: Callable[[Repository, Any], Struct]
    """Any: the row ties `arguments` and `result` to the two functions, which no type checker can follow in a table."""
    render: Callable[[Any], tool_page.Page]
    is_default: bool = True
    """Whether agents see it without asking for all tools."""


class Answer(Struct, frozen=True, kw_only=True):
    """What a call gave: the struct for programs, the text for models and people."""

    tool: str
    arguments: Mapping[str, object]
    """As understood: defaults filled in."""
    result: Struct
    text: str


@lru_cache(maxsize=1)
def tool_table() -> tuple[Tool, ...]:
    """Return every tool, in the order in which a reader should meet them."""
    return (
        Tool(
            name="search",
            description="Find code and docs by a question in words or by an identifier. Start here. Gives ranked "
            "symbols with place, signature and the lines that match.",
            arguments=SearchArguments,
            result=SearchAnswer,
            run=tool_runs.run_search,
            render=tool_text.search_page,
        ),
        Tool(
            name="context",
            description="A reading list for one symbol within a token budget: its code, container and bases, callers, "
            "callees, docs and tests that mention it.",
            arguments=ContextArguments,
            result=Context,
            run=tool_runs.run_context,
            render=tool_text.context_page,
        ),
        Tool(
            name="source",
            description="The exact text, with line numbers, of a symbol (`key`) or of a file (`path`, `lines`).",
            arguments=SourceArguments,
            result=SourceAnswer,
            run=tool_runs.run_source,
            render=tool_text.source_page,
        ),
        Tool(
            name="callers",
            description="Who calls a function, method or class, with every call-site line, resolved through imports "
            "and re-exports rather than by name.",
            arguments=CallsArguments,
            result=Calls,
            run=tool_runs.run_callers,
            render=tool_text.calls_page,
        ),
        Tool(
            name="callees",
            description="What a function, method or class calls, in the order of the calls.",
            arguments=CallsArguments,
            result=Calls,
            run=tool_runs.run_callees,
            render=tool_text.calls_page,
        ),
        Tool(
            name="path",
            description="How two symbols are connected: the shortest chain of calls, inheritance, imports and "
            "containment from one to the other.",
            arguments=PathArguments,
            result=Path,
            run=tool_runs.run_path,
            render=tool_text.path_page,
        ),
        Tool(
            name="impact",
            description="What a change reaches, step by step, tests included: of a symbol (`key`), or of all that "
            "differs from a revision (`base`).",
            arguments=ImpactArguments,
            result=Impact,
            run=tool_runs_reach.run_impact,
            render=tool_text_reach.impact_page,
        ),
        Tool(
            name="overview",
            description="The repository at a glance: languages, packages, entry points, most-called symbols.",
            arguments=OverviewArguments,
            result=Overview,
            run=tool_runs.run_overview,
            render=tool_text.overview_page,
        ),
        *_further_tools(),
    )


def _further_tools() -> tuple[Tool, ...]:
    """Return the tools that agents see only when they ask for all of them."""
    return (
        Tool(
            name="explain",
            description="One symbol with everything around it: every edge by kind and direction, with provenance, "
            "confidence and lines.",
            arguments=ExplainArguments,
            result=Explanation,
            run=tool_runs_reach.run_explain,
            render=tool_text_reach.explain_page,
            is_default=False,
        ),
        Tool(
            name="outline",
            description="The symbols of a file or class in order, nested, with their lines; of a folder its files.",
            arguments=OutlineArguments,
            result=Outline,
            run=tool_runs_reach.run_outline,
            render=tool_text_lists.outline_page,
            is_default=False,
        ),
        Tool(
            name="list_kind",
            description="Every symbol of one kind, below a path: all classes, all tests, all decision records.",
            arguments=ListKindArguments,
            result=KindList,
            run=tool_runs_reach.run_list_kind,
            render=tool_text_lists.kind_page,
            is_default=False,
        ),
        Tool(
            name="debt",
            description="The TODO, FIXME, HACK and XXX comments, each with the symbol around it, and how many.",
            arguments=DebtArguments,
            result=DebtList,
            run=tool_runs_reach.run_debt,
            render=tool_text_lists.debt_page,
            is_default=False,
        ),
        Tool(
            name="changes",
            description="The symbols added, removed, changed or moved since a git revision, up to the files on disk.",
            arguments=ChangesArguments,
            result=ChangesAnswer,
            run=tool_runs_reach.run_changes,
            render=tool_text_lists.changes_page,
            is_default=False,
        ),
    )


def find_tool(name: str) -> Tool:
    """Return the tool of this name.

    Raises:
        ArgumentError: there is none; names those that exist.
    """
    table = {tool.name: tool for tool in tool_table()}
    if name in table:
        return table[name]
    near = get_close_matches(name, table, n=1)
    meant = f" Did you mean `{near[0]}`?" if near else ""
    raise ArgumentError("name", f"There is no tool `{name}`.{meant} The tools are: {', '.join(table)}.")


def call_tool(
    repository: Repository, name: str, arguments: Mapping[str, object], *, limit_bytes: int = ANSWER_BYTES
) -> Answer:
    """Return the answer of one tool; its text has at most `limit_bytes` bytes.

    Raises:
        ArgumentError: the tool or an argument is unknown, missing or out of range.
        KeyNotFoundError, PathError: nothing is there under that key or path.
        StoreError: the store cannot be used.
    """
    tool = find_tool(name)
    read = read_arguments(tool.name, tool.arguments, arguments)
    _check_project(repository, read.project)
    status = _brought_up_to_date(repository)
    result = tool.run(repository, read)
    return Answer(
        tool=tool.name,
        arguments=msgspec.to_builtins(read),
        result=result,
        text=tool_page.fit(tool.render(visible_result(result)), limit_bytes, status),
    )


def input_schema(tool: Tool) -> dict[str, object]:
    """Return the JSON schema of a tool's arguments: flat, closed, without unions or references."""
    return argument_schema(tool.arguments)


def signature(tool: Tool) -> str:
    """Return a tool as one short line, for a prompt: `search(query: str, limit?: int 1..50)`."""
    return argument_signature(tool.name, tool.arguments)


def _check_project(repository: Repository, project: str) -> None:
    if project and project != repository.project:
        raise ArgumentError(
            "project", f"`project` is {project!r}; only {repository.project!r} is served here. Leave it out."
        )


def _brought_up_to_date(repository: Repository) -> str:
    """Index what changed if that is quick, and return the line that says what the answer was made from."""
    fresh = repository.refresh(_REFRESH_BUDGET_S)
    if not fresh.is_indexed:
        from graph.freshness import NOT_INDEXED  # it loads git's side, which listing tools must not

        why = f" ({fresh.reason})" if fresh.reason and fresh.reason != NOT_INDEXED else ""
        raise StoreError(f"{repository.root} is not indexed yet{why}. Run `roteiro sync` in it.")
    built = f"commit {fresh.built_commit[:10]}" if fresh.built_commit else "the files on disk"
    if fresh.is_fresh:
        return f"[index of {built}, up to date]"
    newer = "1 file is" if fresh.changed_files == 1 else f"{fresh.changed_files} files are"
    return f"[index of {built}; {newer} newer{f': {fresh.reason}' if fresh.reason else ''}]"
