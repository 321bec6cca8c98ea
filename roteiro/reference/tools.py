"""The page of tools, from the table that agents, commands and the Ask loop are made from."""

from __future__ import annotations

import msgspec

from graph.tools import Tool, input_schema, signature, tool_table

__all__ = ["tools_page"]


class _Property(msgspec.Struct):
    type: str = ""
    description: str = ""
    default: object = None
    minimum: int | None = None
    maximum: int | None = None


class _Schema(msgspec.Struct):
    properties: dict[str, _Property]
    required: list[str]


def tools_page() -> str:
    """Return a section for each tool: what it gives, its signature, its arguments."""
    intro = (
        "# Tools\n\nThe same on every surface: `roteiro mcp`, the Ask loop, and one command each. Answers are\n"
        "bounded, say how to get the rest, and say why they are empty. An unknown argument is refused by name.\n"
    )
    return "\n".join([intro, *(_section(tool) for tool in tool_table())])


def _section(tool: Tool) -> str:
    schema = msgspec.convert(input_schema(tool), _Schema)
    rows = [_row(name, fact, is_required=name in schema.required) for name, fact in schema.properties.items()]
    table = "\n".join(["| argument | type | default | meaning |", "|---|---|---|---|", *rows])
    return f"## {tool.name}\n\n{tool.description}\n\n    {signature(tool)}\n\n{table}\n"


def _row(name: str, fact: _Property, *, is_required: bool) -> str:
    bounds = f" {fact.minimum} to {fact.maximum}" if fact.minimum is not None else ""
    default = "required" if is_required else f"`{fact.default}`" if fact.default not in {None, ""} else ""
    return f"| `{name}` | {fact.type}{bounds} | {default} | {fact.description} |"
