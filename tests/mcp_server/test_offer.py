"""Which tools are offered, and how they are described."""

import re

import pytest

from graph.tools import tool_table
from mcp_server.errors import ToolChoiceError
from mcp_server.offer import INSTRUCTIONS, described, offered_tools
from tests.requirements import requirement


def _names(*layers):
    return [tool.name for tool in offered_tools(*layers)]


def test_nothing_set_offers_the_default_set():
    """In the order of the table."""
    assert _names() == [tool.name for tool in tool_table() if tool.is_default]


def test_all_offers_the_whole_table():
    """`all` is a word of its own."""
    assert _names(("all",)) == [tool.name for tool in tool_table()]


def test_layers_intersect():
    """A flag can narrow what the file allows, never widen it."""
    assert _names(("search", "callers"), ("callers", "path")) == ["callers"]


@requirement("mcp.choice-of-tools")
def test_an_unknown_name_is_refused_with_the_nearest():
    """The server does not start with a tool that it does not have."""
    with pytest.raises(ToolChoiceError, match=r"'serch'.*Did you mean 'search'"):
        offered_tools(("serch",))


def test_an_empty_set_is_refused():
    """Two layers without a tool in common leave nothing to serve."""
    with pytest.raises(ToolChoiceError, match="No tool is left"):
        offered_tools(("search",), ("path",))


@pytest.mark.parametrize("tool", tool_table(), ids=lambda tool: tool.name)
@requirement("mcp.flat-schemas")
def test_schemas_are_flat_and_closed(tool):
    """No unions, no references, no draft marker: strict clients and small models read nothing else."""
    shown = described(tool)
    schema = shown["inputSchema"]
    assert re.fullmatch(r"[a-z0-9_]{1,24}", tool.name)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema) == {"type", "properties", "required", "additionalProperties"}
    assert "project" in schema["properties"]
    for name, declared in schema["properties"].items():
        assert declared["type"] in {"string", "integer", "boolean"}, name
        assert declared["description"], name
        assert not {"anyOf", "oneOf", "allOf", "$ref", "$schema", "items"} & set(declared), name


def test_instructions_are_under_150_words():
    """One client cuts them, and every session pays for them."""
    assert len(INSTRUCTIONS.split()) < 150
    assert len(INSTRUCTIONS.encode()) < 2_000
