"""A window grows while others are in the middle of their answers: nobody notices, also where no memory is left."""

from __future__ import annotations

import pytest

from serve.errors import EngineError
from serve.events import Finished, FinishReason, Text
from serve.settings import EngineSettings
from serve.turns import GenerationRequest, Message, Mode, Role, Sampling

pytestmark = pytest.mark.native
KINDS = ("attention", "hybrid", "recurrent")
SHORT = [(f"question{number}", 60, number) for number in range(3)]
LONG = ("l" * 200, 400, 9)
"""A prompt of 219 tokens: its window of 256 is full while the others are still in the middle."""


def asked(text, tokens, seed):
    turns = (Message(role=Role.USER, content=text),)
    sampling = Sampling(max_tokens=tokens, temperature=1.5, seed=seed, logit_bias=((2, -100.0), (4, -100.0)))
    return GenerationRequest(id=text, model="m", mode=Mode.GENERAL, messages=turns, sampling=sampling)


@pytest.fixture
def core(tiny_model, monkeypatch):
    """Return a function that makes a core of small windows; all are closed at the end."""
    from serve.engine.local.core import Core
    from serve.prompt.toolprompt import ToolLimits

    monkeypatch.setattr("serve.engine.local.context._BUCKET", 256)
    monkeypatch.setattr("serve.engine.local.core._RESERVED_TOKENS", 16)
    made = []

    def make(kind, slots=4):
        settings = EngineSettings(threads=1, slots=slots, max_context_tokens=2_048, prefix_cache_mb=0)
        made.append(Core(tiny_model(kind), "m", settings, ToolLimits()))
        return made[-1]

    yield make
    for one in made:
        one.close()


def together(core, requests):
    """Run answers in turn, as the worker does; return the text or the error of each."""
    outs = [[] for _ in requests]
    courses = [core.answering(one, out.extend) for one, out in zip(requests, outs, strict=True)]
    works, ends = [next(course) for course in courses], [None] * len(requests)
    while any(work is not None for work in works):
        for at, course in enumerate(courses):
            if works[at] is None:
                continue
            try:
                try:
                    (place,) = core.evaluate([works[at]])
                except EngineError as error:
                    works[at] = course.throw(error)
                else:
                    works[at] = course.send(place)
            except StopIteration:
                works[at] = None
            except EngineError as error:
                works[at], ends[at] = None, error
    texts = ["".join(event.text for event in out if isinstance(event, Text)) for out in outs]
    finished = [bool(out) and isinstance(out[-1], Finished) for out in outs]
    return [(text, is_whole, end) for text, is_whole, end in zip(texts, finished, ends, strict=True)]


def alone(core, request):
    events = []
    core.generate(request, events.extend)
    return "".join(event.text for event in events if isinstance(event, Text))


@pytest.mark.parametrize("kind", KINDS)
def test_three_others_decode_while_a_window_grows_and_no_bit_differs(core, kind):
    """Each says what it says alone, and so does the one that grew, more than once."""
    made = core(kind)
    requests = [asked(*one) for one in (*SHORT, LONG)]
    found = together(made, requests)
    assert made._context.size_tokens > 512
    assert [text for text, _, _ in found] == [alone(core(kind, slots=1), request) for request in requests]
    assert all(is_whole for _, is_whole, _ in found)


def test_no_memory_for_a_larger_window_ends_the_one_that_needs_it_and_no_other(core, monkeypatch):
    """It says so; the three others say what they say alone, and the next request is answered."""
    made = core("attention")
    from serve.engine.local.context import llama

    create = llama.llama_init_from_model
    monkeypatch.setattr(
        llama, "llama_init_from_model", lambda model, params: None if params.n_ctx > 4 * 256 else create(model, params)
    )
    requests = [asked(*one) for one in (*SHORT, LONG)]
    *others, (_, is_whole, error) = together(made, requests)
    assert not is_whole
    assert "no memory for a window" in str(error)
    assert [text for text, _, _ in others] == [alone(core("attention", slots=1), one) for one in requests[:3]]
    with pytest.raises(EngineError, match="no memory for a window"):
        alone(made, asked("x" * 1_500, 5, 1))
    assert len(made._prefixes._free) == 4
    assert alone(made, requests[0]) == others[0][0]


def test_answers_that_were_lost_with_the_memory_say_so_and_are_never_made_up(core, monkeypatch):
    """Where not even the former window can be had again: an error for each, then the next request is answered."""
    made = core("attention")
    from serve.engine.local.context import llama

    create, failed = llama.llama_init_from_model, []

    def without_memory(model, params):
        if params.n_ctx > 4 * 256 or (failed and len(failed) < 2):
            failed.append(params.n_ctx)
            return None
        return create(model, params)

    monkeypatch.setattr(llama, "llama_init_from_model", without_memory)
    found = together(made, [asked(*one) for one in (*SHORT, LONG)])
    assert len(failed) == 2
    assert not any(is_whole for _, is_whole, _ in found)
    assert all(isinstance(error, EngineError) for _, _, error in found)
    monkeypatch.setattr(llama, "llama_init_from_model", create)
    events = []
    made.generate(asked(*SHORT[0]), events.extend)
    assert events[-1].reason is FinishReason.LENGTH
    assert alone(core("attention", slots=1), asked(*SHORT[0])) == "".join(
        event.text for event in events if isinstance(event, Text)
    )
