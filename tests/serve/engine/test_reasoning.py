"""Thinking by the engine's own count: blocks opened by the template or the model, their budgets, and what follows."""

from __future__ import annotations

import json

import msgspec
import pytest

from serve.events import CallMade, Finished, FinishReason, Reasoning, Text
from serve.prompt.conversation import Conversation
from serve.prompt.template import CHATML, ChatTemplate
from serve.settings import EngineSettings
from serve.turns import (
    AnswerFormat,
    GenerationRequest,
    Message,
    Mode,
    ReasoningEffort,
    Role,
    Sampling,
    ToolChoice,
    ToolSpec,
)

pytestmark = pytest.mark.native
OPENING = CHATML.replace("assistant\\n' }}{% endif %}", "assistant\\n<think>\\n' }}{% endif %}")
"""A template that opens the block itself, whatever it is asked."""
LETTER_A = ((72, 100.0),)
"""The byte A, and nothing else, whatever the weights say."""
PERSON = b'{"type":"object","properties":{"n":{"type":"integer","minimum":0,"maximum":9}},"required":["n"]}'


@pytest.fixture
def core(tiny_model):
    """Return a function that makes a core over a tiny model with a template."""
    from serve.engine.local.core import Core
    from serve.prompt.toolprompt import ToolLimits

    made = []

    def make(template=OPENING):
        one = Core(tiny_model("attention"), "m", EngineSettings(threads=1), ToolLimits())
        one._parts.prompter.conversation = Conversation(ChatTemplate(template))
        made.append(one)
        return one

    yield make
    for one in made:
        one.close()


def asked(*, max_tokens=200, bias=LETTER_A, **fields):
    turns = (Message(role=Role.USER, content="q"),)
    sampling = Sampling(max_tokens=max_tokens, temperature=0.0, logit_bias=bias)
    return GenerationRequest(id="r", model="m", mode=Mode.GENERAL, messages=turns, sampling=sampling, **fields)


def answered(core, request, script=()):
    """Return thought, text and the end of an answer whose first tokens are those of a script."""
    from serve.engine.local.sampler import Sampler

    events, drawn, draw = [], iter(script), Sampler.draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sampler, "draw", lambda *arguments: next(drawn, None) or draw(*arguments))
        core.generate(request, events.extend)
    thought = "".join(event.text for event in events if isinstance(event, Reasoning))
    text = "".join(event.text for event in events if isinstance(event, Text))
    return thought, text, events


def tokens(core, text):
    return core._model.vocabulary.tokenize(text, control=True)


def test_a_block_that_the_template_opened_is_thought_without_a_budget(core):
    """It takes all there is, and the counts say so."""
    thought, text, events = answered(core(), asked(max_tokens=50))
    assert (thought, text) == ("A" * 50, "")
    assert events[-1].reason is FinishReason.LENGTH
    assert (events[-1].usage.completion_tokens, events[-1].usage.reasoning_tokens) == (50, 50)


def test_a_spent_budget_closes_the_block_and_the_answer_begins(core):
    """The words that close it count as thought, the answer does not."""
    made = core()
    thought, text, events = answered(made, asked(max_tokens=100, reasoning_budget=20))
    usage = events[-1].usage
    assert thought.startswith("A" * 20 + "\n\n")
    assert "A" * 21 not in thought
    assert text == "A" * (100 - usage.reasoning_tokens)
    closing = usage.reasoning_tokens - 20
    assert 0 < closing <= 60
    assert usage.completion_tokens == 100


def test_a_budget_of_nothing_and_thinking_turned_off_begin_with_the_answer(core):
    """Also with a template that cannot turn it off."""
    made = core()
    for request in (asked(max_tokens=40, reasoning_budget=0), asked(max_tokens=40, reasoning=ReasoningEffort.NONE)):
        thought, text, events = answered(made, request)
        assert thought.strip() == ""
        assert text == "A" * (40 - events[-1].usage.reasoning_tokens)


def test_a_block_that_the_model_opens_is_bounded_too(core):
    """Its tag counts as thought."""
    made = core(CHATML)
    opening = tokens(made, "<think>")
    thought, text, events = answered(made, asked(max_tokens=120, reasoning_budget=len(opening) + 5), opening)
    assert thought.startswith("AAAAA\n\n")
    assert set(text) == {"A"}
    assert events[-1].usage.reasoning_tokens > len(opening) + 5


def test_an_answer_without_thought_is_not_touched_by_a_budget(core):
    """Nothing is counted, nothing is added."""
    thought, text, events = answered(core(CHATML), asked(max_tokens=30, reasoning_budget=5))
    assert (thought, text, events[-1].usage.reasoning_tokens) == ("", "A" * 30, 0)


def test_a_budget_never_cuts_a_character(core):
    """It waits for its last byte."""
    made = core()
    bird = tokens(made, "🦜🦜")
    assert len(bird) == 8
    thought, _, _ = answered(made, asked(max_tokens=120, reasoning_budget=5), bird)
    assert thought.startswith("🦜🦜\n\n")
    assert "�" not in thought


def test_a_block_is_closed_without_a_word_where_the_answer_would_have_no_room(core):
    """The sentence that ends a thought is longer than its tag."""
    thought, text, events = answered(core(), asked(max_tokens=30, reasoning_budget=9))
    assert thought == "A" * 9 + "\n"
    assert text == "A" * (30 - events[-1].usage.reasoning_tokens)


def test_a_budget_beyond_the_answer_changes_nothing(core):
    """The length ends it, still in the block."""
    thought, text, events = answered(core(), asked(max_tokens=30, reasoning_budget=29))
    assert (thought, text) == ("A" * 30, "")
    assert events[-1].reason is FinishReason.LENGTH


def test_the_format_binds_what_follows_a_closed_block(core):
    """A document, whatever the thought was cut at."""
    wanted = AnswerFormat(kind="json_schema", schema=msgspec.Raw(PERSON))
    request = asked(max_tokens=400, bias=(), reasoning=ReasoningEffort.LOW, reasoning_budget=30, format=wanted)
    _, text, events = answered(core(), request)
    assert json.loads(text)["n"] <= 9
    assert events[-1].usage.reasoning_tokens >= 30


def test_a_demanded_call_follows_a_closed_block(core):
    """The head is said after the thought."""
    tools = (ToolSpec(name="read", parameters=msgspec.Raw(PERSON)),)
    request = asked(
        max_tokens=400,
        bias=(),
        reasoning_budget=30,
        tools=tools,
        tool_choice=ToolChoice(kind="required"),
        allow_parallel_calls=False,
    )
    _, _, events = answered(core(), request)
    assert [event.call.name for event in events if isinstance(event, CallMade)] == ["read"]
    assert isinstance(events[-1], Finished)


def test_old_thoughts_are_no_part_of_the_next_prompt(core):
    """A client that sends back what it was shown gets the same prompt as one that does not."""
    made = core(CHATML)

    def prompt(said):
        turns = [("user", "q"), ("assistant", said), ("user", "and?")]
        messages = tuple(Message(role=Role(role), content=content) for role, content in turns)
        return made._parts.prompter.prompt(msgspec.structs.replace(asked(), messages=messages)).tokens

    assert prompt("<think>\nwhy\n</think>\n\nSo.") == prompt("So.")
    assert prompt("\n<think>why") == prompt("")
    assert prompt("A <think> in prose.</think>") != prompt("A  in prose.")
