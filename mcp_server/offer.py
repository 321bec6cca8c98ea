"""Which tools this server offers, and how they look in `tools/list`."""

from __future__ import annotations

from difflib import get_close_matches

from graph.tools import Tool, input_schema, tool_table
from mcp_server.errors import ToolChoiceError

__all__ = ["INSTRUCTIONS", "described", "offered_tools"]

INSTRUCTIONS = """\
Roteiro answers from a graph of this repository's code: symbols, calls, imports, inheritance and docs, resolved by the \
rules of each language. Use it before reading files.
1. `search` a question in words or an identifier. Every hit has a place `path:line`.
2. `context` with that place as `key`: the code with its callers, callees, bases, docs and tests in one answer.
3. `source` for exact text with line numbers.
`callers` and `callees` list every call site of a symbol; `path` tells how A is connected to B; `impact` what a \
change reaches, tests included; `overview` shows an unknown repository at a glance.
Wherever a `key` is asked for, `path:line`, `path#Class.method` or a unique name will do. Answers are cut to size: \
follow the printed `cursor` or `lines` for the rest. Cite what you use as `path:line`.\
"""
"""What a model reads about the server as a whole: under 150 words, because one client cuts at 2 KB."""

_ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
"""Measured: without the first, second and last a common agent does not run a tool in its read-only mode."""


def offered_tools(*layers: tuple[str, ...]) -> tuple[Tool, ...]:
    """Return the tools that every layer of settings allows; an empty layer allows the default set, `all` every tool.

    Raises:
        ToolChoiceError: a layer names an unknown tool, or no tool is left.
    """
    offered = list(tool_table())
    for layer in layers or ((),):
        allowed = _allowed(layer)
        offered = [tool for tool in offered if tool.name in allowed]
    if not offered:
        raise ToolChoiceError(f"No tool is left to offer. The tools are: {_names()}.")
    return tuple(offered)


def described(tool: Tool) -> dict[str, object]:
    """Return a tool as `tools/list` shows it; without an output schema, where clients would drop the text."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": input_schema(tool),
        "annotations": {"title": tool.name, **_ANNOTATIONS},
    }


def _allowed(layer: tuple[str, ...]) -> frozenset[str]:
    known = [tool.name for tool in tool_table()]
    if not layer:
        return frozenset(tool.name for tool in tool_table() if tool.is_default)
    if "all" in layer:
        return frozenset(known)
    for name in layer:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise ToolChoiceError(f"There is no tool {name!r} to offer.{meant} The tools are: {_names()}.")
    return frozenset(layer)


def _names() -> str:
    return ", ".join(tool.name for tool in tool_table())
