"""The upstream engine against a small server that speaks as vLLM, llama-server and Ollama do."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import msgspec
import pytest

from serve.engine.upstream import UpstreamEngine
from serve.errors import EngineError, UnsupportedError
from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Event,
    Failed,
    Finished,
    FinishReason,
    Reasoning,
    Started,
    Text,
    Usage,
)
from serve.settings import UpstreamSettings
from serve.turns import (
    GenerationRequest,
    Message,
    Mode,
    ReasoningEffort,
    Role,
    Sampling,
    ToolCall,
    ToolChoice,
    ToolSpec,
)

MODELS = {"data": [{"id": "big", "max_model_len": 4096}, {"id": "small"}]}


class Standin:
    """A server that answers every chat request with the same bytes and keeps what it was sent."""

    def __init__(self, chat: bytes = b"", status: int = 200, *, models: object = MODELS, hangs: bool = False) -> None:
        self.chat = chat
        self.status = status
        self.models = models
        self.hangs = hangs
        self.bodies: list[dict] = []
        self.heads: list[str] = []
        self.handlers: set[asyncio.Task] = set()
        self.is_left = asyncio.Event()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.handlers.add(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lengths = [line.split(":")[1] for line in head.splitlines() if "content-length" in line.lower()]
                length = int(lengths[0]) if lengths else 0
                body = await reader.readexactly(length)
                self.heads.append(head)
                if head.startswith("GET"):
                    payload = json.dumps(self.models).encode()
                    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(payload), payload))
                    await writer.drain()
                    continue
                self.bodies.append(json.loads(body))
                writer.write(b"HTTP/1.1 %d X\r\nconnection: close\r\n\r\n%s" % (self.status, self.chat))
                await writer.drain()
                if self.hangs:
                    await reader.read()
                    self.is_left.set()
                break
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


@asynccontextmanager
async def running(standin: Standin, **settings: object) -> AsyncIterator[UpstreamEngine]:
    server = await asyncio.start_server(standin.handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    engine = UpstreamEngine(UpstreamSettings(base_url=f"http://127.0.0.1:{port}/v1/", **settings))
    try:
        await engine.start()
        yield engine
    finally:
        await engine.close()
        server.close()
        await server.wait_closed()
        await asyncio.gather(*standin.handlers)


def sse(*chunks: object, done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + (["data: [DONE]\n\n"] if done else [])
    return (": ping\n\n" + "".join(lines)).encode()


def delta(finish: str | None = None, **fields: object) -> dict:
    return {"id": "x", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def request(**fields: object) -> GenerationRequest:
    base = {"id": "r", "model": "m", "mode": Mode.GENERAL, "messages": (Message(role=Role.USER, content="hi"),)}
    return GenerationRequest(**{**base, **fields})


async def answer(engine: UpstreamEngine, asked: GenerationRequest) -> list[Event]:
    return [event async for event in engine.generate(asked)]


async def test_text_reasoning_and_usage_are_told(tmp_path):
    """Both spellings of reasoning, a think block in the content, and what was thought by its share of the chunks."""
    chat = sse(
        delta(role="assistant", content=""),
        delta(reasoning_content="a"),
        delta(reasoning="b"),
        delta(content="<think>c"),
        delta(content="</think>\n\nHel"),
        delta(content="lo"),
        delta("stop"),
        {
            "choices": [],
            "usage": {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 3},
                "completion_tokens_details": None,
            },
        },
    )
    async with running(Standin(chat)) as engine:
        events = await answer(engine, request())
    assert events == [
        Started("big", Mode.GENERAL),
        Reasoning("a"),
        Reasoning("b"),
        Reasoning("c"),
        Text("Hel"),
        Text("lo"),
        Finished(
            reason=FinishReason.STOP,
            usage=Usage(prompt_tokens=9, completion_tokens=4, reasoning_tokens=3, cached_tokens=3),
        ),
    ]


async def test_calls_are_assembled_from_their_deltas():
    """Two calls, one of a namespace, one of free text; arguments pass as generated."""
    function = {"name": "fs__read", "arguments": ""}
    chat = sse(
        delta(tool_calls=[{"index": 0, "id": "c0", "type": "function", "function": function}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": '{"p":'}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": " 1}"}}]),
        delta(tool_calls=[{"index": 1, "id": "c1", "function": {"name": "patch", "arguments": '{"input": "a\\nb"}'}}]),
        delta("tool_calls"),
    )
    tools = (ToolSpec(name="read", namespace="fs"), ToolSpec(name="patch", is_free_text=True))
    standin = Standin(chat)
    async with running(standin) as engine:
        events = await answer(engine, request(tools=tools))
    read = ToolCall(id="c0", name="read", namespace="fs", arguments='{"p": 1}')
    patch = ToolCall(id="c1", name="patch", arguments="a\nb", is_free_text=True)
    assert events[1:-1] == [
        CallOpened(0, "c0", "read", "fs"),
        CallArguments(0, '{"p":'),
        CallArguments(0, " 1}"),
        CallOpened(1, "c1", "patch", None, is_free_text=True),
        CallMade(0, read),
        CallArguments(1, "a\nb"),
        CallMade(1, patch),
    ]
    assert events[-1].reason is FinishReason.TOOL_CALLS
    assert [tool["function"]["name"] for tool in standin.bodies[0]["tools"]] == ["fs__read", "patch"]


async def test_request_is_sent_in_the_apis_own_words():
    """System turns are merged, calls and results are native, and only given parameters are sent."""
    call = ToolCall(id="c", name="t", arguments='{"a":  1}')
    messages = (
        Message(role=Role.SYSTEM, content="one"),
        Message(role=Role.SYSTEM, content="two"),
        Message(role=Role.USER, content="q"),
        Message(role=Role.ASSISTANT, tool_calls=(call,)),
        Message(role=Role.TOOL, content="no", tool_call_id="c", is_error=True),
    )
    asked = request(
        messages=messages,
        tools=(ToolSpec(name="t", parameters=msgspec.Raw(b'{"type": "object"}')),),
        tool_choice=ToolChoice(kind="named", names=("t",)),
        allow_parallel_calls=False,
        reasoning=ReasoningEffort.LOW,
        sampling=Sampling(max_tokens=5, stop=("X",), seed=1, top_k=3, logit_bias=((7, -1.0),)),
        mode=Mode.ASK,
    )
    standin = Standin(sse(delta("stop")))
    async with running(standin, model="mine") as engine:
        await answer(engine, asked)
    past = {"id": "c", "type": "function", "function": {"name": "t", "arguments": '{"a":  1}'}}
    assert standin.bodies == [
        {
            "model": "mine",
            "messages": [
                {"role": "system", "content": "one\n\ntwo"},
                {"role": "user", "content": "q"},
                {"role": "assistant", "content": "", "tool_calls": [past]},
                {"role": "tool", "content": "Error: no", "tool_call_id": "c"},
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": 5,
            "temperature": 0.0,
            "top_k": 3,
            "seed": 1,
            "stop": ["X"],
            "logit_bias": {"7": -1.0},
            "tools": [
                {"type": "function", "function": {"name": "t", "description": "", "parameters": {"type": "object"}}}
            ],
            "tool_choice": {"type": "function", "function": {"name": "t"}},
            "parallel_tool_calls": False,
            "reasoning_effort": "low",
        }
    ]


@pytest.mark.parametrize(
    ("standin", "words"),
    [
        (lambda: Standin(b'{"error": {"message": "no such model", "code": 1}}', 404), "status 404: no such model"),
        (lambda: Standin(b'{"detail": "busy"}', 503), "status 503: busy"),
        (lambda: Standin(b"<html>bad\n gateway</html>", 502), "status 502: <html>bad gateway</html>"),
        (lambda: Standin(sse(delta(content="a"), {"error": {"message": "out of memory"}})), "failed: out of memory"),
        (lambda: Standin(sse(delta(content="a"), done=False)), "before the answer was finished"),
        (lambda: Standin(b"data: {nonsense\n\n"), "cannot be read"),
    ],
)
async def test_failures_come_in_the_upstreams_own_words(standin, words):
    """Whatever goes wrong is one Failed event of status 502, after what was said already."""
    made = standin()
    async with running(made) as engine:
        events = await answer(engine, request())
    assert isinstance(events[-1], Failed)
    assert (events[-1].status, events[-1].code) == (502, "upstream_error")
    assert words in events[-1].message
    assert len(made.bodies) == 1


async def test_lost_upstream_fails_the_request_not_the_engine():
    """Nobody listens any more: a Failed event that says so."""
    async with running(Standin()) as engine:
        engine._base_url = "http://127.0.0.1:1/v1"
        events = await answer(engine, request())
    assert isinstance(events[-1], Failed)
    assert "could not be asked" in events[-1].message


async def test_closing_the_iterator_closes_the_connection():
    """The upstream notices at once that nobody listens."""
    standin = Standin(sse(delta(content="a"), done=False), hangs=True)
    async with running(standin) as engine:
        stream = engine.generate(request())
        assert [await anext(stream), await anext(stream)] == [Started("big", Mode.GENERAL), Text("a")]
        await stream.aclose()
        await asyncio.wait_for(standin.is_left.wait(), 10)


async def test_silent_upstream_is_bridged_by_heartbeats(monkeypatch):
    """Idle timers of clients see signs of life while the upstream computes."""
    monkeypatch.setattr("serve.engine.upstream._HEARTBEAT_S", 0.01)
    standin = Standin(hangs=True)
    async with running(standin) as engine:
        stream = engine.generate(request())
        events = [await anext(stream) for _ in range(3)]
        await stream.aclose()
    assert [type(event).__name__ for event in events] == ["Started", "Heartbeat", "Heartbeat"]


async def test_stop_string_of_vllm_is_named():
    """VLLM says which stop string was met."""
    finish = {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop", "stop_reason": "END"}]}
    async with running(Standin(sse(finish))) as engine:
        last = (await answer(engine, request()))[-1]
    assert (last.reason, last.stop_sequence) == (FinishReason.STOP_SEQUENCE, "END")


async def test_first_listed_model_is_taken_and_its_window_known():
    """Without a model set, the upstream's own list decides."""
    async with running(Standin()) as engine:
        info = engine.describe()
    assert (info.model, info.window_tokens, info.is_remote, info.can_count) == ("big", 4096, False, False)


async def test_start_says_what_to_do():
    """No list, nobody there, and no key are errors with a cure."""
    with pytest.raises(EngineError, match="lists no model"):
        async with running(Standin(models={"data": []})):
            pass
    with pytest.raises(EngineError, match="cannot be reached"):
        await UpstreamEngine(UpstreamSettings(base_url="http://127.0.0.1:1/v1")).start()
    with pytest.raises(EngineError, match="NO_SUCH_KEY"):
        await UpstreamEngine(UpstreamSettings(base_url="http://127.0.0.1:1/v1", api_key_env="NO_SUCH_KEY")).start()


async def test_key_comes_from_the_named_variable(monkeypatch):
    """The key itself is nowhere in the settings."""
    monkeypatch.setenv("A_KEY", "k-1")
    standin = Standin(sse(delta("stop")))
    async with running(standin, api_key_env="A_KEY") as engine:
        await answer(engine, request())
    assert all("authorization: Bearer k-1" in head for head in standin.heads)


@pytest.mark.parametrize(
    ("url", "is_remote"),
    [
        ("http://localhost:1/v1", False),
        ("http://127.8.0.1:1/v1", False),
        ("http://[::1]:1/v1", False),
        ("http://192.168.1.2/v1", True),
        ("https://api.example.com/v1", True),
    ],
)
def test_address_decides_whether_source_leaves_the_machine(url, is_remote):
    """Only loopback stays here."""
    assert UpstreamEngine(UpstreamSettings(base_url=url)).describe().is_remote is is_remote


async def test_counting_is_refused():
    """The tokenizer is not here."""
    with pytest.raises(UnsupportedError):
        await UpstreamEngine(UpstreamSettings(base_url="http://127.0.0.1:1/v1")).count(request())


async def test_another_roteiro_is_told_not_to_answer_from_its_own_repository():
    """Its plain /v1 would take a request without tools as a question about it."""
    standin = Standin(sse(delta("stop")))
    async with running(standin) as engine:
        await answer(engine, request())
    assert "x-roteiro-mode: general" in standin.heads[-1]


async def test_an_upstreams_own_count_of_thought_stands():
    """Also where it is none."""
    usage = {"completion_tokens": 8, "completion_tokens_details": {"reasoning_tokens": 0}}
    chat = sse(delta(reasoning="a"), delta("stop", content="b"), {"choices": [], "usage": usage})
    async with running(Standin(chat)) as engine:
        last = (await answer(engine, request()))[-1]
    assert last.usage == Usage(completion_tokens=8)


async def test_a_budget_of_thought_is_told_and_old_thoughts_are_not():
    """By the names that servers know; of Ask, which sets one of its own, nothing is told."""
    said = Message(role=Role.ASSISTANT, content="<think>why</think>\n\nSo.")
    standin = Standin(sse(delta("stop", content="x")))
    async with running(standin) as engine:
        for mode in (Mode.GENERAL, Mode.ASK):
            await answer(engine, request(mode=mode, reasoning_budget=7, messages=(said,)))
    told, untold = standin.bodies
    assert (told["reasoning_budget_tokens"], told["thinking_token_budget"]) == (7, 7)
    assert "reasoning_budget_tokens" not in untold
    assert told["messages"] == [{"role": "assistant", "content": "So."}]
