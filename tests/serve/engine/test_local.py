"""The local engine: streaming, waiting, cancelling, dying and coming back, on tiny models in real workers."""

import asyncio
import os
import re
import subprocess
import sys
import textwrap
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from serve.engine.local import LocalEngine
from serve.engine.local.link import worker_environment
from serve.engine.residency import Residency
from serve.errors import ContextLengthError, EngineError, ServeError
from serve.events import CallMade, Failed, Finished, FinishReason, Heartbeat, Started, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling, ToolSpec

pytestmark = pytest.mark.native
LONG_S = 10
"""Ten times what any of these needs on a busy machine; the bench prints what they take."""


def ask(text="hello", *, max_tokens=8, **fields):
    return GenerationRequest(
        id="r",
        model="m",
        mode=fields.pop("mode", Mode.ASK),
        messages=(Message(role=Role.USER, content=text),),
        sampling=Sampling(max_tokens=max_tokens, **fields),
    )


@asynccontextmanager
async def running(path, *, in_thread=True, **settings):
    engine = LocalEngine(path, "tiny", EngineSettings(threads=1, **settings), in_thread=in_thread)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.close()


async def events(engine, request):
    return [event async for event in engine.generate(request)]


def text(found):
    return "".join(event.text for event in found if isinstance(event, Text))


async def test_answer_streams_between_started_and_finished(tiny_model):
    """Heartbeats tell the prefill, then text, then usage."""
    async with running(tiny_model("attention")) as engine:
        found = await events(engine, ask())
        tokens = await engine.count(ask())
    assert found[0] == Started("tiny", Mode.ASK)
    beats = [event for event in found if isinstance(event, Heartbeat)]
    assert (beats[0].done, beats[-1].done, beats[-1].total) == (0, tokens, tokens)
    last = found[-1]
    assert isinstance(last, Finished)
    assert (last.reason, last.usage.prompt_tokens, last.usage.completion_tokens) == (FinishReason.LENGTH, tokens, 8)


async def test_worker_process_answers_as_a_thread_does(tiny_model):
    """The same core, the same bytes."""
    async with running(tiny_model("attention")) as engine:
        threaded = await events(engine, ask(max_tokens=30))
    async with running(tiny_model("attention"), in_thread=False) as engine:
        assert engine.worker_pid is not None
        assert text(await events(engine, ask(max_tokens=30))) == text(threaded)


async def test_description_tells_window_and_measured_rate(tiny_model):
    """Known once it started."""
    engine = LocalEngine(tiny_model("attention"), "tiny", EngineSettings(max_context_tokens=500), in_thread=True)
    assert engine.describe().window_tokens is None
    await engine.start()
    info = engine.describe()
    await engine.close()
    assert (info.kind, info.window_tokens, info.is_remote) == ("local", 500, False)
    assert info.prefill_tokens_per_s is not None
    assert info.prefill_tokens_per_s > 0
    assert "attention.gguf" in info.detail


@pytest.mark.parametrize(("settings", "window"), [({}, 8_192), ({"kv_mb": 2}, 512), ({"max_context_tokens": 100}, 100)])
async def test_window_is_the_least_of_model_memory_and_wish(tiny_model, settings, window):
    """Four KiB a token here, so 2 MiB hold 512 tokens."""
    async with running(tiny_model("attention"), **settings) as engine:
        assert engine.describe().window_tokens == window


async def test_prompt_over_the_window_is_refused_with_the_counts(tiny_model):
    """It is never truncated, and the next request is served."""
    async with running(tiny_model("attention"), max_context_tokens=200) as engine:
        for size in (300, 30_000):
            request = ask("x" * size)
            tokens = await engine.count(request)
            failed = (await events(engine, request))[-1]
            assert isinstance(failed, Failed)
            assert (failed.status, failed.code) == (400, "context_length_exceeded")
            assert failed.message == str(ContextLengthError(tokens, 200))
        assert isinstance((await events(engine, ask()))[-1], Finished)


async def test_prompt_far_over_the_window_is_refused_before_it_is_counted_whole(tiny_model):
    """Megabytes would be counted for as long as others wait; the count that is told is a least one."""
    async with running(tiny_model("attention"), max_context_tokens=200) as engine:
        request = ask("x" * 3_000_000)
        failed = (await events(engine, request))[-1]
        assert (failed.status, failed.code) == (400, "context_length_exceeded")
        least = int(re.search(r"at least (\d+) prompt tokens", failed.message)[1])
        assert 400 < least < 300_000
        with pytest.raises(ServeError, match="at least"):
            await engine.count(request)
        assert isinstance((await events(engine, ask()))[-1], Finished)


async def test_bias_of_a_token_that_the_model_has_not_is_refused_by_name(tiny_model):
    """It was taken from another model's tokenizer, where it means something else."""
    async with running(tiny_model("attention")) as engine:
        (failed,) = await events(engine, ask(logit_bias=((3, 1.0), (50_256, -100.0))))
        assert (failed.status, failed.param) == (400, "logit_bias.50256")
        assert "0 to 262" in failed.message
        assert isinstance((await events(engine, ask(logit_bias=((262, 1.0),))))[-1], Finished)


async def test_answer_ends_at_the_window(tiny_model):
    """The budget is what is left, whatever was asked for."""
    async with running(tiny_model("attention"), max_context_tokens=100) as engine:
        last = (await events(engine, ask(max_tokens=32_000)))[-1]
    assert last.reason is FinishReason.LENGTH
    assert last.usage.prompt_tokens + last.usage.completion_tokens == 100


@pytest.mark.parametrize("prompt", ["x" * 7_000, "x"], ids=["prefill", "decode"])
async def test_closing_the_iterator_cancels_and_the_next_answer_is_that_of_a_fresh_engine(tiny_model, prompt):
    """In prefill and in decode."""
    async with running(tiny_model("attention"), in_thread=False) as engine:
        fresh = text(await events(engine, ask()))
        stream = engine.generate(ask(prompt, max_tokens=7_000, temperature=1.0))
        async for event in stream:
            if isinstance(event, Heartbeat if len(prompt) > 1 else Text):
                break
        async with asyncio.timeout(LONG_S):
            await stream.aclose()
            assert text(await events(engine, ask())) == fresh


async def test_requests_beyond_the_slots_wait_in_the_worker_and_one_that_gave_up_is_never_begun(tiny_model):
    """Whoever calls an engine by itself, without the queue in front of it."""
    async with running(tiny_model("attention")) as engine:
        first = engine.generate(ask(max_tokens=4_000))
        assert isinstance(await anext(first), Started)
        second, third = (asyncio.create_task(events(engine, ask())) for _ in range(2))
        while len(engine._link._replies) < 3:  # noqa: ASYNC110 - until both were sent to the worker
            await asyncio.sleep(0)
        second.cancel()
        await first.aclose()
        async with asyncio.timeout(LONG_S):
            assert isinstance((await third)[-1], Finished)
        assert engine.stats().hits + engine.stats().misses == 2


async def test_count_answers_beside_a_generation(tiny_model):
    """Counting needs no context."""
    async with running(tiny_model("attention")) as engine:
        stream = engine.generate(ask(max_tokens=4_000))
        await anext(stream)
        async with asyncio.timeout(LONG_S):
            assert await engine.count(ask()) > 5
        await stream.aclose()


@pytest.mark.parametrize("scheduling", ["exact", "batched"])
async def test_two_slots_answer_two_requests_at_a_time(tiny_model, scheduling):
    """The third waits; a request that is given up leaves its slot to it, and the other is not disturbed."""
    settings = EngineSettings(slots=2, scheduling=scheduling, threads=1)
    engine = LocalEngine(tiny_model("attention"), "tiny", settings)
    await engine.start()
    first, second = (engine.generate(ask("x" * size, max_tokens=4_000)) for size in (1_000, 10))
    assert [type(await anext(one)) for one in (first, second)] == [Started, Started]
    third = asyncio.create_task(events(engine, ask(max_tokens=3)))
    await first.aclose()
    async with asyncio.timeout(LONG_S):
        assert isinstance((await third)[-1], Finished)
        assert [await anext(second) for _ in range(3)]
        await second.aclose()
    await engine.close()


async def test_unloaded_model_leaves_no_process_and_the_next_request_loads_it(tiny_model):
    """A running answer is waited for."""
    async with running(tiny_model("attention"), in_thread=False) as engine:
        stream = engine.generate(ask(max_tokens=5))
        await anext(stream)
        pid = engine.worker_pid
        unloading = asyncio.create_task(engine.unload())
        async with asyncio.timeout(LONG_S):
            assert isinstance([event async for event in stream][-1], Finished)
            assert await unloading
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        assert not await engine.unload()
        assert isinstance((await events(engine, ask()))[-1], Finished)


async def test_one_model_gives_way_to_another(tiny_model):
    """Loaded when it is asked for, after the other's running answer; a budget for both keeps both."""
    for budget, is_kept in ((0, False), (1 << 40, True)):
        residency = Residency(budget)
        first, second = (
            LocalEngine(
                tiny_model(kind), kind, EngineSettings(threads=1), residency=residency, is_lazy=kind == "hybrid"
            )
            for kind in ("attention", "hybrid")
        )
        await first.start()
        await second.start()
        await second.warm(ask())
        assert (first.is_loaded, second.is_loaded) == (True, False)
        running_answer = first.generate(ask(max_tokens=50))
        await anext(running_answer)
        asked = asyncio.create_task(events(second, ask()))
        async with asyncio.timeout(LONG_S):
            assert isinstance([event async for event in running_answer][-1], Finished)
            assert isinstance((await asked)[-1], Finished)
        assert (first.is_loaded, second.is_loaded) == (is_kept, True)
        await first.close()
        await second.close()


async def test_idle_model_is_unloaded(tiny_model):
    """After the time that is set."""
    async with running(tiny_model("attention"), in_thread=False, idle_unload_minutes=0.0005) as engine:
        await events(engine, ask())
        async with asyncio.timeout(LONG_S):
            while engine.worker_pid is not None:  # noqa: ASYNC110 - a timer of the engine ends it
                await asyncio.sleep(0.01)
        assert isinstance((await events(engine, ask()))[-1], Finished)


async def test_closed_engine_leaves_no_process_and_says_so(tiny_model):
    """Memory is freed by the process's end."""
    async with running(tiny_model("attention"), in_thread=False) as engine:
        pid = engine.worker_pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    (failed,) = await events(engine, ask())
    assert isinstance(failed, Failed)
    assert "closed" in failed.message


def test_worker_ends_with_its_server(tiny_model):
    """A server that is killed leaves no orphan: the worker sees its socket close, and the pipe it inherited too."""
    program = """
        import asyncio, sys
        from pathlib import Path
        from serve.engine.local import LocalEngine

        async def main():
            engine = LocalEngine(Path(sys.argv[1]), "tiny")
            await engine.start()
            print(engine.worker_pid, flush=True)
            await asyncio.sleep(1000)

        asyncio.run(main())
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(tiny_model("attention"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        pid = int(server.stdout.readline())
        waiting = os.pidfd_open(pid)
        server.kill()
    try:
        import select

        assert select.select([waiting], [], [], LONG_S)[0], "the worker outlived its server"
    finally:
        os.close(waiting)


async def test_worker_never_runs_code_of_the_working_folder(tiny_model, tmp_path, monkeypatch):
    """A repository with a serve.py, a json.py and a PYTHONPATH of its own is data."""
    trap = 'open(__file__ + ".ran", "w").close()\n'
    for name in ("serve.py", "json.py", "llama_cpp.py", "sitecustomize.py"):
        (tmp_path / name).write_text(trap)
    model = tiny_model("attention")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with running(model, in_thread=False) as engine:
        assert isinstance((await events(engine, ask()))[-1], Finished)
    assert list(tmp_path.glob("*.ran")) == []


def test_worker_inherits_known_names_only():
    """And waits passively unless told otherwise."""
    ours = {"PATH": "p", "PYTHONPATH": "x", "LD_PRELOAD": "y", "LC_ALL": "C", "SECRET_KEY": "z"}
    assert worker_environment(ours) == {
        "OMP_WAIT_POLICY": "passive",
        "GGML_NO_BACKTRACE": "1",
        "PATH": "p",
        "LC_ALL": "C",
        "PYTHONSAFEPATH": "1",
    }
    assert worker_environment({}, "active")["OMP_WAIT_POLICY"] == "active"
    for policy in ("active", "passive"):
        assert worker_environment({"OMP_WAIT_POLICY": "active"}, policy)["OMP_WAIT_POLICY"] == "active"


async def test_wait_policy_that_is_set_reaches_the_worker(tiny_model):
    """In the environment of its process."""
    async with running(tiny_model("attention"), in_thread=False, wait_policy="active") as engine:
        environment = Path(f"/proc/{engine.worker_pid}/environ")
        assert b"OMP_WAIT_POLICY=active" in (await asyncio.to_thread(environment.read_bytes)).split(b"\0")


async def test_warmed_preamble_shows_in_usage(tiny_model):
    """The first question starts after it."""
    system = Message(role=Role.SYSTEM, content="You know this repository. " * 5)
    asked = GenerationRequest(
        id="r",
        model="m",
        mode=Mode.ASK,
        messages=(system, Message(role=Role.USER, content="q")),
        sampling=Sampling(max_tokens=2),
    )
    async with running(tiny_model("attention")) as engine:
        await engine.warm(asked)
        last = (await events(engine, asked))[-1]
    assert last.usage.cached_tokens > 100


async def test_figures_are_there_for_a_reader_that_stops_at_the_end(tiny_model):
    """As the server does: nothing follows Finished."""
    async with running(tiny_model("attention")) as engine:
        stream = engine.generate(ask())
        async for event in stream:
            if isinstance(event, Finished):
                break
        await stream.aclose()
        assert engine.stats().misses == 1


async def test_stop_string_ends_the_answer(tiny_model):
    """A character that the model says, as a stop string."""
    async with running(tiny_model("attention")) as engine:
        whole = text(await events(engine, ask(max_tokens=20)))
        stop = next(character for character in whole[1:] if character.isascii())
        found = await events(engine, ask(max_tokens=20, stop=(stop,)))
    assert text(found) == whole[: whole.index(stop)]
    assert (found[-1].reason, found[-1].stop_sequence) == (FinishReason.STOP_SEQUENCE, stop)


async def test_too_many_tools_are_refused_before_anything_runs(tiny_model):
    """The limit is named."""
    tools = tuple(ToolSpec(name=f"tool_{number}") for number in range(1_000))
    request = GenerationRequest(
        id="r", model="m", mode=Mode.GENERAL, messages=(Message(role=Role.USER, content="q"),), tools=tools
    )
    async with running(tiny_model("attention")) as engine:
        (failed,) = await events(engine, request)
        with pytest.raises(ServeError, match="Send fewer tools"):
            await engine.count(request)
    assert (failed.status, failed.param, failed.code) == (400, "tools", "tools_too_large")


async def test_model_that_cannot_be_loaded_says_why(tiny_model, tmp_path):
    """Missing, cut off, foreign, of an unknown architecture, and with weights that are not there."""
    whole = tiny_model("attention").read_bytes()
    files = {
        "truncated": whole[: len(whole) // 2],
        "no GGUF model": b"\x89PNG" + whole,
        "architecture 'lxama'": whole.replace(b"llama", b"lxama", 1),
    }
    for number, (found, data) in enumerate(files.items()):
        path = tmp_path / f"{number}.gguf"
        path.write_bytes(data)
        engine = LocalEngine(path, "m", in_thread=True)
        with pytest.raises(EngineError, match=found):
            await engine.start()
        await engine.close()
    with pytest.raises(EngineError, match="no model file"):
        await LocalEngine(tmp_path / "none.gguf", "m").start()


async def test_corrupt_header_is_an_error_not_a_crash(tiny_model, tmp_path):
    """A tensor of another shape than the model needs, which only llama.cpp can know."""
    data = bytearray(tiny_model("attention").read_bytes())
    at = data.index(b"blk.0.attn_q.weight") + len(b"blk.0.attn_q.weight") + 4
    data[at] = 64
    path = tmp_path / "corrupt.gguf"
    path.write_bytes(data)
    engine = LocalEngine(path, "m")
    with pytest.raises(EngineError, match="corrupt"):
        await engine.start()
    await engine.close()


async def test_engine_that_is_not_installed_says_how(monkeypatch, tmp_path):
    """Or points at an upstream."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"roteiro\[local\].*make serve.*--upstream URL"):
        await LocalEngine(tmp_path / "m.gguf", "m").start()


@pytest.mark.model
async def test_real_model_answers_and_calls_a_tool_of_ours_or_not_at_all(real_model):
    """Text is text, a call names an offered tool, no markup is left over, and 300,000 tokens are refused."""
    async with running(real_model, in_thread=False) as engine:
        plain = await events(engine, ask("Say hello.", max_tokens=20))
        request = GenerationRequest(
            id="r",
            model="m",
            mode=Mode.GENERAL,
            messages=(Message(role=Role.USER, content="Read the file app.py with the tool."),),
            tools=(ToolSpec(name="read_file", description="Read a file."),),
            sampling=Sampling(max_tokens=60, temperature=0.0),
        )
        found = await events(engine, request)
        huge = ask("def f(a, b): return a\n" * 40_000)
        refused = (await events(engine, huge))[-1]
    assert isinstance(refused, Failed)
    assert refused.code == "context_length_exceeded"
    assert len(text(plain)) > 3
    assert "<tool_call>" not in text(found)
    assert all(event.call.name == "read_file" for event in found if isinstance(event, CallMade))


@pytest.mark.model
async def test_real_vocabulary_keeps_content_plain_and_spaces_whole(real_model):
    """On the token ids of a real model: control tokens come from the template alone, and 64 spaces are 64 spaces."""
    from serve.engine.local.native import NativeModel
    from serve.engine.local.prompt import Prompter
    from serve.prompt.conversation import Conversation
    from serve.prompt.template import ChatTemplate
    from serve.prompt.toolprompt import ToolLimits

    model = NativeModel(real_model)
    vocabulary = model.vocabulary
    control = [token for token in range(vocabulary.size) if vocabulary.is_control(token)]
    everything = " ".join(vocabulary.text_of(token) for token in control)
    conversation = Conversation(ChatTemplate(model.metadata("tokenizer.chat_template")))
    prompter = Prompter(conversation, vocabulary, ToolLimits())

    def special(content):
        messages = (Message(role=Role.SYSTEM, content=content), Message(role=Role.USER, content=content))
        request = GenerationRequest(id="r", model="m", mode=Mode.ASK, messages=messages)
        return [token for token in prompter.prompt(request).tokens if token in control]

    assert special(everything) == special("plain")
    spaced = "x" + " " * 64 + "é🦜\ty"
    tokens = vocabulary.tokenize(spaced, control=False)
    assert b"".join(vocabulary.piece(token) for token in tokens).decode() == spaced
    model.close()


async def test_disk_that_keeps_nothing_is_told_once_in_the_servers_log(tiny_model, tmp_path, caplog):
    """A worker's own words are read by nobody; answers go on."""
    (tmp_path / "file").write_text("")
    engine = LocalEngine(
        tiny_model("attention"), "tiny", EngineSettings(threads=1), cache_folder=tmp_path / "file" / "x", in_thread=True
    )
    await engine.start()
    async with asyncio.timeout(LONG_S):
        number = 0
        while "prefix_cache_disk_mb" not in caplog.text or number < 5:
            number += 1
            rules = Message(role=Role.SYSTEM, content=f"{number} " + "x" * 200)
            asked = ask()
            assert isinstance((await events(engine, replace(asked, messages=(rules, *asked.messages))))[-1], Finished)
    await engine.close()
    assert caplog.text.count("prefix_cache_disk_mb") == 1


async def test_template_that_makes_nothing_is_refused_and_the_worker_lives(tiny_model, monkeypatch):
    """An empty prompt has no last token to answer from."""
    monkeypatch.setattr("serve.engine.local.core.CHATML", "{% if false %}x{% endif %}")
    async with running(tiny_model("attention")) as engine:
        for _ in range(2):
            (failed,) = await events(engine, ask())
            assert (failed.status, failed.code) == (400, "template_refused")
            assert "empty prompt" in failed.message
        with pytest.raises(ServeError, match="empty prompt"):
            await engine.warm(ask())


async def test_fault_in_one_answer_does_not_end_those_beside_it(tiny_model, monkeypatch, capsys):
    """A mistake of ours is told, with its place in the worker's own words, and costs one request."""
    from serve.engine.local.generation import Generation

    read = Generation._read

    def broken(self, token, place):
        if self._request.messages[0].content == "bad":
            raise ZeroDivisionError("by us")
        read(self, token, place)

    monkeypatch.setattr(Generation, "_read", broken)
    async with running(tiny_model("attention"), slots=2) as engine, asyncio.timeout(LONG_S):
        good = asyncio.create_task(events(engine, ask("good", max_tokens=200)))
        last = (await events(engine, ask("bad")))[-1]
        assert (last.status, last.code) == (503, "engine_failed")
        assert "ZeroDivisionError: by us" in last.message
        assert isinstance((await good)[-1], Finished)
        assert isinstance((await events(engine, ask()))[-1], Finished)
    assert "ZeroDivisionError" in capsys.readouterr().err
