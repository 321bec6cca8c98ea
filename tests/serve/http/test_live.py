"""Streams that are never silent, clients that leave, a server that ends."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from serve.engine.base import EngineInfo
from serve.events import Event, Finished, FinishReason, Heartbeat, Started, Text
from serve.http.live import first_events, frames
from serve.http.run import Run
from serve.http.service import Served, Service
from serve.settings import ServeSettings
from serve.turns import GenerationRequest, Message, Mode, Role
from serve.wire.answer import Occasion
from serve.wire.ask import AskAnswer
from serve.wire.chat_answer import ChatAnswer
from serve.wire.responses import Echo
from serve.wire.responses_answer import ResponsesAnswer
from tests.requirements import requirement
from tests.serving import DEADLINE_S, StandInAsk, live_server

_GENERATION = GenerationRequest(
    id="r1", model="held", mode=Mode.GENERAL, messages=(Message(role=Role.USER, content="Hi"),)
)


class HeldEngine:
    """Says one word, then waits until it is let go; counts how many of its answers are open."""

    def __init__(self) -> None:
        self.open = 0
        self.closed = 0
        self.go: asyncio.Event | None = None
        self.changed = threading.Event()

    def describe(self) -> EngineInfo:
        return EngineInfo(model="held", kind="local", window_tokens=100)

    async def start(self) -> None:
        self.go = asyncio.Event()

    async def close(self) -> None: ...

    async def count(self, request: GenerationRequest) -> int:
        return 1

    async def warm(self, request: GenerationRequest) -> None: ...

    async def generate(self, request: GenerationRequest) -> AsyncIterator[Event]:
        self.open += 1
        self.changed.set()
        try:
            yield Started("held", request.mode, "first-sentence" if request.tools else "")
            if request.messages[-1].content != "silent":
                yield Text("one")
            assert self.go is not None
            await self.go.wait()
            yield Finished(reason=FinishReason.STOP)
        finally:
            self.open -= 1
            self.closed += 1
            self.changed.set()

    def wait_until(self, holds: Callable[[], bool]) -> float:
        """Return after how many seconds it held."""
        began = time.monotonic()
        while not holds():
            assert self.changed.wait(DEADLINE_S)
            self.changed.clear()
        return time.monotonic() - began


@pytest.fixture
def held():
    engine = HeldEngine()
    served = Served(engine, StandInAsk(engine), queue=1, slots=1)
    service = Service(models=(served,), repository=None, settings=ServeSettings(), version="1", root="/repo")
    with live_server(service, engine) as live:
        yield live


def _body(text: str = "Hi", *, stream: bool = True) -> bytes:
    return json.dumps({"model": "held", "input": text, "stream": stream}).encode()


def _connect(live, body: bytes, route: str = "/general/v1/responses") -> socket.socket:
    """Send a request and keep the connection: leaving is then one close."""
    host, port = live.url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=DEADLINE_S)
    head = f"POST {route} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return connection


def _read_until(connection: socket.socket, wanted: bytes) -> bytes:
    read = b""
    while wanted not in read:
        piece = connection.recv(65536)
        assert piece, read
        read += piece
    return read


@requirement("slots.disconnect-frees")
@pytest.mark.parametrize(("text", "is_stream"), [("Hi", True), ("silent", True), ("Hi", False)])
def test_a_client_that_leaves_frees_its_slot_within_a_second(held, text, is_stream):
    """In the middle of a stream, before the first word, and while a whole answer is awaited."""
    connection = _connect(held, _body(text, stream=is_stream))
    held.engine.wait_until(lambda: held.engine.open == 1)
    if is_stream and text == "Hi":
        _read_until(connection, b"one")
    connection.close()
    assert held.engine.wait_until(lambda: held.engine.closed == 1) < 1.0
    with _connect(held, _body()) as again:
        _read_until(again, b'"delta":"one"')


@requirement("slots.full-is-429")
def test_one_runs_one_waits_the_next_is_429(held):
    """The one who waits is told its place on the page's stream; leaving the queue makes room."""
    with _connect(held, _body()) as first:
        _read_until(first, b"one")
        with _connect(held, b'{"question": "Hi"}', "/api/ask") as second:
            _read_until(second, b'data: {"type":"queued","position":1}')
            answer = httpx.post(f"{held.url}/general/v1/responses", content=_body(), trust_env=False)
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.json()["error"]["code"] == "queue_full"
            health = httpx.get(f"{held.url}/health", trust_env=False).json()
            assert (health["running"], health["waiting"]) == (1, 1)
    held.engine.wait_until(lambda: held.engine.open == 0)


@requirement("server.shutdown-terminal", "responses.terminal-always")
def test_a_shutdown_sends_open_streams_their_last_event(held):
    """Running or waiting, each stream ends as its API says."""
    with _connect(held, _body()) as running, _connect(held, _body()) as waiting:
        _read_until(running, b"one")
        _read_until(waiting, b"response.created")
        held.server.should_exit = True
        for connection in (running, waiting):
            rest = _read_until(connection, b"[DONE]")
            assert b"event: response.failed" in rest
            assert b"server was stopped" in rest
    held.stop()
    assert held.engine.open == 0


async def _slow(go: asyncio.Event):
    yield Started("m", Mode.GENERAL)
    yield Heartbeat(1, 9)
    await go.wait()
    yield Text("x")
    yield Finished(reason=FinishReason.STOP)


def _encoders():
    occasion = Occasion(generation=_GENERATION, created_at=1)
    echo = Echo(
        instructions=None, metadata={}, tools=[], tool_choice="auto", effort=None, user=None, prompt_cache_key=None
    )
    return [
        (ChatAnswer(occasion), b": ping\n\n"),
        (ResponsesAnswer(occasion, echo), b"event: response.in_progress\n"),
        (AskAnswer(), b": ping\n\n"),
    ]


@requirement("responses.in-progress-repeats")
@pytest.mark.parametrize(("encoder", "ping"), _encoders(), ids=["chat", "responses", "ask"])
async def test_a_silent_stream_is_kept_alive(encoder, ping):
    """While nothing happens something is sent again and again; then the answer comes whole."""
    go = asyncio.Event()
    run = Run(_slow(go), "r1", lambda _: None)
    stream = frames(run, encoder, [], interval_s=0.01)
    written = []
    async with asyncio.timeout(DEADLINE_S):
        async for piece in stream:
            written.append(piece)
            if sum(piece.startswith(ping) for piece in written) == 4:
                go.set()
    assert b"x" in b"".join(written)
    assert run.task.done() or not run.stop()


async def test_the_stream_opens_early_for_a_slow_engine():
    """A status other than 200 is only possible for so long; what came until then is not lost."""
    run = Run(_slow(asyncio.Event()), "r1", lambda _: None)
    async with asyncio.timeout(DEADLINE_S):
        assert await first_events(run) == [Started("m", Mode.GENERAL), Heartbeat(1, 9)]
    run.stop()


async def test_an_exception_in_an_engine_becomes_a_last_event(caplog):
    """The client gets a sentence with the request's id, the log the reason."""

    async def broken():
        yield Text("a")
        raise ZeroDivisionError("the reason")

    run = Run(broken(), "r1", lambda _: None)
    assert await run.next() == Text("a")
    last = await run.next()
    assert (last.status, last.kind) == (500, "server_error")
    assert "r1" in last.message
    assert "the reason" not in last.message
    assert "the reason" in caplog.text


async def test_nothing_comes_after_the_end():
    """An abort after the last event changes nothing."""
    go = asyncio.Event()
    go.set()
    run = Run(_slow(go), "r1", lambda _: None)
    while not isinstance(await run.next(), Finished):
        pass
    from serve.events import Failed

    run.abort(Failed(status=503, kind="x", message="late"))
    assert await run.next(0.01) is None


@pytest.mark.parametrize("is_stream", [True, False])
def test_the_detail_of_tools_is_told_when_the_engine_tells_it(held, is_stream):
    """A client can see that its descriptions were shortened."""
    tools = [{"type": "function", "name": "look"}]
    body = json.dumps({"model": "held", "input": "Hi", "stream": is_stream, "tools": tools}).encode()
    assert held.engine.go is not None
    held.engine.go.set()
    answer = httpx.post(f"{held.url}/v1/responses", content=body, trust_env=False, timeout=DEADLINE_S)
    assert answer.headers["x-roteiro-tool-detail"] == "first-sentence"
