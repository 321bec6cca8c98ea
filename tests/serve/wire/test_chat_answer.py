"""Chat Completions, outwards."""

from __future__ import annotations

import json

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
    Heartbeat,
    Queued,
    Reasoning,
    Started,
    Step,
    Text,
    Usage,
)
from serve.turns import Mode, ToolCall
from serve.wire.chat_answer import ChatAnswer
from tests.requirements import requirement

_DONE = Finished(reason=FinishReason.STOP, usage=Usage(prompt_tokens=7, completion_tokens=3, cached_tokens=2))
_CALL = ToolCall(id="c1", name="look", arguments='{"a": "\\u00e9"}')
_CALL_EVENTS = (
    CallOpened(0, "c1", "look"),
    CallArguments(0, '{"a": '),
    CallArguments(0, '"\\u00e9"}'),
    CallMade(0, _CALL),
    Finished(reason=FinishReason.TOOL_CALLS),
)


def _stream(answer: ChatAnswer, *events) -> list[object]:
    written = answer.begin() + b"".join(answer.encode(event) for event in events)
    frames = [frame.removeprefix("data: ") for frame in written.decode().split("\n\n") if frame]
    return [frame if frame == "[DONE]" else json.loads(frame) for frame in frames]


def _whole(answer: ChatAnswer, *events) -> dict[str, object]:
    for event in events:
        answer.encode(event)
    return json.loads(answer.whole())


@requirement("chat.stream-grammar")
def test_a_text_stream_has_role_content_reason_done(occasion):
    """The first chunk has the role, the last before the end the reason; one id throughout."""
    chunks = _stream(
        ChatAnswer(occasion()), Queued(1), Started("m", Mode.GENERAL), Heartbeat(), Text("He"), Text("y"), _DONE
    )
    assert chunks[-1] == "[DONE]"
    choices = [chunk["choices"][0] for chunk in chunks[:-1]]
    assert [choice["delta"] for choice in choices] == [
        {"role": "assistant", "content": ""},
        {"content": "He"},
        {"content": "y"},
        {},
    ]
    assert [choice["finish_reason"] for choice in choices] == [None, None, None, "stop"]
    assert {chunk["id"] for chunk in chunks[:-1]} == {"chatcmpl-r1"}
    assert "usage" not in chunks[0]


@requirement("chat.usage-on-demand")
def test_usage_comes_when_asked_for(occasion):
    """One more chunk without choices; null on all others."""
    chunks = _stream(ChatAnswer(occasion(), include_usage=True), Text("Hey"), _DONE)
    assert [chunk["usage"] for chunk in chunks[:-2]] == [None, None, None]
    assert chunks[-2]["choices"] == []
    assert chunks[-2]["usage"]["total_tokens"] == 10
    assert chunks[-2]["usage"]["prompt_tokens_details"]["cached_tokens"] == 2


@requirement("chat.call-first-delta", "chat.arguments-verbatim")
def test_a_call_is_named_once_and_filled_verbatim(occasion):
    """Id, type and name are in the first delta only; the pieces add up to the bytes that were generated."""
    chunks = _stream(ChatAnswer(occasion()), *_CALL_EVENTS)
    deltas = [chunk["choices"][0]["delta"]["tool_calls"][0] for chunk in chunks[1:4]]
    assert deltas == [
        {"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"a": '}},
        {"index": 0, "function": {"arguments": '"\\u00e9"}'}},
    ]
    assert chunks[4]["choices"][0]["finish_reason"] == "tool_calls"


@requirement("chat.calls-are-returned")
def test_a_whole_answer_with_calls(occasion):
    """Content is null, the call is there as generated."""
    body = _whole(ChatAnswer(occasion()), *_CALL_EVENTS)
    message = body["choices"][0]["message"]
    assert message["content"] is None
    assert message["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": "\\u00e9"}'}}
    ]
    assert body["choices"][0]["finish_reason"] == "tool_calls"


def test_a_custom_call_has_its_own_shape(occasion):
    """Free text goes out as `custom.input`."""
    call = ToolCall(id="c1", name="patch", arguments="*** x", is_free_text=True)
    events = (
        CallOpened(0, "c1", "patch", None, is_free_text=True),
        CallArguments(0, "*** x"),
        CallMade(0, call),
        _DONE,
    )
    deltas = [chunk["choices"][0]["delta"]["tool_calls"][0] for chunk in _stream(ChatAnswer(occasion()), *events)[1:3]]
    assert deltas[0]["custom"] == {"name": "patch", "input": ""}
    assert deltas[1]["custom"] == {"input": "*** x"}
    message = _whole(ChatAnswer(occasion()), *events)["choices"][0]["message"]
    assert message["tool_calls"][0]["custom"] == {"name": "patch", "input": "*** x"}


@pytest.mark.parametrize(
    ("reason", "said"),
    [("length", "length"), ("stop_sequence", "stop"), ("tool_calls", "tool_calls"), ("cancelled", "stop")],
)
def test_finish_reasons(occasion, reason, said):
    """Each of ours has one of theirs."""
    body = _whole(ChatAnswer(occasion()), Text("x"), Finished(reason=FinishReason(reason)))
    assert body["choices"][0]["finish_reason"] == said


@requirement("chat.error-in-stream")
def test_a_failure_in_the_stream_is_an_error_event(occasion):
    """The SDK raises on it; `[DONE]` still ends the stream and nothing follows."""
    answer = ChatAnswer(occasion())
    chunks = _stream(answer, Text("Half"), Failed(status=502, kind="server_error", message="gone", code="x"), _DONE)
    assert chunks[-2:] == [
        {"error": {"message": "gone", "type": "server_error", "param": None, "code": "x"}},
        "[DONE]",
    ]
    assert answer.failure is not None


@requirement("ask.sources-line")
def test_sources_are_the_last_line_and_annotated(occasion):
    """The annotations span the places in the text, and point to the file view."""
    cited = Cited(
        (
            Citation(path="src/a b.py", start_line=3, end_line=9, verified=True),
            Citation(path="gone.py", start_line=1, end_line=2, exists=False),
            Citation(path="é.py", start_line=1, end_line=1),
        )
    )
    events = (Step(number=1, tool="search", arguments="{}", summary="x"), Text("It is ü."), cited, _DONE)
    message = _whole(ChatAnswer(occasion(mode=Mode.ASK)), *events)["choices"][0]["message"]
    text = message["content"]
    assert text == "It is ü.\n\nSources: src/a b.py:3-9, é.py:1-1"
    notes = [note["url_citation"] for note in message["annotations"]]
    assert [text[note["start_index"] : note["end_index"]] for note in notes] == ["src/a b.py:3-9", "é.py:1-1"]
    assert notes[0]["url"] == "http://127.0.0.1:8017/file/src/a%20b.py?lines=3-9"
    chunks = _stream(ChatAnswer(occasion(mode=Mode.ASK)), *events)
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[:-1]) == text


@requirement("reasoning.stripped")
def test_thinking_is_stripped_or_exposed(occasion):
    """It is on the wire only where the server says so."""
    events = (Reasoning("hmm"), Text("Yes"), _DONE)
    assert "hmm" not in json.dumps(_stream(ChatAnswer(occasion()), *events))
    exposed = _whole(ChatAnswer(occasion(exposes=True)), *events)["choices"][0]["message"]
    assert (exposed["reasoning_content"], exposed["content"]) == ("hmm", "Yes")


@requirement("reasoning.stuck")
def test_an_answer_that_never_left_its_thinking_says_so(occasion):
    """The sentence names the budget; reason and counts stay as they were."""
    end = Finished(reason=FinishReason.LENGTH, usage=Usage(completion_tokens=5, reasoning_tokens=5))
    body = _whole(ChatAnswer(occasion(max_tokens=5)), Reasoning("hmm"), end)
    assert body["choices"][0]["message"]["content"].startswith("Roteiro: ")
    assert "max_tokens 5" in body["choices"][0]["message"]["content"]
    assert body["choices"][0]["finish_reason"] == "length"
    assert body["usage"]["completion_tokens_details"]["reasoning_tokens"] == 5


def test_a_call_that_comes_whole_is_still_opened_and_filled(occasion):
    """An engine may send a call in one event."""
    chunks = _stream(ChatAnswer(occasion()), CallMade(0, _CALL), _DONE)
    calls = [chunk["choices"][0]["delta"]["tool_calls"][0] for chunk in chunks[1:3]]
    assert calls[0]["id"] == "c1"
    assert calls[1]["function"]["arguments"] == _CALL.arguments


@given(st.lists(st.text(), max_size=6))
def test_whole_and_streamed_text_agree(pieces):
    """However the text was cut, both forms say the same."""
    from serve.turns import GenerationRequest
    from serve.wire.answer import Occasion

    generation = GenerationRequest(id="r1", model="m", mode=Mode.GENERAL, messages=())
    made = Occasion(generation=generation, created_at=1)
    events = (*map(Text, pieces), _DONE)
    chunks = _stream(ChatAnswer(made), *events)
    streamed = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[:-1])
    assert streamed == _whole(ChatAnswer(made), *events)["choices"][0]["message"]["content"] == "".join(pieces)
