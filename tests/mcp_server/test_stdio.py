"""The server process, spoken to in raw lines."""

import json
import os
import subprocess
import sys

import pytest

from mcp_server.errors import ToolChoiceError
from mcp_server.settings import McpSettings
from mcp_server.stdio import run
from tests.requirements import requirement

TIMEOUT_S = 60


def _call(request_id, name, arguments, **meta):
    params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def _request(request_id, method, params=None):
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}


HELLO = _request(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}})


def _spoken(command, *messages):
    """Send lines, close the pipe, and return what came back: answers by id, the rest in order."""
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    done = subprocess.run(command, input=b"\n".join(lines) + b"\n", capture_output=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr.decode()
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["id"]: one for one in answers if one.get("id") is not None}, answers, done.stderr.decode()


def _text(answer):
    (part,) = answer["result"]["content"]
    assert part["type"] == "text"
    return part["text"]


@requirement("mcp.text-alone", "mcp.stdout-is-protocol", "mcp.always-starts")
def test_a_first_session_builds_the_index_and_answers(server_command):
    """Initialize, list, call: nothing but JSON-RPC on stdout, and text alone in the result."""
    by_id, answers, errors = _spoken(
        server_command,
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        _request(1, "tools/list"),
        _call(2, "callers", {"key": "tax"}),
    )
    assert len(answers) == 3
    assert by_id[0]["result"]["serverInfo"] == {"name": "roteiro", "title": "Roteiro", "version": "1.2.3"}
    assert len(by_id[1]["result"]["tools"]) == 8
    assert by_id[2]["result"].keys() == {"content", "isError"}
    assert "shop.py:4-6 function price" in _text(by_id[2])
    assert "a stray print" in errors


@requirement("mcp.errors-are-text")
def test_errors_of_a_tool_are_text_for_the_model(server_command):
    """They name the argument, what was found and what would have worked."""
    by_id, _, _ = _spoken(
        server_command,
        _call("a", "callers", {"key": "taxx"}),
        _call("b", "callers", {"keys": "tax"}),
        _call("c", "explain", {}),
    )
    assert all(one["result"]["isError"] for one in by_id.values())
    assert "shop.py#tax" in _text(by_id["a"])
    assert "no argument `keys`. It takes: callers(key: str" in _text(by_id["b"])
    assert "There is no tool `explain` here. The tools are: search, context" in _text(by_id["c"])


@requirement("mcp.errors-by-code")
def test_what_is_no_message_gets_its_error_and_the_session_goes_on(server_command):
    """Malformed JSON, a batch, an unknown method, a missing version: each its code, then a ping is answered."""
    _, answers, _ = _spoken(
        server_command,
        b"{not json",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        b'{"id":1,"method":"ping"}',
        _request("u", "nonsense"),
        _request("i", "initialize"),
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b"x" * (4 * 1024 * 1024 + 1),
        _request("p", "ping"),
    )
    codes = [(one.get("id"), one.get("error", {}).get("code")) for one in answers]
    assert codes == [
        (None, -32700),
        (None, -32600),
        (1, -32600),
        ("u", -32601),
        ("i", -32602),
        (None, -32600),
        ("p", None),
    ]


@requirement("mcp.always-starts")
def test_the_server_starts_and_lists_without_a_repository(refusing_command):
    """A call says what is wrong; the tools are listed all the same."""
    by_id, _, _ = _spoken(refusing_command, HELLO, _request(1, "tools/list"), _call(2, "overview", {}))
    assert by_id[1]["result"]["tools"]
    assert by_id[2]["result"]["isError"]
    assert "there is no folder" in _text(by_id[2])


@requirement("mcp.choice-of-tools")
def test_the_setting_restricts_listing_and_dispatch(server_command):
    """A tool that is not offered cannot be called either."""
    by_id, _, _ = _spoken([*server_command, "search,callers"], _request(1, "tools/list"), _call(2, "overview", {}))
    assert [tool["name"] for tool in by_id[1]["result"]["tools"]] == ["search", "callers"]
    assert "The tools are: search, callers" in _text(by_id[2])


def test_an_unknown_tool_in_the_settings_refuses_to_start():
    """Before anything is written."""
    with pytest.raises(ToolChoiceError, match="serch"):
        run(lambda: None, McpSettings(tools=("serch",)), "1")


@requirement("mcp.progress-grows")
def test_progress_is_told_to_who_asks_for_it(server_command):
    """The numbers only grow, and the answer comes last."""
    _, answers, _ = _spoken(server_command, _call(1, "callers", {"key": "tax"}, progressToken="t"))
    told = [one["params"] for one in answers if one.get("method") == "notifications/progress"]
    assert all(one["progressToken"] == "t" for one in told)
    numbers = [one["progress"] for one in told]
    assert numbers == sorted(set(numbers))
    assert answers[-1]["id"] == 1


@requirement("mcp.stateless")
def test_the_stateless_revision_is_served_without_a_handshake(server_command):
    """Every request carries its version; every result its mark."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    by_id, _, _ = _spoken(
        server_command, _request(1, "server/discover", {"_meta": meta}), _call(2, "callers", {"key": "tax"}, **meta)
    )
    assert by_id[1]["result"]["supportedVersions"] == ["2026-07-28"]
    assert by_id[2]["result"]["resultType"] == "complete"
    assert by_id[2]["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["version"] == "1.2.3"


@requirement("mcp.light-start")
def test_nothing_heavy_is_imported_before_the_tools_are_listed():
    """The start time is held by what is not loaded."""
    script = """
import sys
from mcp_server.handlers import Handlers
from mcp_server.messages import Request
from mcp_server.offer import offered_tools
import mcp_server.stdio

handlers = Handlers(offered_tools(), "1")
handlers.answer(Request(1, "initialize", {"protocolVersion": "2025-06-18"}))
handlers.answer(Request(2, "tools/list", {}))
heavy = {"mcp", "mcp_types", "pydantic", "litestar", "networkx", "numpy", "tree_sitter", "llama_cpp", "typer", "rich",
         "asyncio", "multiprocessing", "subprocess", "jinja2", "httpx", "graph.index", "graph.repository"}
print(sorted(heavy & set(sys.modules)), len(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=TIMEOUT_S, check=True)
    loaded, count = done.stdout.decode().rsplit(" ", 1)
    assert loaded == "[]"
    assert int(count) < 200


@requirement("mcp.cancelled-is-silent")
def test_a_cancelled_call_is_not_answered(server_command):
    """The protocol wants silence; the next request is answered."""
    with subprocess.Popen(
        server_command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        # One write, so that the cancellation is read before the index can be there.
        lines = [
            _call(1, "overview", {}),
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "unknown"}},
            _request(2, "ping"),
        ]
        out, _ = server.communicate("".join(json.dumps(line) + "\n" for line in lines).encode(), timeout=TIMEOUT_S)
    assert [json.loads(line)["id"] for line in out.splitlines()] == [2]


@requirement("mcp.no-orphans")
def test_a_client_that_goes_away_ends_the_server(server_command):
    """Closing the pipe is enough, and it is a good end."""
    with subprocess.Popen(server_command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 0
        server.stdin.close()
        assert server.wait(TIMEOUT_S) == 0


@pytest.mark.skipif(os.name != "posix", reason="a parent's death is seen by its process id, which Windows keeps")
@requirement("mcp.no-orphans")
def test_a_parent_that_dies_ends_the_server_though_the_pipe_stays_open(server_command, tmp_path):
    """Another process holding the pipe must not leave an orphan behind."""
    read, write = os.pipe()
    out_read, out_write = os.pipe()
    parent = (
        "import subprocess, sys; "
        f"subprocess.Popen({server_command!r}, stdin={read}, stdout={out_write}, stderr=subprocess.DEVNULL); "
        "sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdin=subprocess.PIPE, pass_fds=(read, out_write)) as mother:
        os.close(read)
        os.close(out_write)
        os.write(write, json.dumps(HELLO).encode() + b"\n")
        with os.fdopen(out_read, "rb") as answers:
            assert json.loads(answers.readline())["id"] == 0
            mother.kill()
            mother.wait(TIMEOUT_S)
            # The end of the file comes when the server, the last holder of the other end, has gone.
            assert answers.read() == b""
    os.close(write)
