"""The official client over stdio, in each mode that it has, against the real server process."""

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.requirements import requirement

MODES = ["legacy", "auto", "2026-07-28"]


@pytest.fixture(params=MODES)
def client(request, server_command):
    command, *arguments = server_command
    return Client(StdioServerParameters(command=command, args=arguments), mode=request.param)


@requirement("mcp.official-client")
async def test_the_official_client_lists_and_calls_the_tools(client):
    """Handshake, negotiation and a pinned version give the same tools and the same text."""
    async with client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == [
            "search",
            "context",
            "source",
            "callers",
            "callees",
            "path",
            "impact",
            "overview",
        ]
        answer = await client.call_tool("callers", {"key": "tax"})
        assert not answer.is_error
        assert answer.structured_content is None
        (part,) = answer.content
        assert part.text.startswith("shop.py:9-10 function tax is called by 1 symbol at 1 place:\n- shop.py:4-6 ")


async def test_the_official_client_reads_an_error_as_text(client):
    """A wrong argument is a result that the model sees, not a failure of the protocol."""
    async with client:
        answer = await client.call_tool("callers", {"symbol": "tax"})
        assert answer.is_error
        assert "`callers` has no argument `symbol`" in answer.content[0].text


async def test_the_official_client_gets_progress(client):
    """Whether any is told depends on the time that the first build takes; the call ends either way."""
    told = []

    async def listen(progress, total, message):
        told.append((progress, total, message))

    async with client:
        answer = await client.call_tool("overview", {}, progress_callback=listen)
        assert "1 file" in answer.content[0].text
    assert told == sorted(told)
