"""Responses, outwards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Citation,
    Cited,
    Failed,
    Finished,
    FinishReason,
    Reasoning,
    Text,
    Usage,
)
from serve.turns import GenerationRequest, Mode, ToolCall
from serve.wire.answer import Occasion
from serve.wire.responses import Echo
from serve.wire.responses_answer import ResponsesAnswer
from tests.requirements import requirement

_DONE = Finished(reason=FinishReason.STOP, usage=Usage(prompt_tokens=7, completion_tokens=3))
_ECHO = Echo(
    instructions=None, metadata={}, tools=[], tool_choice="auto", effort=None, user=None, prompt_cache_key=None
)
_FAILED = Failed(status=503, kind="server_error", message="gone")

Json = dict[str, Any]


def _events(answer: ResponsesAnswer, *events) -> list[Json]:
    """Return the events of a stream, checked for framing."""
    written = (answer.begin() + b"".join(answer.encode(event) for event in events)).decode()
    assert written.endswith("data: [DONE]\n\n")
    found = []
    for frame in written.split("\n\n")[:-2]:
        match = re.fullmatch(r"event: (\S+)\ndata: (.*)", frame)
        assert match is not None
        payload = json.loads(match[2])
        assert payload["type"] == match[1]
        found.append(payload)
    return found


def _call(index: int, *, name: str = "look", free: bool = False, namespace: str | None = None) -> list[object]:
    call = ToolCall(id=f"c{index}", name=name, arguments="{}", namespace=namespace, is_free_text=free)
    return [
        CallOpened(index, call.id, name, namespace, is_free_text=free),
        CallArguments(index, "{}"),
        CallMade(index, call),
    ]


def _check_grammar(events: list[Json]) -> None:
    """Items and parts are opened before their deltas and closed after; ids are stable; numbers have no gap."""
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [event["type"] for event in events[:2]] == ["response.created", "response.in_progress"]
    assert events[-1]["type"] in {"response.completed", "response.incomplete", "response.failed"}
    ids = {event["response"]["id"] for event in events if "response" in event}
    assert len(ids) == 1
    open_items: dict[int, str] = {}
    open_parts: set[int] = set()
    done: dict[int, Json] = {}
    for event in events[2:-1]:
        kind, index = event["type"], event.get("output_index")
        if kind == "response.output_item.added":
            assert index == len(open_items) + len(done)
            assert event["item"].get("content", []) == []
            assert event["item"].get("arguments", "") == ""
            open_items[index] = event["item"]["id"]
        elif kind == "response.output_item.done":
            assert open_items.pop(index) == event["item"]["id"]
            assert index not in open_parts
            done[index] = event["item"]
        elif kind != "response.in_progress":
            assert event["item_id"] == open_items[index]
            if kind == "response.content_part.added":
                open_parts.add(index)
            elif kind == "response.content_part.done":
                open_parts.remove(index)
            elif "content_index" in event:
                assert index in open_parts
    assert not open_items
    assert events[-1]["response"]["output"] == [done[index] for index in sorted(done)]


@requirement("responses.grammar", "responses.sequence")
def test_a_text_turn_in_full(occasion):
    """The events of the API, in its order."""
    events = _events(ResponsesAnswer(occasion(), _ECHO), Text("He"), Text("y"), _DONE)
    _check_grammar(events)
    assert [event["type"].removeprefix("response.") for event in events] == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    final = events[-1]["response"]
    assert final["status"] == "completed"
    assert final["output"][0]["content"][0]["text"] == "Hey"
    assert (final["store"], final["previous_response_id"], final["temperature"]) == (False, None, 0.7)
    assert final["usage"] == {
        "input_tokens": 7,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 10,
    }


@requirement("responses.grammar", "responses.stable-ids")
def test_text_then_two_calls(occasion):
    """Each call is an item of its own after the message."""
    end = Finished(reason=FinishReason.TOOL_CALLS)
    events = _events(ResponsesAnswer(occasion(), _ECHO), Text("So"), *_call(0), *_call(1), end)
    _check_grammar(events)
    kinds = [(item["type"], item.get("call_id")) for item in events[-1]["response"]["output"]]
    assert kinds == [("message", None), ("function_call", "c0"), ("function_call", "c1")]
    assert events[-1]["type"] == "response.completed"


@requirement("responses.namespace-calls")
def test_a_call_into_a_namespace(occasion):
    """Name and namespace are apart: a joined name is an unsupported call to Codex."""
    events = _events(ResponsesAnswer(occasion(), _ECHO), *_call(0, name="search", namespace="mcp__x"), _DONE)
    item = events[-1]["response"]["output"][0]
    assert (item["name"], item["namespace"]) == ("search", "mcp__x")


@requirement("responses.custom-tools")
def test_a_custom_call(occasion):
    """It has events and an item of its own kind."""
    events = _events(ResponsesAnswer(occasion(), _ECHO), *_call(0, name="patch", free=True), _DONE)
    _check_grammar(events)
    assert [event["type"] for event in events[3:5]] == [
        "response.custom_tool_call_input.delta",
        "response.custom_tool_call_input.done",
    ]
    item = events[-1]["response"]["output"][0]
    assert (item["type"], item["input"]) == ("custom_tool_call", "{}")


@requirement("responses.incomplete-on-length")
def test_a_cut_answer_is_incomplete(occasion):
    """The reason is the API's own word."""
    events = _events(ResponsesAnswer(occasion(), _ECHO), Text("Hal"), Finished(reason=FinishReason.LENGTH))
    _check_grammar(events)
    assert events[-1]["type"] == "response.incomplete"
    assert events[-1]["response"]["incomplete_details"] == {"reason": "max_output_tokens"}
    assert events[-1]["response"]["output"][0]["status"] == "incomplete"


@requirement("responses.terminal-always", "responses.failed-codes")
@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (503, None, "server_error"),
        (500, None, "server_error"),
        (429, "queue_full", "rate_limit_exceeded"),
        (400, "context_length_exceeded", "context_length_exceeded"),
        (400, None, "invalid_prompt"),
        (422, "template_refused", "invalid_prompt"),
    ],
)
def test_failures_say_whether_to_try_again(occasion, status, code, said):
    """Codex retries the first three and gives up on the others."""
    failure = Failed(status=status, kind="x", message="gone", code=code)
    events = _events(ResponsesAnswer(occasion(), _ECHO), Text("Hal"), *_call(0)[:2], failure)
    _check_grammar(events)
    assert events[-1]["type"] == "response.failed"
    assert events[-1]["response"]["error"] == {"code": said, "message": "gone"}
    assert [item["status"] for item in events[-1]["response"]["output"]] == ["completed", "incomplete"]


@requirement("responses.in-progress-repeats")
def test_a_ping_is_an_event_with_its_number(occasion):
    """Comments would not reset the idle timer of Codex."""
    answer = ResponsesAnswer(occasion(), _ECHO)
    answer.begin()
    assert b'event: response.in_progress\ndata: {"type":"response.in_progress"' in answer.ping()
    assert b'"sequence_number":3' in answer.ping()


@requirement("reasoning.stripped")
def test_thinking_is_an_item_only_where_exposed(occasion):
    """Stripped, it leaves no trace; exposed, it is an item before the message."""
    assert "hmm" not in json.dumps(_events(ResponsesAnswer(occasion(), _ECHO), Reasoning("hmm"), Text("Yes"), _DONE))
    events = _events(ResponsesAnswer(occasion(exposes=True), _ECHO), Reasoning("hmm"), Text("Yes"), _DONE)
    _check_grammar(events)
    assert [item["type"] for item in events[-1]["response"]["output"]] == ["reasoning", "message"]


@requirement("ask.sources-line")
def test_sources_are_annotated(occasion):
    """The part carries the notes, and an event announces each."""
    cited = Cited((Citation(path="a.py", start_line=1, end_line=2),))
    events = _events(ResponsesAnswer(occasion(mode=Mode.ASK), _ECHO), Text("Yes"), cited, _DONE)
    _check_grammar(events)
    part = events[-1]["response"]["output"][0]["content"][0]
    note = part["annotations"][0]
    assert part["text"][note["start_index"] : note["end_index"]] == "a.py:1-2"
    assert [event["annotation"] for event in events if event["type"].endswith("annotation.added")] == [note]
    assert events[-1]["response"]["temperature"] == 0.0


def test_the_whole_response_is_the_streams_last(occasion):
    """Whole and streamed answers are the same object."""
    streamed = ResponsesAnswer(occasion(), _ECHO)
    last = _events(streamed, Text("Hey"), *_call(0), _DONE)[-1]["response"]
    whole = ResponsesAnswer(occasion(), _ECHO)
    for event in (Text("Hey"), *_call(0), _DONE):
        whole.encode(event)
    assert json.loads(whole.whole()) == last


@requirement("responses.grammar")
@given(
    st.lists(st.sampled_from(["text", "thought", "call", "free", "ping"]), max_size=8),
    st.sampled_from([_DONE, Finished(reason=FinishReason.LENGTH), _FAILED]),
    st.booleans(),
)
def test_any_order_of_events_keeps_the_grammar(kinds, end, exposes):
    """Whatever an engine sends, in whatever order, the stream is well formed."""
    generation = GenerationRequest(id="r1", model="m", mode=Mode.GENERAL, messages=())
    answer = ResponsesAnswer(Occasion(generation=generation, created_at=1, exposes_reasoning=exposes), _ECHO)
    written = answer.begin()
    for index, kind in enumerate(kinds):
        if kind == "ping":
            written += answer.ping()
        elif kind == "text":
            written += answer.encode(Text("x"))
        elif kind == "thought":
            written += answer.encode(Reasoning("y"))
        else:
            for event in _call(index, free=kind == "free"):
                written += answer.encode(event)
    written += answer.encode(end)
    assert answer.encode(Text("late")) == b""
    frames = [frame.partition("data: ")[2] for frame in written.decode().split("\n\n")[:-2]]
    _check_grammar([json.loads(frame) for frame in frames])
