"""Lines of JSON-RPC: what is read, what is refused and how."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_server.errors import ProtocolError
from mcp_server.messages import (
    Notification,
    Request,
    Response,
    encode_error,
    encode_result,
    parse_message,
)
from tests.requirements import requirement


def test_a_request_keeps_its_id_and_its_parameters():
    """Ids may be numbers or text; parameters may be absent."""
    assert parse_message(b'{"jsonrpc":"2.0","id":"a","method":"ping"}') == Request("a", "ping", {})
    assert parse_message(b'{"jsonrpc":"2.0","id":0,"method":"x","params":{"y":1}}') == Request(0, "x", {"y": 1})


def test_a_message_without_an_id_is_a_notification():
    """It wants no answer."""
    line = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    assert parse_message(line) == Notification("notifications/initialized", {})


def test_an_answer_to_nothing_is_told_apart():
    """We ask the client nothing, so an answer is dropped rather than refused."""
    assert parse_message(b'{"jsonrpc":"2.0","id":4,"result":{}}') == Response(4)


@pytest.mark.parametrize(
    ("line", "code", "request_id", "words"),
    [
        (b"{", -32700, None, "not JSON"),
        (b"\xff\xfe", -32700, None, "not JSON"),
        (b"[" * 100_000, -32700, None, "not JSON"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None, "Batches"),
        (b"3", -32600, None, "object"),
        (b'{"id":1,"method":"ping"}', -32600, 1, "jsonrpc"),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1, "method"),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1, "method"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None, "`id`"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None, "`id`"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None, "`id`"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600, 1, "`params`"),
    ],
)
@requirement("mcp.errors-by-code")
def test_what_is_no_message_is_refused_with_its_code(line, code, request_id, words):
    """Each has its JSON-RPC code, the id where one can be read, and words that say what is wanted."""
    with pytest.raises(ProtocolError, match=words) as raised:
        parse_message(line)
    assert (raised.value.code, raised.value.request_id) == (code, request_id)


@settings(deadline=None)  # the machine may be busy
@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_protocol_error(line):
    """Nothing that a client sends raises anything else."""
    try:
        code = 0 if parse_message(line) else 1
    except ProtocolError as error:
        code = msgspec.json.decode(encode_error(error))["error"]["code"]
    assert code in {0, -32700, -32600}


def test_answers_are_one_line():
    """A line break in a text is escaped, never sent."""
    assert encode_result(1, {"text": "a\nb"}) == b'{"jsonrpc":"2.0","id":1,"result":{"text":"a\\nb"}}\n'
