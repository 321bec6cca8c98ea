"""The answers to each method, in both eras of the protocol."""

import msgspec
import pytest

from mcp_server.errors import ProtocolError
from mcp_server.handlers import HANDSHAKE_VERSIONS, Handlers, ToolCall
from mcp_server.messages import Request
from mcp_server.offer import INSTRUCTIONS, offered_tools
from tests.requirements import requirement

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def handlers():
    return Handlers(offered_tools(), "9.9")


def _ask(handlers, method, params=None, request_id=1):
    return handlers.answer(Request(request_id, method, params or {}))


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
@requirement("mcp.versions")
def test_initialize_agrees_on_every_version_of_the_handshake(handlers, version):
    """A client gets the version that it asked for."""
    assert _ask(handlers, "initialize", {"protocolVersion": version}) == {
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "roteiro", "title": "Roteiro", "version": "9.9"},
        "instructions": INSTRUCTIONS,
    }


@requirement("mcp.versions")
def test_initialize_offers_the_newest_handshake_for_an_unknown_version(handlers):
    """The client decides whether it can go on."""
    assert _ask(handlers, "initialize", {"protocolVersion": "2031-01-01"})["protocolVersion"] == "2025-11-25"


def test_initialize_without_a_version_is_refused(handlers):
    """The message says what is missing, and carries the id."""
    with pytest.raises(ProtocolError, match="protocolVersion") as raised:
        _ask(handlers, "initialize", {}, request_id="first")
    assert (raised.value.code, raised.value.request_id) == (-32602, "first")


def test_discover_names_the_stateless_version(handlers):
    """It takes the place of the handshake in the 2026-07-28 revision."""
    found = _ask(handlers, "server/discover", {"_meta": ENVELOPE})
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["resultType"] == "complete"
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "roteiro"
    assert {"ttlMs", "cacheScope", "instructions", "capabilities"} <= found.keys()


def test_discover_without_an_envelope_is_refused(handlers):
    """An old client that tries it falls back to the handshake on this error."""
    with pytest.raises(ProtocolError) as raised:
        _ask(handlers, "server/discover")
    assert raised.value.code == -32602


@requirement("mcp.unsupported-version")
def test_an_unknown_stateless_version_names_those_that_are_served(handlers):
    """The client can choose one of them."""
    envelope = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}
    with pytest.raises(ProtocolError) as raised:
        _ask(handlers, "tools/list", {"_meta": envelope})
    assert raised.value.code == -32022
    assert raised.value.data == {"supported": ["2026-07-28"], "requested": "2030-01-01"}


@pytest.mark.parametrize(
    "envelope",
    [
        {"io.modelcontextprotocol/protocolVersion": 3, "io.modelcontextprotocol/clientCapabilities": {}},
        {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
        {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": None},
    ],
)
def test_an_incomplete_envelope_is_refused(handlers, envelope):
    """The shape of the envelope is an error of the parameters, not of the version."""
    with pytest.raises(ProtocolError) as raised:
        _ask(handlers, "ping", {"_meta": envelope})
    assert raised.value.code == -32602


def test_ping_is_answered_with_nothing(handlers):
    """Strict peers refuse extra keys in the old era; the new one wants its mark on every result."""
    assert _ask(handlers, "ping") == {}
    assert _ask(handlers, "ping", {"_meta": ENVELOPE})["resultType"] == "complete"


def test_old_clients_see_no_keys_of_the_new_revision(handlers):
    """A handshake client gets the plain list."""
    assert list(_ask(handlers, "tools/list")) == ["tools"]
    assert _ask(handlers, "tools/list", {"_meta": ENVELOPE})["ttlMs"] > 0


@requirement("mcp.read-only-hints", "mcp.text-alone")
def test_tools_are_marked_as_reading_only(handlers):
    """Without these marks a common agent does not run them in its read-only mode."""
    for tool in _ask(handlers, "tools/list")["tools"]:
        marks = tool["annotations"]
        assert (marks["readOnlyHint"], marks["destructiveHint"], marks["openWorldHint"]) == (True, False, False)
        assert "outputSchema" not in tool


@requirement("mcp.flat-schemas")
def test_the_list_of_tools_stays_small(handlers):
    """Its schema is part of every prompt: under 3,000 tokens of four characters."""
    assert len(msgspec.json.encode(_ask(handlers, "tools/list"))) < 12_000


def test_a_tool_call_is_read_with_its_progress_token(handlers):
    """The protocol's part is checked here, the arguments by the tool."""
    params = {"name": "search", "arguments": {"query": "x"}, "_meta": {"progressToken": "p"}}
    assert _ask(handlers, "tools/call", params) == ToolCall(name="search", arguments={"query": "x"}, progress_token="p")


@pytest.mark.parametrize("params", [{}, {"name": 3}, {"name": "search", "arguments": [1]}])
def test_a_malformed_tool_call_is_refused(handlers, params):
    """These are mistakes of the client, not of the model."""
    with pytest.raises(ProtocolError) as raised:
        _ask(handlers, "tools/call", params)
    assert raised.value.code == -32602


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "logging/setLevel", "nonsense", ""])
@requirement("mcp.unknown-method")
def test_an_unknown_method_names_those_that_are_served(handlers, method):
    """-32601, and the id of the request."""
    with pytest.raises(ProtocolError, match="tools/list") as raised:
        _ask(handlers, method)
    assert (raised.value.code, raised.value.request_id) == (-32601, 1)
