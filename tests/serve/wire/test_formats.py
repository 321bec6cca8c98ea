"""Formats and log probabilities: decoded on both APIs, told as both tell them."""

import json

import msgspec
import pytest

from serve.errors import BadRequestError
from serve.events import Finished, FinishReason, Text, TokenLogprob
from serve.turns import Mode, ReasoningEffort
from serve.wire.chat import decode_chat
from serve.wire.chat_answer import ChatAnswer
from serve.wire.responses import decode_responses
from serve.wire.responses_answer import ResponsesAnswer

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
CHAT_FORMAT = {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA, "strict": True}}
TEXT_FORMAT = {"type": "json_schema", "name": "n", "schema": SCHEMA}
LIKELY = TokenLogprob(b"\xc3", -0.5, ((b"\xc3", -0.5), (b"x", -1.0)))
TOLD = {
    "token": "\ufffd",
    "logprob": -0.5,
    "bytes": [195],
    "top_logprobs": [
        {"token": "\ufffd", "logprob": -0.5, "bytes": [195]},
        {"token": "x", "logprob": -1.0, "bytes": [120]},
    ],
}


def chat(arrival, **fields):
    body = {"model": "local-model", "messages": [{"role": "user", "content": "Hi"}], **fields}
    return decode_chat(json.dumps(body).encode(), arrival).generation


def responses(arrival, **fields):
    body = {"model": "local-model", "input": "Hi", **fields}
    return decode_responses(json.dumps(body).encode(), arrival)


def test_both_apis_decode_the_same_format(arrival):
    """But for the path of the schema, which errors name."""
    one = chat(arrival, response_format=CHAT_FORMAT)
    other = responses(arrival, text={"format": TEXT_FORMAT}).generation
    assert one.format.path == "response_format.json_schema.schema"
    assert other.format.path == "text.format.schema"
    assert msgspec.structs.replace(one.format, path="") == msgspec.structs.replace(other.format, path="")
    assert json.loads(bytes(one.format.schema)) == SCHEMA


def test_a_format_chooses_general_mode_and_no_thinking(arrival):
    """Ask answers in prose; and two-phase is the server's own choice."""
    request = chat(arrival, response_format={"type": "json_object"}, reasoning_effort="high")
    assert (request.mode, request.reasoning, request.format.kind) == (Mode.GENERAL, ReasoningEffort.NONE, "json_object")
    settings = msgspec.structs.replace(arrival.settings, structured_thinking="two-phase")
    thinking = chat(
        msgspec.structs.replace(arrival, settings=settings),
        response_format={"type": "json_object"},
        reasoning_effort="high",
    )
    assert thinking.reasoning is ReasoningEffort.HIGH
    assert chat(arrival, response_format={"type": "text"}).mode is Mode.ASK


def test_ask_asked_for_outright_refuses_a_format(arrival):
    """By name."""
    asking = msgspec.structs.replace(arrival, mode_header="ask")
    with pytest.raises(BadRequestError, match="general mode"):
        chat(asking, response_format={"type": "json_object"})


@pytest.mark.parametrize(
    ("value", "param"),
    [
        ({"type": "json_schema"}, "response_format.schema"),
        ({"type": "json_schema", "json_schema": {"schema": 7}}, "response_format.json_schema.schema"),
        ({"type": "json_schema", "json_schema": {"schema": {}, "name": 7}}, "response_format.json_schema.name"),
    ],
)
def test_wrong_types_are_named(arrival, value, param):
    """400 with the path."""
    with pytest.raises(BadRequestError) as caught:
        chat(arrival, response_format=value)
    assert caught.value.param == param


def test_logprobs_are_asked_for_in_each_apis_own_way(arrival):
    """And alternatives need them."""
    assert chat(arrival, logprobs=True, top_logprobs=3).sampling.top_logprobs == 3
    assert chat(arrival, logprobs=True).sampling.top_logprobs == 0
    assert chat(arrival).sampling.top_logprobs is None
    with pytest.raises(BadRequestError, match="logprobs: true"):
        chat(arrival, top_logprobs=3)
    included = responses(arrival, include=["message.output_text.logprobs"])
    assert included.generation.sampling.top_logprobs == 0
    assert responses(arrival, top_logprobs=2).generation.sampling.top_logprobs == 2


def test_chat_tells_logprobs_in_stream_and_whole(occasion):
    """With the text they belong to."""
    made = occasion()
    sampling = msgspec.structs.replace(made.generation.sampling, top_logprobs=2)
    generation = msgspec.structs.replace(made.generation, sampling=sampling)
    answer = ChatAnswer(msgspec.structs.replace(made, generation=generation))
    chunk = json.loads(answer.encode(Text("é", (LIKELY,))).removeprefix(b"data: "))
    answer.encode(Finished(reason=FinishReason.STOP))
    assert chunk["choices"][0]["logprobs"] == {"content": [TOLD], "refusal": None}
    assert json.loads(answer.whole())["choices"][0]["logprobs"]["content"] == [TOLD]


def test_responses_tell_logprobs_and_echo_the_format(arrival, occasion):
    """In the delta and in the finished part."""
    wanted = responses(arrival, top_logprobs=2, text={"format": TEXT_FORMAT})
    answer = ResponsesAnswer(msgspec.structs.replace(occasion(), generation=wanted.generation), wanted.echo)
    delta = answer.encode(Text("é", (LIKELY,))).decode()
    answer.encode(Finished(reason=FinishReason.STOP))
    whole = json.loads(answer.whole())
    assert json.dumps(TOLD["top_logprobs"][1]["token"]) in delta
    assert whole["output"][0]["content"][0]["logprobs"] == [TOLD]
    assert (whole["text"]["format"], whole["top_logprobs"]) == (TEXT_FORMAT, 2)
