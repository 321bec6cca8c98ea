"""The page's own wire, there and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.errors import BadRequestError
from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Citation,
    Cited,
    Failed,
    Finished,
    FinishReason,
    Heartbeat,
    Queued,
    Reasoning,
    Started,
    Step,
    Text,
)
from serve.turns import Message, Mode, Role, ToolCall
from serve.wire.ask import AskAnswer, decode_question, decode_stream, encode_question
from serve.wire.sse import data_lines, frame

_EVENTS = [
    Queued(2),
    Started("m", Mode.ASK),
    Heartbeat(1, 2),
    Reasoning("hmm"),
    Step(number=1, tool="search", arguments="{}", summary="3 results", result="a\n\nb\r\n", ms=4, is_primed=True),
    Text("He said:\n\ndata: x"),
    CallOpened(0, "c", "look"),
    CallArguments(0, "{}"),
    CallMade(0, ToolCall(id="c", name="look", arguments="{}")),
    Cited((Citation(path="a", start_line=1, end_line=2, verified=True),), is_refusal=True),
    Finished(reason=FinishReason.STOP),
    Failed(status=503, kind="server_error", message="gone"),
]


def test_every_event_comes_back_as_it_went():
    """The command line reads what the server wrote, tag by tag."""
    answer = AskAnswer(exposes_reasoning=True)
    written = answer.begin() + answer.ping() + b"".join(answer.encode(event) for event in _EVENTS)
    assert list(decode_stream(written.decode().splitlines(keepends=True))) == _EVENTS
    assert list(decode_stream(written.decode().split("\n"))) == _EVENTS


def test_thinking_stays_here_unless_exposed():
    """The rule of the public wires holds for the page as well."""
    assert AskAnswer().encode(Reasoning("hmm")) == b""


@given(st.lists(st.text(), max_size=5))
def test_any_text_survives(pieces):
    """Line breaks of every kind and control characters stay inside one frame."""
    events = [Text(piece) for piece in pieces]
    answer = AskAnswer()
    written = b"".join(answer.encode(event) for event in events)
    assert list(decode_stream(written.decode().split("\n"))) == events


def test_an_event_of_a_newer_server_is_skipped():
    """An older command line still shows what it knows."""
    lines = (frame({"type": "hologram", "x": 1}) + frame(Text("a"))).decode().split("\n")
    assert list(decode_stream(lines)) == [Text("a")]


def test_what_is_no_event_at_all_is_an_error():
    """Another server on that port does not pass for ours."""
    with pytest.raises(BadRequestError, match="which is no event"):
        list(decode_stream(["data: <html>", ""]))


def test_frames_are_found_among_comments_and_names():
    """Comments, names and the end mark carry no data."""
    lines = [": ping", "", "event: x", "data: 1", "data:2", "", "data: [DONE]", "", "data: lost"]
    assert list(data_lines(lines)) == ["1\n2"]


def test_a_question_with_its_history(arrival):
    """The turns before come first, the question last, in Ask mode, by the first model."""
    history = [Message(role=Role.USER, content="A"), Message(role=Role.ASSISTANT, content="B")]
    generation = decode_question(encode_question("C", history), arrival)
    assert generation.messages == (*history, Message(role=Role.USER, content="C"))
    assert (generation.mode, generation.model) == (Mode.ASK, "local-model")


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": 7}, "question"),
        ({"question": "x", "messages": [{"content": "x"}]}, "messages[0].role"),
        ({"question": "x", "messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
        ({"question": "x", "model": 7}, "model"),
    ],
)
def test_a_bad_question_names_its_field(arrival, body, param):
    """The page shows the sentence."""
    with pytest.raises(BadRequestError) as caught:
        decode_question(json.dumps(body).encode(), arrival)
    assert caught.value.param == param
