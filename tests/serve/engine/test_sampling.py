"""Each field of sampling does what its API says, seen in the text of an answer."""

from __future__ import annotations

import asyncio

import pytest

from serve.engine.local import LocalEngine
from serve.events import Finished, FinishReason, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

pytestmark = pytest.mark.native
LONG_S = 60
A, B, END = 72, 73, (2, 4)
"""The bytes A and B, and the tokens that end an answer."""
BOTH = ((A, 100.0), (B, 102.0))
"""A before B, by less than a penalty takes away (this model likes A), and both before all others."""


@pytest.fixture
async def engine(tiny_model):
    """Give a running engine of four slots."""
    made = LocalEngine(
        tiny_model("attention"), "m", EngineSettings(threads=1, slots=4, prefix_cache_disk_mb=0), in_thread=True
    )
    await made.start()
    yield made
    await made.close()


async def answered(engine, text="q", **fields):
    fields = {"max_tokens": 12, "temperature": 0.0} | fields
    fields["logit_bias"] = fields.get("logit_bias", ()) + tuple((token, -1000.0) for token in END)
    request = GenerationRequest(
        id="r",
        model="m",
        mode=Mode.GENERAL,
        messages=(Message(role=Role.USER, content=text),),
        sampling=Sampling(**fields),
    )
    async with asyncio.timeout(LONG_S):
        events = [event async for event in engine.generate(request)]
    assert isinstance(events[-1], Finished)
    return "".join(event.text for event in events if isinstance(event, Text)), events[-1]


@pytest.mark.parametrize(
    ("penalty", "text"),
    [
        ({}, "A" * 12),
        ({"presence_penalty": 2.0}, None),
        ({"frequency_penalty": 2.0}, None),
        ({"repetition_penalty": 1.5}, None),
        ({"presence_penalty": -2.0}, "A" * 12),
    ],
)
async def test_penalties_make_room_for_what_was_not_said(engine, penalty, text):
    """What was said once gives way to what was not, by each of the three."""
    said, _ = await answered(engine, logit_bias=BOTH, **penalty)
    assert set(said) <= {"A", "B"}
    assert said == text or (text is None and "B" in said and said.startswith("A"))


async def test_frequency_counts_how_often_and_presence_only_whether(engine):
    """So a single token in its lead comes back under the one and not under the other."""
    lead = ((A, 100.0), (B, 90.0))
    often, _ = await answered(engine, logit_bias=lead, frequency_penalty=2.0, max_tokens=30)
    once, _ = await answered(engine, logit_bias=lead, presence_penalty=2.0, max_tokens=30)
    assert "B" in often
    assert once == "A" * 30


@pytest.mark.parametrize("narrow", [{"top_k": 1}, {"top_p": 0.0}, {"min_p": 1.0}])
async def test_the_narrowest_choice_is_the_likeliest_token(engine, narrow):
    """However hot; and without it heat shows."""
    likeliest, _ = await answered(engine)
    assert (await answered(engine, temperature=2.0, seed=1, **narrow))[0] == likeliest
    wide = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
    assert (await answered(engine, temperature=2.0, seed=1, **wide))[0] != likeliest


async def test_a_seed_gives_the_same_answer_also_among_three_others(engine):
    """Alone, again, and beside answers of other seeds and lengths; another seed gives another."""
    alone, _ = await answered(engine, temperature=1.5, seed=-7)
    others = [answered(engine, "x" * 99 * at, temperature=1.5, seed=at, max_tokens=30) for at in range(1, 4)]
    beside, *rest = await asyncio.gather(answered(engine, temperature=1.5, seed=-7), *others)
    assert beside[0] == alone == (await answered(engine, temperature=1.5, seed=-7))[0]
    assert alone not in {text for text, _ in rest}


async def test_a_stop_string_across_tokens_ends_the_answer_before_it(engine):
    """Each of its letters is a token here; the tokens that made it are counted."""
    text, last = await answered(engine, logit_bias=((A, 1000.0),), stop=("BB", "AAA"))
    assert text == ""
    assert (last.reason, last.stop_sequence, last.usage.completion_tokens) == (FinishReason.STOP_SEQUENCE, "AAA", 3)


async def test_characters_of_several_tokens_come_whole(engine, monkeypatch):
    """A byte a token here: none is told before its character is, and a half one at the end is told as such."""
    from serve.engine.local.sampler import Sampler

    drawn = iter([7 + byte for byte in ("é🦜" + " " * 64).encode() + b"\xf0\x9f"])
    monkeypatch.setattr(Sampler, "draw", lambda *_: next(drawn))
    request = GenerationRequest(
        id="r",
        model="m",
        mode=Mode.GENERAL,
        messages=(Message(role=Role.USER, content="q"),),
        sampling=Sampling(max_tokens=2 + 4 + 64 + 2),
    )
    told = [event.text async for event in engine.generate(request) if isinstance(event, Text)]
    assert told[:2] == ["é", "🦜"]
    assert "".join(told[2:]) == " " * 64 + "�"


async def test_a_bias_of_minus_a_hundred_bans_a_token(engine):
    """It is never drawn."""
    plain, _ = await answered(engine, logit_bias=BOTH)
    without, _ = await answered(engine, logit_bias=((A, -100.0), (B, 102.0)))
    assert (set(plain), set(without)) == ({"A"}, {"B"})
