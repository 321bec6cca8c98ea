"""Chat Completions, inwards."""

from __future__ import annotations

import json

import msgspec
import pytest

from serve.errors import BadRequestError
from serve.turns import Message, Role, ToolCall, ToolChoice
from serve.wire.chat import decode_chat
from tests.requirements import requirement

_USER = {"role": "user", "content": "Hi"}


def _decode(arrival, **body):
    return decode_chat(json.dumps({"model": "local-model", "messages": [_USER], **body}).encode(), arrival)


@requirement("turns.one-system-head")
def test_leading_system_turns_merge_and_late_ones_stay(arrival):
    """One system turn leads; a later one keeps its place, or the cached prefix would change."""
    messages = [
        {"role": "system", "content": "A"},
        {"role": "developer", "content": [{"type": "text", "text": "B"}, {"type": "text", "text": "C"}]},
        _USER,
        {"role": "system", "content": "D"},
        {"role": "assistant", "content": "Hello"},
    ]
    assert _decode(arrival, messages=messages).generation.messages == (
        Message(role=Role.SYSTEM, content="A\n\nB\nC"),
        Message(role=Role.USER, content="Hi"),
        Message(role=Role.SYSTEM, content="D"),
        Message(role=Role.ASSISTANT, content="Hello"),
    )


def test_a_tool_round_is_read_whole(arrival):
    """Calls keep their bytes, results get the name of their tool."""
    messages = [
        _USER,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{ "a":1 '}},
                {"id": "c2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "42"}]},
        {"role": "tool", "tool_call_id": "c2", "content": ""},
    ]
    assert _decode(arrival, messages=messages).generation.messages[1:] == (
        Message(
            role=Role.ASSISTANT,
            tool_calls=(
                ToolCall(id="c1", name="look", arguments='{ "a":1 '),
                ToolCall(id="c2", name="patch", arguments="*** Begin", is_free_text=True),
            ),
        ),
        Message(role=Role.TOOL, content="42", tool_call_id="c1", name="look"),
        Message(role=Role.TOOL, tool_call_id="c2", name="patch"),
    )


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "Hi"}, "messages"),
        ({"messages": [7]}, "messages[0]"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages[0].content[0].text"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "c"}]}]}, "messages[0].tool_calls[0].function.name"),
        ({"model": None}, "model"),
        ({"model": 7}, "model"),
        ({"model": ""}, "model"),
        ({"stream": "yes"}, "stream"),
        ({"stream_options": 7}, "stream_options"),
        ({"temperature": 3}, "temperature"),
        ({"temperature": "hot"}, "temperature"),
        ({"top_p": -0.1}, "top_p"),
        ({"seed": 1.5}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"stop": ["a", "b", "c", "d", "e"]}, "stop"),
        ({"stop": [""]}, "stop[0]"),
        ({"stop": [7]}, "stop[0]"),
        ({"stop": "x" * 2000}, "stop"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 5, "max_completion_tokens": 6}, "max_completion_tokens"),
        ({"logit_bias": {"x": 1}}, "logit_bias"),
        ({"logit_bias": {"1": 101}}, "logit_bias.1"),
        ({"logit_bias": {"\u0661": 1}}, "logit_bias"),
        ({"reasoning_effort": 7}, "reasoning_effort"),
        ({"chat_template_kwargs": 7}, "chat_template_kwargs"),
        ({"reasoning_budget_tokens": -2}, "reasoning_budget_tokens"),
        ({"reasoning_budget_tokens": 1.5}, "reasoning_budget_tokens"),
        ({"chat_template_kwargs": {"thinking_budget": "much"}}, "chat_template_kwargs.thinking_budget"),
    ],
)
@requirement("errors.path")
def test_what_is_wrong_is_named_by_its_path(arrival, body, param):
    """Each wrong value is 400 with the path of its field."""
    with pytest.raises(BadRequestError) as caught:
        _decode(arrival, **body)
    assert caught.value.param == param
    assert caught.value.status == 400


def test_sampling_is_read(arrival):
    """Every supported parameter has an effect on the request."""
    generation = _decode(
        arrival,
        temperature=0,
        top_p=0.5,
        top_k=40,
        min_p=0.1,
        seed=-7,
        stop="END",
        frequency_penalty=1,
        presence_penalty=-1,
        repetition_penalty=1.1,
        logit_bias={"20": 5, "3": -100},
        max_completion_tokens=9,
        parallel_tool_calls=False,
    ).generation
    sampling = generation.sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k, sampling.min_p) == (0.0, 0.5, 40, 0.1)
    assert (sampling.seed, sampling.stop, sampling.max_tokens) == (-7, ("END",), 9)
    assert (sampling.frequency_penalty, sampling.presence_penalty, sampling.repetition_penalty) == (1.0, -1.0, 1.1)
    assert sampling.logit_bias == ((3, -100.0), (20, 5.0))
    assert generation.allow_parallel_calls is False


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ({"reasoning_effort": "high", "chat_template_kwargs": {"reasoning_effort": "low"}}, "high"),
        ({"chat_template_kwargs": {"reasoning_effort": "low", "enable_thinking": False}}, "low"),
        ({"chat_template_kwargs": {"enable_thinking": False}}, "none"),
        ({"chat_template_kwargs": {"enable_thinking": True}}, "medium"),
        ({"reasoning_effort": "cosmic"}, None),
        ({}, None),
    ],
)
def test_reasoning_effort_by_precedence(arrival, body, level):
    """Top level, then the template's own level, then the template's switch."""
    found = _decode(arrival, **body).generation.reasoning
    assert (found.value if found else None) == level


@pytest.mark.parametrize(
    ("body", "budget"),
    [
        ({"reasoning_budget_tokens": 7, "chat_template_kwargs": {"thinking_budget": 9}}, 7),
        ({"chat_template_kwargs": {"thinking_budget": 9}}, 9),
        ({"reasoning_budget_tokens": 0}, 0),
        ({"reasoning_budget_tokens": -1}, None),
        ({}, 50),
    ],
)
def test_the_budget_of_thought_by_precedence(arrival, body, budget):
    """The request's own name, then the template's, then the server's bound; -1 is none."""
    settings = msgspec.structs.replace(arrival.settings, reasoning_budget=50)
    arrival = msgspec.structs.replace(arrival, settings=settings)
    assert _decode(arrival, **body).generation.reasoning_budget == budget


def test_the_servers_own_effort_is_the_last_word(arrival):
    """It holds when the request says nothing."""
    settings = msgspec.structs.replace(arrival.settings, reasoning_effort="low")
    found = _decode(msgspec.structs.replace(arrival, settings=settings)).generation.reasoning
    assert found is not None
    assert found.value == "low"


def test_legacy_max_tokens_equal_in_both_is_fine(arrival):
    """Clients send both out of habit."""
    assert _decode(arrival, max_tokens=5, max_completion_tokens=5).generation.sampling.max_tokens == 5


def test_unknown_keys_are_ignored(arrival):
    """Clients send habits."""
    assert _decode(arrival, zzz=[{"a": 1}]).generation.messages[0].content == "Hi"


@pytest.mark.parametrize(
    ("choice", "wanted", "offered"),
    [
        ("auto", ToolChoice(), ["a", "b"]),
        ("none", ToolChoice(kind="none"), ["a", "b"]),
        ("required", ToolChoice(kind="required"), ["a", "b"]),
        ({"type": "function", "function": {"name": "b"}}, ToolChoice(kind="named", names=("b",)), ["a", "b"]),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "a"}}]},
            },
            ToolChoice(kind="named", names=("a",)),
            ["a", "b"],
        ),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "a"}}]},
            },
            ToolChoice(),
            ["a"],
        ),
    ],
)
def test_tool_choices(arrival, choice, wanted, offered):
    """Every form of the API is read."""
    tools = [{"type": "function", "function": {"name": name}} for name in ("a", "b")]
    generation = _decode(arrival, tools=tools, tool_choice=choice).generation
    assert generation.tool_choice == wanted
    assert [tool.name for tool in generation.tools] == offered


@pytest.mark.parametrize(
    "choice", ["sometimes", 7, {"type": "function", "function": {"name": "zz"}}, {"type": "web"}, {}]
)
def test_a_choice_that_cannot_be_is_refused(arrival, choice):
    """So nobody believes that a tool is forced which is not there."""
    with pytest.raises(BadRequestError):
        _decode(arrival, tools=[{"type": "function", "function": {"name": "a"}}], tool_choice=choice)


def test_required_without_tools_is_refused(arrival):
    """Nothing could be called."""
    with pytest.raises(BadRequestError, match="there are no tools"):
        _decode(arrival, tool_choice="required")
