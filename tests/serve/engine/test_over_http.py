"""A local model behind the real server: what its faults, its thinking and its counts look like to a client."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import httpx
import pytest

from serve.engine.local import LocalEngine
from serve.http.service import Served, Service
from serve.prompt.template import CHATML
from serve.settings import EngineSettings, ServeSettings
from tests.serving import StandInAsk, live_server

pytestmark = pytest.mark.native
LONG_S = 60
LETTER_A = {"72": 100, "2": -100, "4": -100}
"""The byte A and nothing else, in this model's tokens."""


@contextmanager
def serving(path, settings=None, *, in_thread=True):
    engine = LocalEngine(path, "tiny", EngineSettings(threads=1, prefix_cache_disk_mb=0), in_thread=in_thread)
    chosen = settings or ServeSettings()
    service = Service(
        models=(Served(engine, StandInAsk(engine), queue=1),), repository=None, settings=chosen, version="1"
    )
    with (
        live_server(service, engine) as live,
        httpx.Client(base_url=f"{live.url}/general/v1", timeout=LONG_S, trust_env=False) as client,
    ):
        yield engine, client


def asked(**fields):
    turns = [{"role": "user", "content": "q"}]
    return {"model": "tiny", "messages": turns, "temperature": 0, "logit_bias": LETTER_A, **fields}


def test_thought_is_bounded_told_apart_and_counted(tiny_model, monkeypatch):
    """On both APIs; the budget is the request's own."""
    opening = CHATML.replace("assistant\\n' }}{% endif %}", "assistant\\n<think>\\n' }}{% endif %}")
    monkeypatch.setattr("serve.engine.local.core.CHATML", opening)
    with serving(tiny_model("attention"), ServeSettings(reasoning="expose")) as (_, client):
        body = client.post("/chat/completions", json=asked(max_tokens=100, reasoning_budget_tokens=20)).json()
        turn = {"model": "tiny", "input": "q", "temperature": 0, "logit_bias": LETTER_A, "reasoning_budget_tokens": 20}
        response = client.post("/responses", json=turn | {"max_output_tokens": 100}).json()
    message, usage = body["choices"][0]["message"], body["usage"]
    thought = usage["completion_tokens_details"]["reasoning_tokens"]
    assert message["reasoning_content"].startswith("A" * 20 + "\n")
    assert message["content"] == "A" * (usage["completion_tokens"] - thought)
    assert response["usage"]["output_tokens_details"]["reasoning_tokens"] == thought
    assert [item["type"] for item in response["output"]] == ["reasoning", "message"]


def test_a_killed_worker_is_a_sentence_and_the_next_request_is_answered(tiny_model):
    """503 in the API's envelope, then 200."""
    with serving(tiny_model("attention"), in_thread=False) as (engine, client):
        with client.stream("POST", "/chat/completions", json=asked(max_tokens=5_000, stream=True)) as answer:
            lines = answer.iter_lines()
            assert next(line for line in lines if '"content":"A"' in line)
            os.kill(engine.worker_pid, signal.SIGKILL)
            rest = list(lines)
        assert any("ended unexpectedly" in line and "engine_lost" in line for line in rest)
        assert rest[-2] == "data: [DONE]"
        assert client.post("/chat/completions", json=asked(max_tokens=3)).status_code == 200


@pytest.mark.parametrize(
    ("field", "value", "param"),
    [
        ("logit_bias", {"50256": -100}, "logit_bias.50256"),
        ("max_tokens", 0, "max_tokens"),
        ("n", 2, "n"),
        ("reasoning_budget_tokens", -2, "reasoning_budget_tokens"),
        ("top_logprobs", 21, "top_logprobs"),
    ],
)
def test_a_bad_value_is_a_400_that_names_the_field(tiny_model, field, value, param):
    """Also where only the engine knows that it is bad."""
    with serving(tiny_model("attention")) as (_, client):
        answer = client.post("/chat/completions", json=asked(**{"max_tokens": 3, field: value}))
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)
        assert client.post("/chat/completions", json=asked(max_tokens=3)).status_code == 200


def test_a_client_that_leaves_frees_the_model_for_the_next(tiny_model):
    """In the middle of a long answer; nothing is left running."""
    with serving(tiny_model("attention"), in_thread=False) as (_, client):
        for _ in range(2):
            with client.stream("POST", "/chat/completions", json=asked(max_tokens=7_000, stream=True)) as answer:
                assert next(line for line in answer.iter_lines() if '"content":"A"' in line)
        assert client.post("/chat/completions", json=asked(max_tokens=3)).status_code == 200
        health = client.get(str(client.base_url).replace("/general/v1/", "/health")).json()
        assert (health["running"], health["waiting"]) == (0, 0)
