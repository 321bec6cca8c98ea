"""Keys and values of other types: what they take, what they need, and that a prefix stays exact under them."""

from __future__ import annotations

import pytest

from serve.engine.local.kv import KvTypes, bytes_of, types_of
from serve.errors import EngineError
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

QUANTISED = {"key_type": "q8_0", "value_type": "q8_0", "flash_attention": True}
CHOICES = [{"key_type": "q8_0"}, {"value_type": "bf16"}, QUANTISED, {"flash_attention": True}]
SYSTEM = Message(role=Role.SYSTEM, content="Answer from what you are given. " * 10)


def test_sizes_are_those_of_whole_blocks():
    """Thirty-two values share a scale."""
    assert [bytes_of(64, name) for name in ("f32", "f16", "q8_0", "q4_0")] == [256, 128, 68, 36]
    assert bytes_of(33, "q8_0") == 68


def test_quantised_values_without_flash_attention_are_refused_by_the_names_of_the_settings():
    """Before anything is loaded; quantised keys need nothing."""
    with pytest.raises(EngineError, match=r"value_type = 'q8_0' needs flash attention.*`flash_attention = true`"):
        types_of(EngineSettings(value_type="q8_0"))
    assert types_of(EngineSettings(key_type="q4_0")).keys == "q4_0"
    assert types_of(EngineSettings(value_type="q8_0", flash_attention=True)).has_flash_attention


@pytest.mark.native
async def test_an_engine_says_so_before_it_loads(tiny_model):
    """Also one that would only load when it is asked for."""
    from serve.engine.local import LocalEngine

    engine = LocalEngine(tiny_model("attention"), "m", EngineSettings(value_type="q4_0"), is_lazy=True)
    with pytest.raises(EngineError, match="flash attention"):
        await engine.start()


@pytest.fixture
def core(tiny_model):
    """Return a function that makes a core with settings; all are closed at the end."""
    from serve.engine.local.core import Core
    from serve.prompt.toolprompt import ToolLimits

    made = []

    def make(folder=None, kind="attention", **settings):
        chosen = EngineSettings(threads=1, cache_mode="strict", **settings)
        made.append(Core(tiny_model(kind), "m", chosen, ToolLimits(), folder))
        return made[-1]

    yield make
    for one in made:
        one.close()


def asked(text):
    turns = (SYSTEM, Message(role=Role.USER, content=text))
    return GenerationRequest(id="r", model="m", mode=Mode.ASK, messages=turns, sampling=Sampling(max_tokens=2))


def logits(core, request):
    """Return the logits after a prompt, and how many of its tokens were there already."""
    from serve.engine.local.generation import prefill
    from serve.engine.local.native import llama
    from serve.engine.local.prefixes import Wanted

    prompt, found = core._parts.prompter.prompt(request), []

    def steps():
        wanted = Wanted(ends=prompt.ends, room_tokens=len(prompt.tokens) + 8)
        lane = core._prefixes.take(prompt, wanted, lambda _: None)
        cached = len(lane.tokens)
        _, place = yield from prefill(core._parts, lane, prompt, lambda _: None)
        handle, size = core._context.handle, core._model.vocabulary.size
        found.extend((list(llama.llama_get_logits_ith(handle, place)[:size]), cached))
        core._prefixes.give_back(lane)

    core.finish(steps())
    return found


@pytest.mark.native
@pytest.mark.parametrize("settings", CHOICES)
def test_a_prefix_is_exact_whatever_it_is_kept_in(core, settings, tmp_path, monkeypatch):
    """Live, carried into a larger window, and restored from the disk by another process."""
    monkeypatch.setattr("serve.engine.local.context._BUCKET", 512)
    warm = core(tmp_path, **settings)
    logits(warm, asked("first"))
    warm.flush()
    small = warm._context.size_tokens
    grown, kept = logits(warm, asked("long " * 100))
    assert warm._context.size_tokens > small
    warm._snapshots.close()
    again = core(tmp_path, **settings)
    restored, cached = logits(again, asked("second"))
    assert min(kept, cached) > 100
    assert again.stats.disk_hits == 1
    cold = core(**settings)
    assert restored == logits(cold, asked("second"))[0]
    assert grown == logits(core(**settings), asked("long " * 100))[0]


@pytest.mark.native
def test_states_of_other_types_are_never_taken(core, tmp_path):
    """They are other states of the same tokens."""
    first = core(tmp_path)
    logits(first, asked("first"))
    first.flush()
    first._snapshots.close()
    for settings in CHOICES:
        other = core(tmp_path, **settings)
        assert logits(other, asked("first"))[1] == 0
        assert other.stats.disk_hits == 0


@pytest.mark.native
def test_quantised_context_holds_more_tokens_in_the_same_memory(core):
    """And its states are as much smaller."""
    plain, small = core(kv_mb=2), core(kv_mb=2, **QUANTISED)
    assert small.window_tokens > 1.8 * plain.window_tokens
    sizes = []
    for one in (plain, small):
        logits(one, asked("first"))
        sizes.append(len(one._context.lanes[0].save()))
    assert sizes[1] < 0.6 * sizes[0]


@pytest.mark.native
def test_a_context_that_llama_cpp_refuses_says_why(core, monkeypatch):
    """Heads that are no whole number of blocks, and else the memory."""
    made = core(max_context_tokens=256)
    for log, words in (("type q8_0 with block size 32 does not divide n_embd_head_k=80", "key_type"), ("", "memory")):
        monkeypatch.setattr("serve.engine.local.context.llama.llama_init_from_model", lambda *_: None)
        monkeypatch.setattr("serve.engine.local.context.last_log", lambda log=log: log)
        with pytest.raises(EngineError, match=words):
            made._context._create(256)


@pytest.mark.native
def test_layers_for_a_gpu_that_is_not_there_are_told(core):
    """The description says where it runs."""
    from serve.engine.local.native import has_gpu

    if has_gpu():
        pytest.skip("this build can use a GPU")
    assert "built without a GPU" in core(gpu_layers=-1).describe()
    assert "GPU" not in core().describe()


def test_types_are_plain_unless_asked_for():
    """Sixteen bits, without flash attention."""
    assert types_of(EngineSettings()) == KvTypes()
