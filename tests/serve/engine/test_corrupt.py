"""A model file that is damaged anywhere in its header: a sentence or an answer, never a hang, never an orphan."""

from __future__ import annotations

import asyncio
import random

import pytest

from serve.engine.local import LocalEngine
from serve.errors import EngineError
from serve.events import Failed, Finished
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

pytestmark = pytest.mark.native
LONG_S = 120
SETTINGS_BYTES = 1_400
"""The keys that say what a model is; after them comes its vocabulary."""
WHAT_TO_DO = (
    "roteiro model pull",
    "hoose",
    "etch the file again",
    "Update it",
    "Set max_context_tokens",
    "Take another",
)
ASKED = GenerationRequest(
    id="r",
    model="m",
    mode=Mode.GENERAL,
    messages=(Message(role=Role.USER, content="hi"),),
    sampling=Sampling(max_tokens=3, seed=1),
)


def damaged(data: bytes, seed: int, end: int) -> bytes:
    dice, changed = random.Random(seed), bytearray(data)  # noqa: S311 - dice
    for _ in range(dice.choice((1, 1, 2, 4))):
        at = dice.randrange(4, end)
        changed[at] = dice.choice((0, 255, changed[at] ^ (1 << dice.randrange(8))))
    return bytes(changed)


async def outcome(path) -> str:
    """Return what came of loading a file and asking it; empty for a whole answer."""
    engine = LocalEngine(path, "m", EngineSettings(threads=1, prefix_cache_disk_mb=0))
    try:
        async with asyncio.timeout(LONG_S):
            await engine.start()
            last = [event async for event in engine.generate(ASKED)][-1]
    except EngineError as error:
        assert engine.worker_pid is None
        return error.message
    finally:
        await engine.close()
    assert isinstance(last, (Finished, Failed))
    return last.message if isinstance(last, Failed) else ""


@pytest.mark.parametrize("seed", range(16))
async def test_damaged_header_gives_a_sentence_or_an_answer(tiny_model, tmp_path, seed):
    """Whatever llama.cpp makes of it, also where it ends its process."""
    whole = tiny_model("attention").read_bytes()
    path = tmp_path / "m.gguf"
    path.write_bytes(damaged(whole, seed, SETTINGS_BYTES if seed % 2 else 9_000))
    told = await outcome(path)
    assert not told or any(word in told for word in WHAT_TO_DO)


async def test_worker_that_ends_itself_over_a_file_says_the_assertion_that_failed(tiny_model, tmp_path):
    """Not the stack of a debugger."""
    whole = bytearray(tiny_model("attention").read_bytes())
    key = whole.index(b"llama.attention.head_count") + len(b"llama.attention.head_count") + 4
    whole[key : key + 4] = (0).to_bytes(4, "little")
    path = tmp_path / "m.gguf"
    path.write_bytes(whole)
    told = await outcome(path)
    assert told
    assert "libc_start" not in told


async def test_weights_of_noise_still_answer(tiny_model, tmp_path):
    """Sums that are no numbers end in some token, not in a crash."""
    whole = bytearray(tiny_model("attention").read_bytes())
    whole[-400_000:] = b"\xff" * 400_000
    path = tmp_path / "m.gguf"
    path.write_bytes(whole)
    assert await outcome(path) == ""
