"""However a worker came by a prefix, the answer has the same bits: real processes, every kind of model.

What an answer tells of its twenty likeliest tokens holds the logits to the last bit, all the way through decoding.
"""

from contextlib import asynccontextmanager

import pytest

from serve.engine.local import LocalEngine
from serve.events import Finished, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

pytestmark = pytest.mark.native
KINDS = ("attention", "sliding", "hybrid", "linear", "recurrent")
SYSTEM = "Answer from what you are given. " * 12


def ask(text, system=SYSTEM):
    return GenerationRequest(
        id="r",
        model="m",
        mode=Mode.GENERAL,
        messages=(Message(role=Role.SYSTEM, content=system), Message(role=Role.USER, content=text)),
        sampling=Sampling(max_tokens=12, temperature=0.0, top_logprobs=20),
    )


@asynccontextmanager
async def worker(path, folder=None, **settings):
    settings = {"cache_mode": "strict", **settings}
    engine = LocalEngine(path, "tiny", EngineSettings(threads=1, **settings), cache_folder=folder)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.close()


async def bits(engine, request):
    """Return what an answer says of its likeliest tokens, and how much of the prompt was there already."""
    events = [event async for event in engine.generate(request)]
    assert isinstance(events[-1], Finished)
    told = [one for event in events if isinstance(event, Text) for one in event.logprobs]
    assert told
    return told, events[-1].usage.cached_tokens


@pytest.mark.parametrize("kind", KINDS)
async def test_cold_kept_restored_and_uncached_answers_are_the_same(tiny_model, tmp_path, kind):
    """After nothing, its own preamble, another conversation, a restart, and with no cache at all."""
    path, asked = tiny_model(kind), ask("first question")
    async with worker(path, tmp_path) as engine:
        cold, none = await bits(engine, asked)
        assert none == 0
        await bits(engine, ask("another question"))
        kept, of_kept = await bits(engine, asked)
        await bits(engine, ask("x " * 300, system="Something else."))
        restored, of_restored = await bits(engine, asked)
    async with worker(path, tmp_path) as engine:
        restarted, of_restarted = await bits(engine, asked)
        assert engine.stats().disk_hits == 1
    async with worker(path, prefix_cache_mb=0, prefix_cache_disk_mb=0) as engine:
        uncached, _ = await bits(engine, asked)
        assert engine.stats().entries == 0
    assert min(of_kept, of_restored, of_restarted) > 200
    assert cold == kept == restored == restarted == uncached


@pytest.mark.parametrize("at", [0, 150, 380])
async def test_one_other_letter_in_a_preamble_is_never_taken_for_it(tiny_model, at):
    """What stands before the letter may serve, nothing after it, and the answer is that of a fresh worker."""
    other = f"{SYSTEM[:at]}#{SYSTEM[at + 1 :]}"
    async with worker(tiny_model("attention")) as engine:
        await bits(engine, ask("question"))
        warm, cached = await bits(engine, ask("question", other))
    async with worker(tiny_model("attention")) as engine:
        cold, _ = await bits(engine, ask("question", other))
    assert cached <= len(SYSTEM[:at].replace(" ", "___")) + 40, "a space is three bytes here, and a byte a token"
    assert warm == cold


async def test_truncated_state_is_a_cold_prompt_and_its_file_is_gone(tiny_model, tmp_path):
    """The request is answered as ever."""
    asked = ask("question")
    async with worker(tiny_model("attention"), tmp_path) as engine:
        cold, _ = await bits(engine, asked)
    (state,) = tmp_path.glob("*.state")
    damaged = state.read_bytes()[:-7]
    state.write_bytes(damaged)
    async with worker(tiny_model("attention"), tmp_path) as engine:
        again, cached = await bits(engine, asked)
        assert engine.stats().disk_hits == 0
    assert (again, cached) == (cold, 0)
    assert not state.exists() or len(state.read_bytes()) > len(damaged)
