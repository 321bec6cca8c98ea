"""Names of models, and the door that a request takes."""

from __future__ import annotations

import itertools
import json

import msgspec
import pytest

from serve.errors import BadRequestError, UnknownModelError
from serve.turns import Mode, ReasoningEffort
from serve.wire.arrival import Arrival, effort_of, is_compaction, resolve_model
from serve.wire.chat import decode_chat
from serve.wire.responses import decode_responses
from tests.requirements import requirement

_TOOL = {"type": "function", "name": "look", "function": {"name": "look"}}
_CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def _chat(arrival, **body):
    given = {"model": "local-model", "messages": [{"role": "user", "content": "Hi"}], **body}
    return decode_chat(json.dumps(given).encode(), arrival).generation


def _responses(arrival, **body):
    given = {"model": "local-model", "input": "Hi", **body}
    return decode_responses(json.dumps(given).encode(), arrival).generation


@requirement("mode.no-tools-asks")
@pytest.mark.parametrize("body", [{}, {"tools": []}, {"tools": None}, {"tools": [], "tool_choice": "none"}])
def test_no_tools_is_ask_on_every_wire(arrival, body):
    """No tools, an empty array and null all mean: answer from the graph."""
    assert _chat(arrival, **body).mode is Mode.ASK
    assert _responses(arrival, **body).mode is Mode.ASK


@requirement("mode.tools-are-general")
@pytest.mark.parametrize("body", [{}, {"tool_choice": "none"}, {"tool_choice": "required"}])
def test_tools_are_general_on_every_wire(arrival, body):
    """Tools brought mean the plain model, also when none may be called."""
    for generation in (_chat(arrival, tools=[_TOOL], **body), _responses(arrival, tools=[_TOOL], **body)):
        assert generation.mode is Mode.GENERAL
        assert [tool.name for tool in generation.tools] == ["look"]


def test_hosted_tools_alone_are_general(arrival):
    """A client that brought only tools of the hosted kind wanted an agent, not the graph."""
    generation = _responses(arrival, tools=[{"type": "web_search"}])
    assert (generation.mode, generation.tools) == (Mode.GENERAL, ())


@requirement("mode.tool-traffic-is-general")
def test_tool_traffic_in_the_history_is_general(arrival):
    """Codex compacts with `tools: []` over such a history; an Ask loop there would ruin the summary."""
    turns = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [_CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]
    assert _chat(arrival, messages=turns, tools=[]).mode is Mode.GENERAL
    items = [
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "42"},
    ]
    assert _responses(arrival, input=items, tools=[]).mode is Mode.GENERAL


@requirement("mode.compaction-is-general")
def test_codex_compaction_is_general(arrival):
    """The turn metadata says so, in the header or in the body."""
    metadata = json.dumps({"request_kind": "compaction"})
    told = msgspec.structs.replace(arrival, turn_metadata=metadata)
    assert _responses(told).mode is Mode.GENERAL
    assert _responses(arrival, client_metadata={"x-codex-turn-metadata": metadata}).mode is Mode.GENERAL


@pytest.mark.parametrize("value", [None, "", "{", "[]", "7", '{"request_kind": 7}', '"\\ud800"', "[" * 9999])
def test_unreadable_turn_metadata_says_nothing(value):
    """A value that cannot be read is no sign."""
    assert not is_compaction(value)


@requirement("mode.said-outright-wins")
def test_header_then_path_then_suffix_then_signs(arrival):
    """Of all combinations the first thing said outright decides."""
    for header, path, suffix, tools in itertools.product((None, "ask", "general"), repeat=4):
        here = msgspec.structs.replace(arrival, mode_header=header, mode_of_path=Mode(path) if path else None)
        name = f"local-model:{suffix}" if suffix else "local-model"
        body = {"tools": [_TOOL]} if tools == "general" else {}
        wanted = header or path or suffix or ("general" if tools == "general" else "ask")
        assert _chat(here, model=name, **body).mode.value == wanted
        assert _responses(here, model=name, **body).mode.value == wanted


def test_an_unknown_mode_header_is_refused(arrival):
    """The header is ask or general."""
    with pytest.raises(BadRequestError, match="x-roteiro-mode must be ask or general; found 'agent'"):
        _chat(msgspec.structs.replace(arrival, mode_header="agent"))


def test_ask_forced_over_tools_leaves_the_tools_out(arrival):
    """The graph's tools replace the client's."""
    generation = _chat(arrival, model="local-model:ask", tools=[_TOOL])
    assert (generation.mode, generation.tools) == (Mode.ASK, ())


@requirement("errors.unknown-model")
@pytest.mark.parametrize("name", ["gpt-9", "local-model:nonsense", ":ask", "local-model:ask:ask:x", "-fast"])
def test_an_unknown_model_names_what_exists(arrival, name):
    """It is never answered by another model."""
    with pytest.raises(UnknownModelError) as caught:
        _chat(arrival, model=name)
    assert caught.value.status == 404
    assert "Available: local-model, gpt-6.2-sol." in caught.value.message


def test_a_long_unknown_name_is_not_echoed_whole(arrival):
    """A caller's megabyte does not come back."""
    with pytest.raises(UnknownModelError) as caught:
        _chat(arrival, model="x" * 1_000_000)
    assert len(caught.value.message) < 500


def test_aliases_suffixes_and_fast(arrival):
    """All of them are reported as the base id."""
    assert _chat(arrival, model="gpt-6.2-sol").model == "local-model"
    fast = _chat(arrival, model="gpt-6.2-sol-fast:general")
    assert (fast.model, fast.mode, fast.reasoning) == ("local-model", Mode.GENERAL, ReasoningEffort.NONE)


def test_a_name_that_exists_wins_over_its_suffix():
    """A model whose id ends in `:ask` or `-fast` is that model."""
    assert resolve_model("a-fast", ("a-fast", "a"), {}).is_fast is False
    assert resolve_model("a:ask", ("a:ask", "a"), {}).mode is None


def test_an_alias_of_an_alias_is_not_followed():
    """So no circle of aliases can hang a request."""
    with pytest.raises(UnknownModelError):
        resolve_model("a", ("m",), {"a": "b", "b": "a"})


def test_efforts_map_to_the_nearest_level():
    """Unknown words are no decision."""
    assert effort_of("minimal") is ReasoningEffort.LOW
    assert effort_of("xhigh") is ReasoningEffort.XHIGH
    assert effort_of("extreme") is None
    assert Arrival(id="", models=()).effort() is None
