"""The HTTP door, by the SDK's own client: the same tools and the same texts as the stdio door."""

from pathlib import Path

import httpx
import pytest
from mcp.client.client import Client

from graph.repository import Repository
from mcp_server.errors import ToolChoiceError
from mcp_server.settings import McpSettings
from mcp_server.transports import http_app, sdk_server
from tests.requirements import requirement


@pytest.fixture
def open_repository(repository_folder: Path, tmp_path: Path):
    return lambda: Repository.open(repository_folder, cache_home=tmp_path / "cache")


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
@requirement("mcp.official-client")
async def test_the_sdk_server_answers_as_the_stdio_door(open_repository, mode):
    """Listing, a call, an error as text."""
    async with Client(sdk_server(open_repository, McpSettings(), "1.2.3"), mode=mode) as client:
        assert len((await client.list_tools()).tools) == 8
        answer = await client.call_tool("callers", {"key": "tax"})
        assert answer.structured_content is None
        assert answer.content[0].text.startswith("shop.py:9-10 function tax is called by 1 symbol")
        refused = await client.call_tool("callers", {"symbol": "tax"})
        assert refused.is_error
        assert "has no argument `symbol`" in refused.content[0].text


@requirement("mcp.http-guard")
async def test_a_foreign_host_is_refused(open_repository):
    """A page on another name that resolves to this machine must not reach the tools."""
    app = http_app(open_repository, McpSettings(), "1")
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://evil.example") as client:
            answer = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert answer.status_code in {403, 421}


def test_an_unknown_tool_in_the_settings_is_refused(open_repository):
    """As at the stdio door."""
    with pytest.raises(ToolChoiceError):
        http_app(open_repository, McpSettings(tools=("serch",)), "1")
