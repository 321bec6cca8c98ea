"""The generating routes over a real socket."""

from __future__ import annotations

import json

import pytest

from serve.events import Cited, Finished, Started, Step, Text
from serve.turns import Mode
from serve.wire.ask import decode_stream, encode_question
from tests.requirements import requirement
from tests.serving import CITED

_TOOL = {"type": "function", "name": "get_weather", "function": {"name": "get_weather"}}


def _chat(text: str = "Hi", **more):
    return {"model": "local-model", "messages": [{"role": "user", "content": text}], **more}


def _responses(text: str = "Hi", **more):
    return {"model": "local-model", "input": text, **more}


@requirement("mode.header-tells")
@pytest.mark.parametrize(
    ("base", "body", "mode"),
    [
        ("/v1", {}, "ask"),
        ("/v1", {"tools": [_TOOL]}, "general"),
        ("/general/v1", {}, "general"),
        ("/ask/v1", {"tools": [_TOOL]}, "ask"),
        ("/v1/default", {}, "ask"),
    ],
)
@pytest.mark.parametrize("is_stream", [False, True])
def test_the_mode_is_told_on_every_route(client, base, body, mode, is_stream):
    """Every base URL, both APIs, whole and streamed."""
    for route, request in (("chat/completions", _chat(**body)), ("responses", _responses(**body))):
        answer = client.post(f"{base}/{route}", json={**request, "stream": is_stream})
        assert answer.status_code == 200, answer.text
        assert answer.headers["x-roteiro-mode"] == mode
        assert answer.headers["openai-version"] == "2020-10-01"
        assert len(answer.headers["x-request-id"]) == 32
        assert ("Sources: shop/orders.py:4-6" in answer.text) == (mode == "ask")


def test_an_unknown_project_is_404(client):
    """Only one project is served, and it has a name."""
    answer = client.post("/v1/elsewhere/responses", json=_responses())
    assert answer.status_code == 404
    assert "default" in answer.json()["error"]["message"]


@requirement("chat.calls-are-returned")
def test_a_tool_round_on_both_apis(client, live):
    """The call is returned and not run; with its result the answer follows."""
    answer = client.post("/v1/chat/completions", json=_chat("weather?", tools=[_TOOL])).json()
    call = answer["choices"][0]["message"]["tool_calls"][0]
    assert call["function"] == {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    turns = [
        {"role": "user", "content": "weather?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": "7"},
    ]
    second = client.post("/v1/chat/completions", json={"model": "local-model", "messages": turns, "tools": [_TOOL]})
    assert second.json()["choices"][0]["message"]["content"] == "It is 7 degrees."
    item = client.post("/v1/responses", json=_responses("weather?", tools=[_TOOL])).json()["output"][0]
    assert (item["type"], item["call_id"], item["arguments"]) == ("function_call", "call_1", '{"city": "Oslo"}')


def test_parallel_calls_off_ends_after_one(client):
    """The engine is told, and the answer holds one call."""
    body = _chat("two calls", tools=[_TOOL])
    assert len(client.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["tool_calls"]) == 2
    body["parallel_tool_calls"] = False
    assert len(client.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["tool_calls"]) == 1


@pytest.mark.parametrize("route", ["chat/completions", "responses"])
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_failure_before_the_first_word_has_its_own_status(client, route, is_stream):
    """Streamed or not, nothing was sent yet, so the client sees 502 and the engine's own words."""
    body = _chat("fail at once") if "chat" in route else _responses("fail at once")
    answer = client.post(f"/general/v1/{route}", json={**body, "stream": is_stream})
    assert answer.status_code == 502
    assert answer.json()["error"]["message"] == "The upstream said no."


@requirement("responses.terminal-always", "chat.error-in-stream")
@pytest.mark.parametrize(("said", "sentence"), [("fail late", "It broke."), ("vanish", "The engine stopped")])
def test_a_failure_after_the_first_word_ends_the_stream(client, said, sentence):
    """The stream that said 200 carries the error, then `[DONE]`; also when the engine just vanished."""
    chat = client.post("/general/v1/chat/completions", json=_chat(said, stream=True))
    assert (chat.status_code, chat.text.endswith("data: [DONE]\n\n")) == (200, True)
    assert sentence in chat.text
    responses = client.post("/general/v1/responses", json=_responses(said, stream=True))
    assert "event: response.failed" in responses.text
    assert responses.text.endswith("data: [DONE]\n\n")
    whole = client.post("/general/v1/responses", json=_responses(said))
    assert whole.status_code == 503
    assert sentence in whole.json()["error"]["message"]


@requirement("responses.incomplete-on-length")
def test_a_cut_answer_whole(client):
    """The status says incomplete."""
    body = client.post("/general/v1/responses", json=_responses("long")).json()
    assert (body["status"], body["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})


@requirement("reasoning.stripped")
def test_thinking_reaches_no_wire(client):
    """Not chat, not responses, not the page's stream."""
    for route, body in (
        ("/v1/chat/completions", _chat("think", stream=True)),
        ("/v1/responses", _responses("think", stream=True)),
        ("/api/ask", {"question": "think"}),
    ):
        text = client.post(route, json=body).text
        assert "Yes." in text
        assert "hmm" not in text


def test_the_page_gets_every_event(client):
    """Steps, text, citations, usage, in order."""
    answer = client.post("/api/ask", content=encode_question("What is an order?"))
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = list(decode_stream(answer.text.split("\n")))
    assert [type(event) for event in events] == [Started, Step, Text, Text, Cited, Finished]
    assert events[0].mode is Mode.ASK
    assert events[4] == Cited((CITED,))


def test_what_a_client_sends_reaches_the_engine(client, live):
    """Sampling and stop strings go through; the stop string ends the answer."""
    body = _chat(temperature=0.3, seed=5, stop=["wor"], max_tokens=50)
    answer = client.post("/general/v1/chat/completions", json=body).json()
    assert answer["choices"][0]["message"]["content"] == "Hello "
    request = live.engine.requests[-1]
    assert (request.sampling.temperature, request.sampling.seed, request.sampling.max_tokens) == (0.3, 5, 50)


@requirement("errors.unknown-model", "errors.problem-json")
def test_an_unknown_model_in_both_envelopes(client):
    """OpenAI's by default, RFC 9457 for who prefers it."""
    plain = client.post("/v1/responses", json=_responses() | {"model": "x"})
    assert (plain.status_code, plain.json()["error"]["code"]) == (404, "model_not_found")
    preferred = client.post(
        "/v1/responses", json=_responses() | {"model": "x"}, headers={"accept": "application/problem+json"}
    )
    assert preferred.headers["content-type"] == "application/problem+json"
    assert preferred.json()["validModels"] == ["local-model", "other"]


def test_the_same_answer_on_both_apis(client):
    """One path, two encoders."""
    chat = client.post("/v1/chat/completions", json=_chat()).json()
    responses = client.post("/v1/responses", json=_responses()).json()
    assert chat["choices"][0]["message"]["content"] == responses["output"][0]["content"][0]["text"]
    assert chat["usage"]["total_tokens"] == responses["usage"]["total_tokens"]


def test_without_a_model_generation_says_what_to_do(tmp_path):
    """Search works, questions are answered by a sentence."""
    import asyncio

    import httpx

    from serve.http.app import build_app
    from tests.serving import service_of

    service = service_of(None)
    service.listen_on("127.0.0.1", 8017)

    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(app=build_app(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8017") as client:
            return await client.post("/v1/responses", content=json.dumps(_responses()))

    answer = asyncio.run(post())
    assert answer.status_code == 503
    assert "roteiro model pull" in answer.json()["error"]["message"]
