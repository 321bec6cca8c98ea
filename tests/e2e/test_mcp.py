"""`roteiro mcp` as an agent starts it."""

from __future__ import annotations

import json

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def test_the_official_client_lists_and_calls_the_tools(home, repository):
    """Over stdio, from an empty index on."""
    import sys
    from pathlib import Path

    parameters = StdioServerParameters(
        command=str(Path(sys.executable).parent / "roteiro"), args=["mcp", "--root", str(repository)]
    )
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert {"search", "context", "source", "callers", "callees", "path", "overview"} <= tools
        result = await session.call_tool("callers", {"key": "reserve"})
        assert "place" in result.content[0].text
        assert not result.is_error


def test_a_mistake_in_the_settings_is_told_on_stderr_and_never_on_stdout(process, repository):
    """Stdout belongs to the protocol."""
    (repository / "roteiro.toml").write_text("[serve]\nqueue = 1\n")
    done = process("mcp", "--root", repository)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be set by a repository" in done.stderr


def test_unknown_tools_refuse_to_start(process, repository):
    """By name."""
    done = process("mcp", "--root", repository, "--tools", "serch")
    assert (done.returncode, done.stdout) == (2, "")
    assert "serch" in done.stderr


def test_the_end_of_input_ends_the_server(process, repository):
    """The client has gone."""
    done = process("mcp", "--root", repository, stdin='{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert done.returncode == 0
    assert json.loads(done.stdout)["result"] == {}
