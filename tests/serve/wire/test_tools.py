"""The limits of tools arrays."""

from __future__ import annotations

import json

import msgspec
import pytest

from serve.errors import BadRequestError
from serve.settings import ServeSettings
from serve.wire.chat import decode_chat
from serve.wire.responses import decode_responses
from tests.requirements import requirement

_SETTINGS = ServeSettings()


def _function(name: str, description: str = "") -> dict[str, object]:
    return {"type": "function", "name": name, "description": description, "function": {"name": name}}


def _both(arrival, tools):
    chat = {"model": "local-model", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    responses = {"model": "local-model", "input": "Hi", "tools": tools}
    decode_responses(json.dumps(responses).encode(), arrival)
    return decode_chat(json.dumps(chat).encode(), arrival).generation.tools


@requirement("tools.limits")
def test_128_tools_pass_and_129_are_refused_by_the_name_of_the_limit(arrival):
    """An array past the limit is refused, never cut."""
    assert len(_both(arrival, [_function(f"t{number}") for number in range(128)])) == 128
    with pytest.raises(BadRequestError, match=r"129 tools; the limit is 128 \(`max_tools`") as caught:
        _both(arrival, [_function(f"t{number}") for number in range(129)])
    assert caught.value.code == "too_many_tools"


@requirement("tools.limits")
def test_an_array_past_128_kib_is_refused_by_the_name_of_the_limit(arrival):
    """What a client sends in descriptions counts as well."""
    _both(arrival, [_function("a", "x" * 120_000)])
    with pytest.raises(BadRequestError, match=r"the limit is 131072 \(`max_tools_bytes`"):
        _both(arrival, [_function("a", "x" * 132_000)])


def test_limits_are_configurable(arrival):
    """The settings decide."""
    narrow = msgspec.structs.replace(arrival, settings=msgspec.structs.replace(_SETTINGS, max_tools=1))
    with pytest.raises(BadRequestError, match="the limit is 1 "):
        _both(narrow, [_function("a"), _function("b")])


def test_the_bytes_of_all_arrays_of_a_request_add_up(arrival):
    """Two arrays of a legal size are not a way around the limit."""
    half = [_function("a", "x" * 70_000)]
    items = [{"type": "additional_tools", "tools": [_function("b", "x" * 70_000)]}, {"role": "user", "content": "Hi"}]
    with pytest.raises(BadRequestError, match="max_tools_bytes"):
        decode_responses(json.dumps({"model": "local-model", "input": items, "tools": half}).encode(), arrival)


def test_a_schema_is_passed_on_without_loss(arrival):
    """Key order, nesting and references are the client's."""
    schema = {"type": "object", "properties": {"b": {"$ref": "#/x"}, "a": {"oneOf": [{"const": 1.0}]}}, "x": None}
    tools = [{"type": "function", "function": {"name": "t", "parameters": schema}}]
    body = {"model": "local-model", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    tool = decode_chat(json.dumps(body).encode(), arrival).generation.tools[0]
    assert bytes(tool.parameters).decode() == json.dumps(schema, separators=(",", ":"))
