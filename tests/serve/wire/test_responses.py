"""Responses, inwards."""

from __future__ import annotations

import json

import pytest

from serve.errors import BadRequestError
from serve.turns import Message, Mode, Role, ToolCall, ToolChoice
from serve.wire.chat import decode_chat
from serve.wire.responses import decode_responses
from tests.requirements import requirement


def _decode(arrival, **body):
    return decode_responses(json.dumps({"model": "local-model", "input": "Hi", **body}).encode(), arrival)


def _messages(arrival, **body):
    return _decode(arrival, **body).generation.messages


def test_a_string_is_a_user_turn(arrival):
    """The shortest request there is."""
    assert _messages(arrival) == (Message(role=Role.USER, content="Hi"),)


@requirement("turns.one-system-head")
def test_instructions_and_leading_developer_turns_merge(arrival):
    """One system turn, instructions first; a late one stays in place."""
    items = [
        {"role": "developer", "content": "A"},
        {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "B"}]},
        {"role": "user", "content": "Hi"},
        {"role": "developer", "content": "C"},
    ]
    assert _messages(arrival, instructions="I", input=items) == (
        Message(role=Role.SYSTEM, content="I\n\nA\n\nB"),
        Message(role=Role.USER, content="Hi"),
        Message(role=Role.SYSTEM, content="C"),
    )


@requirement("responses.output-forms", "responses.reasoning-skipped", "responses.namespace-calls")
def test_a_tool_round_is_read(arrival):
    """Reasoning is skipped, calls join one turn, outputs are a string or parts, a namespace stays apart."""
    items = [
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": None},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "So"}]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{", "status": "completed", "id": "fc"},
        {"type": "function_call", "call_id": "c2", "name": "search", "namespace": "mcp__x", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "c3", "name": "patch", "input": "*** Begin"},
        {"type": "function_call_output", "call_id": "c1", "output": "42"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "a"}] * 2},
        {"type": "custom_tool_call_output", "call_id": "c3", "output": "ok"},
    ]
    assert _messages(arrival, input=items)[1:] == (
        Message(
            role=Role.ASSISTANT,
            content="So",
            tool_calls=(
                ToolCall(id="c1", name="look", arguments="{"),
                ToolCall(id="c2", name="search", arguments="{}", namespace="mcp__x"),
                ToolCall(id="c3", name="patch", arguments="*** Begin", is_free_text=True),
            ),
        ),
        Message(role=Role.TOOL, content="42", tool_call_id="c1", name="look"),
        Message(role=Role.TOOL, content="a\na", tool_call_id="c2", name="search"),
        Message(role=Role.TOOL, content="ok", tool_call_id="c3", name="patch"),
    )


@requirement("turns.same-on-both")
def test_the_same_conversation_gives_the_same_turns(arrival):
    """Text, calls and results of both APIs decode to equal turns and tools."""
    parameters = {"type": "object", "properties": {"a": {"type": "integer"}}}
    chat = {
        "model": "local-model",
        "messages": [
            {"role": "system", "content": "S"},
            {"role": "user", "content": "Hi"},
            {
                "role": "assistant",
                "content": "So",
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "42"},
        ],
        "tools": [{"type": "function", "function": {"name": "look", "description": "D", "parameters": parameters}}],
    }
    responses = {
        "model": "local-model",
        "instructions": "S",
        "input": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "So"}]},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "42"},
        ],
        "tools": [{"type": "function", "name": "look", "description": "D", "parameters": parameters}],
    }
    one = decode_chat(json.dumps(chat).encode(), arrival).generation
    two = decode_responses(json.dumps(responses).encode(), arrival).generation
    assert one == two


@requirement("responses.hosted-left-out", "responses.custom-tools")
def test_tools_are_flattened_and_hosted_kinds_left_out(arrival):
    """Namespaces are taken apart, custom tools take free text."""
    tools = [
        {"type": "function", "name": "look", "parameters": {"type": "object"}},
        {"type": "web_search", "external_web_access": False},
        {"type": "web_search_preview_2025_03_11"},
        {"type": "local_shell"},
        {"type": "custom", "name": "patch", "format": {"type": "grammar"}},
        {"type": "namespace", "name": "ns", "tools": [{"type": "function", "name": "look"}]},
    ]
    generation = _decode(arrival, tools=tools).generation
    assert [(tool.namespace, tool.name, tool.is_free_text) for tool in generation.tools] == [
        (None, "look", False),
        (None, "patch", True),
        ("ns", "look", False),
    ]
    assert bytes(generation.tools[0].parameters) == b'{"type":"object"}'


@requirement("mode.additional-tools")
def test_additional_tools_items_bring_tools(arrival):
    """Codex sends its tools there for models whose names it knows."""
    items = [
        {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "look"}]},
        {"role": "user", "content": "Hi"},
    ]
    generation = _decode(arrival, input=items).generation
    assert generation.mode is Mode.GENERAL
    assert [tool.name for tool in generation.tools] == ["look"]


@requirement("responses.store-refused")
@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"store": True}, "store"),
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"conversation": "conv_1"}, "conversation"),
        ({"background": True}, "background"),
        ({"prompt": {"id": "x"}}, "prompt"),
    ],
)
def test_what_would_be_stored_is_refused_with_what_to_send(arrival, body, param):
    """A client that believed in storage would lose its conversation."""
    with pytest.raises(BadRequestError) as caught:
        _decode(arrival, **body)
    assert (caught.value.param, caught.value.code) == (param, "unsupported_parameter")
    assert "here" in caught.value.message


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"input": None}, "input"),
        ({"input": 7}, "input"),
        ({"input": []}, "input"),
        ({"input": [7]}, "input[0]"),
        ({"input": [{"type": "warp_drive"}]}, "input[0].type"),
        ({"input": [{"type": 7}]}, "input[0].type"),
        ({"input": [{"role": "robot", "content": "x"}]}, "input[0].role"),
        ({"input": [{"role": "user"}]}, "input[0].content"),
        ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input[0].content[0]"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input[0]"),
        ({"input": [{"type": "compaction", "encrypted_content": "x"}]}, "input[0]"),
        ({"input": [{"type": "function_call", "call_id": "c", "name": "n"}]}, "input[0].arguments"),
        ({"input": [{"type": "function_call_output", "call_id": "c"}]}, "input[0].output"),
        ({"input": [{"type": "function_call_output", "output": "x"}]}, "input[0].call_id"),
        ({"tools": {}}, "tools"),
        ({"tools": [{"type": "warp"}]}, "tools[0].type"),
        ({"tools": [{"type": "function"}]}, "tools[0].name"),
        ({"tools": [{"type": "function", "name": "a", "parameters": []}]}, "tools[0].parameters"),
        ({"tools": [{"type": "function", "name": "a"}] * 2}, "tools"),
        (
            {"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "namespace", "name": "m"}]}]},
            "tools[0].tools[0].type",
        ),
        ({"text": {"format": {"type": "json_schema"}}}, "text.format.schema"),
        ({"reasoning": "high"}, "reasoning"),
        ({"metadata": []}, "metadata"),
        ({"instructions": 7}, "instructions"),
        ({"max_output_tokens": -1}, "max_output_tokens"),
        ({"client_metadata": 7}, "client_metadata"),
    ],
)
@requirement("errors.path")
def test_what_is_wrong_is_named_by_its_path(arrival, body, param):
    """Each wrong value is 400 with the path of its field."""
    with pytest.raises(BadRequestError) as caught:
        _decode(arrival, **body)
    assert caught.value.param == param


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        ({"type": "function", "name": "a"}, ToolChoice(kind="named", names=("a",))),
        ({"type": "custom", "name": "b"}, ToolChoice(kind="named", names=("b",))),
        (
            {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "a"}]},
            ToolChoice(kind="named", names=("a",)),
        ),
    ],
)
def test_tool_choices(arrival, choice, wanted):
    """The flat forms of this API are read."""
    tools = [{"type": "function", "name": "a"}, {"type": "custom", "name": "b"}]
    assert _decode(arrival, tools=tools, tool_choice=choice).generation.tool_choice == wanted


def test_a_captured_request_decodes(arrival, captured):
    """Every captured request of Codex becomes a general request with its own last words kept."""
    body = json.dumps(captured["body"]).encode()
    wanted = decode_responses(body, arrival)
    generation = wanted.generation
    assert wanted.is_stream
    assert generation.mode is Mode.GENERAL
    assert generation.messages[0].role is Role.SYSTEM
    results = [message for message in generation.messages if message.role is Role.TOOL]
    outputs = [item for item in captured["body"]["input"] if item["type"].endswith("_output")]
    assert len(results) == len(outputs)
    assert all(message.name for message in results)
    if captured["tools_count"]:
        assert generation.tools


def test_codex_namespaces_come_through(arrival, capture):
    """Its MCP tools and its freeform patch tool keep namespace and kind."""
    tools = decode_responses(json.dumps(capture("codex-mcp-turn1")["body"]).encode(), arrival).generation.tools
    assert ("mcp__roteiro", "search") in {(tool.namespace, tool.name) for tool in tools}
    freeform = decode_responses(
        json.dumps(capture("codex-catalog-freeform")["body"]).encode(), arrival
    ).generation.tools
    assert [tool.name for tool in freeform if tool.is_free_text] == ["apply_patch"]
