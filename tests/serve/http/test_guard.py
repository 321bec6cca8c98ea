"""The gate: Host, Origin, sizes, and that nothing bad gives a 500."""

from __future__ import annotations

import asyncio
import copy
import json
import random
import socket
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from serve.http.app import build_app
from serve.settings import ServeSettings
from tests.requirements import requirement
from tests.serving import DEADLINE_S, scripted, service_of

_CAPTURES = sorted((Path(__file__).parents[2] / "fixtures" / "clients").glob("*.json"))
_SMALL = [path for path in _CAPTURES if path.stat().st_size < 30_000]
_HI = {"model": "local-model", "input": "Hi"}


@requirement("guard.host")
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "", "127.0.0.1.evil.example"]
)
def test_a_foreign_host_is_refused_by_name(client, live, host):
    """DNS rebinding brings a foreign name to our address."""
    answer = client.get("/health", headers={"host": host})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden_host"
    assert repr(host) in answer.json()["error"]["message"]


def test_our_names_pass(client, live):
    """The address and localhost, in any case."""
    port = live.url.rsplit(":", 1)[1]
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}"):
        assert client.get("/health", headers={"host": host}).status_code == 200


@requirement("guard.origin")
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_a_foreign_origin_is_refused_by_name(client, origin):
    """Pages of other sites may not use the server through the browser."""
    answer = client.post("/v1/responses", json=_HI, headers={"origin": origin})
    assert answer.status_code == 403
    assert origin in answer.json()["error"]["message"]


def test_our_origin_passes_and_no_cors_headers_are_sent(client, live):
    """The page itself may ask; nobody else is invited."""
    answer = client.post("/v1/responses", json=_HI, headers={"origin": live.url})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_proxys_name_can_be_allowed(tmp_path):
    """`allowed_hosts` adds to ours."""
    service = service_of(scripted(tmp_path, [{"text": "x"}]), settings=ServeSettings(allowed_hosts=("Code.Example",)))
    service.listen_on("127.0.0.1", 8017)
    assert {"code.example", "127.0.0.1:8017", "localhost:8017"} == set(service.hosts)


@requirement("guard.body-limit")
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_past_the_limit_is_413(client, is_announced):
    """Announced it is refused unread; in chunks it is refused at the limit."""
    body = b'{"model": "' + b"x" * 400_000 + b'"}'
    answer = client.post("/v1/responses", content=body if is_announced else iter([body[:200_000], body[200_000:]]))
    assert answer.status_code == 413
    assert "the limit is 300000 (`max_body_bytes`" in answer.json()["error"]["message"]


def test_headers_past_the_limit_are_431(client):
    """They have a limit of their own."""
    answer = client.get("/health", headers={"x-large": "x" * 40_000})
    assert answer.status_code == 431
    assert "max_header_bytes" in answer.json()["error"]["message"]


def test_a_head_without_end_is_cut(live):
    """A head that never ends is refused before it is held in memory."""
    host, port = live.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=DEADLINE_S) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\n")
        with pytest.raises(OSError):  # noqa: PT011 (a reset or a broken pipe, as the timing has it)
            connection.sendall((b"x: " + b"y" * 4000 + b"\r\n") * 5000)


@requirement("guard.credentials-ignored")
@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer wrong"},
        {"authorization": "garbage"},
        {"x-api-key": "x"},
        {"cookie": "a=b"},
    ],
)
def test_credentials_are_ignored(client, headers):
    """Clients insist on sending some."""
    assert client.post("/v1/responses", json=_HI, headers=headers).status_code == 200


def test_a_compressed_body_is_refused(client):
    """It could grow past any limit."""
    answer = client.post("/v1/responses", content=b"x", headers={"content-encoding": "gzip"})
    assert answer.status_code == 415


def test_malformed_json_has_its_position(client):
    """400 with the byte."""
    answer = client.post("/v1/chat/completions", content=b'{"model": }')
    assert answer.status_code == 400
    assert "byte 10" in answer.json()["error"]["message"]


def test_an_unknown_route_lists_what_exists(client):
    """For a person with a typing error and for a client that expects another API."""
    for method, path in (("GET", "/v1/nope"), ("POST", "/v1/messages"), ("DELETE", "/v1/responses")):
        answer = client.request(method, path)
        assert answer.status_code in {404, 405}
        said = answer.json()["error"]["message"]
        assert "POST /v1/responses" in said if answer.status_code == 404 else "send POST" in said


def _mutants(chance: random.Random, value: object) -> object:
    """Return the value with one part, somewhere, replaced by something that does not belong there."""
    strange = [None, True, 0, -1, 1.5, 2**63, "", "\x00", "x" * 300, [], {}, [[]], [None], {"type": "x"}, {"": []}]
    value = copy.deepcopy(value)
    spots: list[tuple[object, object]] = []
    queue = [value]
    while queue:
        here = queue.pop()
        items = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        for key, inner in items:
            spots.append((here, key))
            queue.append(inner)
    holder, key = chance.choice(spots)
    if chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice(strange)
    return value


@pytest.fixture(scope="module")
def app_client(tmp_path_factory):
    """Send requests to the application without a socket: a thousand in a second."""
    engine = scripted(tmp_path_factory.mktemp("script"), [{"when": {"contains": ""}, "text": "x"}])
    service = service_of(engine, settings=ServeSettings(aliases={"gpt-6.2-sol": "local-model"}))
    service.listen_on("127.0.0.1", 8017)
    app = build_app(service)

    async def send(method: str, path: str, content: bytes, headers: dict[str, str]) -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8017") as client:
            return await client.request(method, path, content=content, headers=headers)

    return lambda path, content=b"", method="POST", headers=None: asyncio.run(
        send(method, path, content, headers or {})
    )


@requirement("errors.never-500")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32), st.sampled_from(_SMALL), st.booleans())
def test_a_mutated_captured_request_is_never_a_500(app_client, seed, path, is_stream):
    """One to three parts of a real request replaced by nonsense: answered or refused, never a fault of ours."""
    chance = random.Random(seed)  # noqa: S311 (reproducible on purpose)
    body = json.loads(path.read_text())["body"]
    for _ in range(chance.randint(1, 3)):
        body = _mutants(chance, body)
    if isinstance(body, dict) and not is_stream:
        body["stream"] = False
    answer = app_client("/v1/responses", json.dumps(body).encode())
    event(str(answer.status_code))
    assert answer.status_code in {200, 400, 404}, answer.text
    if answer.status_code != 200:
        assert answer.json()["error"]["message"]


_CHAT = {
    "model": "local-model",
    "messages": [
        {"role": "system", "content": "S"},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "a", "arguments": ""}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ],
    "tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}],
    "tool_choice": {"type": "function", "function": {"name": "a"}},
    "stop": ["x"],
    "logit_bias": {"1": 2},
    "temperature": 1,
    "stream_options": {"include_usage": True},
    "chat_template_kwargs": {"enable_thinking": True},
    "response_format": {"type": "text"},
}


@requirement("errors.never-500")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32))
def test_a_mutated_chat_request_is_never_a_500(app_client, seed):
    """The same for Chat Completions."""
    chance = random.Random(seed)  # noqa: S311 (reproducible on purpose)
    body = _CHAT
    for _ in range(chance.randint(1, 3)):
        body = _mutants(chance, body)
    answer = app_client("/v1/chat/completions", json.dumps(body).encode())
    assert answer.status_code in {200, 400, 404}, answer.text


@requirement("errors.never-500")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.sampled_from(["/v1/responses", "/v1/chat/completions", "/api/ask"]))
def test_any_bytes_are_never_a_500(app_client, body, path):
    """Bytes that are no JSON at all."""
    assert app_client(path, body).status_code == 400


@requirement("errors.never-500")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["/", "/file/", "/static/", "/v1/models/", "/api/search?q=", "/api/search?limit=", "/v1/"]),
    st.text(st.characters(codec="utf-8", exclude_characters="#"), max_size=30),
)
def test_any_path_is_never_a_500(app_client, prefix, tail):
    """Whatever stands behind a route."""
    from urllib.parse import quote

    answer = app_client(prefix + quote(tail), method="GET")
    assert answer.status_code in {200, 400, 404, 405, 501}, (answer.status_code, answer.text)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_any_header_value_is_never_a_500(app_client, value):
    """The headers that are read, with anything in them."""
    for name in ("x-roteiro-mode", "x-codex-turn-metadata", "accept", "authorization", "if-none-match"):
        answer = app_client("/v1/responses", json.dumps(_HI).encode(), headers={name: value})
        assert answer.status_code in {200, 400}


def test_a_body_that_stops_coming_is_not_waited_for_for_ever(live, monkeypatch):
    """The connection is answered with a sentence and closed."""
    monkeypatch.setattr("serve.http.guard._BODY_PAUSE_S", 0.05)
    host, port = live.url.removeprefix("http://").split(":")
    head = f"POST /v1/responses HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 1000\r\n\r\n{{"
    with socket.create_connection((host, int(port)), timeout=DEADLINE_S) as connection:
        connection.sendall(head.encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"body_timeout" in answer
    assert answer.lower().count(b"connection: close") == 1


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"question": "x", "history": []}, "'history' is no key of a question"),
        ({"question": "x", "messages": {}}, "messages must be an array"),
        ({"question": "x", "messages": ["x"]}, "messages[0]"),
    ],
)
def test_a_question_that_would_lose_its_history_is_refused_by_name(client, body, told):
    """Ignoring a key would answer another question than the one asked."""
    answer = client.post("/api/ask", json=body)
    assert answer.status_code == 400
    assert told in answer.json()["error"]["message"]


def test_half_a_character_is_named(client):
    """Python and JavaScript write it without noticing."""
    answer = client.post("/v1/responses", content=b'{"model":"local-model","input":"\\ud800"}')
    assert answer.status_code == 400
    assert "half a character" in answer.json()["error"]["message"]
