"""A held answer leaves its loops and ends in time; one that goes well is not touched."""

import json

import msgspec
import pytest

from serve.events import CallMade, Finished, FinishReason, Text
from serve.prompt.schema import compile_schema
from serve.settings import EngineSettings
from serve.turns import AnswerFormat, GenerationRequest, Message, Mode, Role, Sampling, ToolChoice, ToolSpec

pytestmark = pytest.mark.native
RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["name", "tags"],
}


@pytest.fixture(scope="module")
def core(tiny_model):
    """Return a core over a tiny model of attention: every byte is a token."""
    from serve.engine.local.core import Core
    from serve.prompt.toolprompt import ToolLimits

    made = Core(tiny_model("attention"), "m", EngineSettings(threads=1, cache_mode="strict"), ToolLimits(), None)
    yield made
    made.close()


def ask(schema=None, *, max_tokens=200, tools=(), choice=None, **sampling):
    held = AnswerFormat(kind="json_schema", schema=msgspec.Raw(json.dumps(schema).encode())) if schema else None
    return GenerationRequest(
        id="r",
        model="m",
        mode=Mode.GENERAL,
        messages=(Message(role=Role.USER, content="q"),),
        sampling=Sampling(max_tokens=max_tokens, seed=1, **sampling),
        format=held,
        tools=tools,
        tool_choice=choice or ToolChoice(),
        allow_parallel_calls=False,
    )


def answer(core, request):
    """Return the text, the end and the calls of an answer, and what was noted."""
    events, notes = [], []
    core.finish(core.answering(request, events.extend, notes.append))
    text = "".join(event.text for event in events if isinstance(event, Text))
    (end,) = [event for event in events if isinstance(event, Finished)]
    return text, end, [event.call for event in events if isinstance(event, CallMade)], notes


def likes(core, text):
    """Return a bias towards the bytes of a text, the first the most."""
    return tuple((core._model.vocabulary.spell(one)[0], 60.0 - 10 * at) for at, one in enumerate(text))


def ending(core, schema, ways_out=()):
    from serve.engine.local.ending import Ending

    return Ending(core._model.vocabulary, compile_schema(json.dumps(schema).encode(), "s"), ways_out)


def write(core, made, text):
    for token in core._model.vocabulary.spell(text):
        made.follow(token)


def drawn(core, character):
    return core._model.vocabulary.spell(character)[0]


def test_text_that_repeats_is_closed_and_the_answer_ends_by_itself(core):
    """A model in love with one letter writes a whole document, and says stop."""
    text, end, _, notes = answer(core, ask(RECORD, max_tokens=900, logit_bias=likes(core, 'x"')))
    assert json.loads(text)["name"].startswith("x" * 190)
    assert end.reason is FinishReason.STOP
    assert end.usage.completion_tokens < 890
    assert any("repeat" in note for note in notes)


def test_list_whose_items_repeat_is_closed(core):
    """Late, since short items may be meant."""
    made = ending(core, RECORD)
    write(core, made, '{"name":"","tags":["no"')
    write(core, made, ',"no"' * 40)
    assert made.way_out(drawn(core, ",")) is None
    write(core, made, ',"no"' * 20)
    assert made.way_out(drawn(core, ",")) == drawn(core, "]")


def test_items_that_differ_are_left_alone(core):
    """However many there are."""
    made = ending(core, RECORD)
    write(core, made, '{"name":"","tags":["no"' + "".join(f',"n{number}"' for number in range(300)))
    assert made.way_out(drawn(core, ",")) is None


def test_object_that_repeats_a_name_is_closed(core):
    """Where a schema says nothing of its names."""
    made = ending(core, {"type": "object"})
    write(core, made, '{"a":1,"b":2,"a":1')
    assert made.way_out(drawn(core, ",")) is None
    write(core, made, ',"a":3')
    assert made.way_out(drawn(core, ",")) == drawn(core, "}")


def test_items_that_a_schema_demands_are_written(core):
    """A loop is left only where the grammar lets it be left."""
    made = ending(core, {"type": "array", "items": {"type": "integer"}, "minItems": 700})
    write(core, made, "[0" + ",0" * 698)
    assert made.way_out(drawn(core, ",")) is None
    write(core, made, ",0" * 520)
    assert made.way_out(drawn(core, ",")) == drawn(core, "]")


def test_text_of_a_call_in_xml_is_closed_by_its_tag(core):
    """No single character does that."""
    from serve.engine.local.ending import Ending
    from serve.prompt.callgrammar import XML_CLOSERS, arguments_grammar
    from serve.prompt.dialects import Dialect

    tool = ToolSpec(name="t", parameters=msgspec.Raw(b'{"properties":{"a":{"type":"string"}},"required":["a"]}'))
    text = arguments_grammar(Dialect.QWEN_XML, tool, lambda _: None)
    made = Ending(core._model.vocabulary, text, XML_CLOSERS)
    write(core, made, "<parameter=a>\n" + "ab" * 200)
    written = b""
    for _ in range(len("</parameter>")):
        token = made.way_out(drawn(core, "a"))
        written += core._model.vocabulary.piece(token)
        made.follow(token)
    assert written == b"</parameter>"
    assert made.way_out(drawn(core, "<")) is None


@pytest.mark.parametrize("max_tokens", [30, 31, 40, 77, 90])
def test_answer_lands_as_a_whole_document_and_says_that_it_was_cut(core, max_tokens):
    """What is required is there, and `length` tells that there would have been more."""
    text, end, _, _ = answer(core, ask(RECORD, max_tokens=max_tokens, logit_bias=likes(core, 'xyz"')))
    assert set(json.loads(text)) == {"name", "tags"}
    assert end.reason is FinishReason.LENGTH
    assert end.usage.completion_tokens <= max_tokens


def test_document_that_no_room_could_hold_is_cut_as_it_stands(core):
    """There is nothing to land on."""
    text, end, _, _ = answer(core, ask(RECORD, max_tokens=12, logit_bias=likes(core, 'x"')))
    assert text.strip().startswith('{"name":"x')
    assert end.reason is FinishReason.LENGTH


def test_whole_document_at_the_last_token_is_no_cut(core):
    """Nothing was left out and nothing could follow."""
    text, end, _, _ = answer(core, ask({"const": "abc"}, max_tokens=5))
    assert (text, end.reason) == ('"abc"', FinishReason.STOP)


@pytest.mark.parametrize("seed", range(6))
def test_answer_that_ends_in_time_is_the_same_bit_for_bit(core, seed, monkeypatch):
    """Without loops and with room nothing of this can be seen."""
    schema = {"type": "array", "items": {"enum": ["a", "b", 3]}, "maxItems": 8}
    request = msgspec.structs.replace(ask(schema), sampling=Sampling(max_tokens=200, seed=seed, temperature=2.0))
    text, end, _, _ = answer(core, request)
    monkeypatch.setattr("serve.engine.local.guide.Guide._see_end", lambda *_: None)
    free_text, free_end, _, _ = answer(core, request)
    assert (text, end.reason) == (free_text, free_end.reason)
    assert end.usage.completion_tokens == free_end.usage.completion_tokens
    assert end.reason is FinishReason.STOP


def test_arguments_of_a_demanded_call_land_too(core):
    """The call is made, with every required argument, and the end says that it was cut."""
    tool = ToolSpec(name="t", parameters=msgspec.Raw(json.dumps(RECORD).encode()))
    request = ask(
        tools=(tool,),
        choice=ToolChoice(kind="named", names=("t",)),
        max_tokens=150,
        logit_bias=likes(core, 'xyz"'),
    )
    _, end, calls, _ = answer(core, request)
    assert [set(json.loads(call.arguments)) for call in calls] == [{"name", "tags"}]
    assert end.reason is FinishReason.LENGTH


@pytest.mark.parametrize(("max_tokens", "end"), [(110, FinishReason.LENGTH), (900, FinishReason.TOOL_CALLS)])
def test_call_that_a_model_opens_by_itself_ends_too(core, monkeypatch, max_tokens, end):
    """Under `auto`, once it is open: cut where there is no room, out of its loop where there is."""
    from serve.engine.local.sampler import Sampler

    opening = iter(core._model.vocabulary.tokenize('<tool_call>{"name":"t","arguments":', control=True))
    draw = Sampler.draw
    monkeypatch.setattr(Sampler, "draw", lambda *given: next(opening, None) or draw(*given))
    tool = ToolSpec(name="t", parameters=msgspec.Raw(json.dumps(RECORD).encode()))
    request = ask(tools=(tool,), max_tokens=max_tokens, logit_bias=likes(core, 'x"'))
    _, finished, calls, _ = answer(core, request)
    assert [set(json.loads(call.arguments)) for call in calls] == [{"name", "tags"}]
    assert finished.reason is end


def test_character_that_is_not_whole_yet_is_waited_for(core):
    """Bytes of UTF-8 come one by one from a vocabulary of bytes."""
    made = ending(core, RECORD)
    write(core, made, '{"name":"')
    first, second = core._model.vocabulary.spell("é")
    made.follow(first)
    assert made.first_home() is None
    made.follow(second)
    assert made.first_home() == drawn(core, '"')


def test_long_way_to_the_end_is_spelled_now_and_then_only(core, monkeypatch):
    """A document that must be large does not cost its spelling at every token."""
    made = ending(core, {"type": "array", "items": {"type": "integer"}, "minItems": 900})
    spelled = []
    spell = core._model.vocabulary.spell
    monkeypatch.setattr(core._model.vocabulary, "spell", lambda text: spelled.append(text) or spell(text))
    digit, comma = spell("0,")
    made.follow(spell("[")[0])
    for _ in range(200):
        for token in (digit, comma):
            assert made.fits(token, 1_000)
            made.follow(token)
    assert len(spelled) < 5


def test_grammar_that_no_text_fits_is_an_error(core):
    """It has no end to look after."""
    from serve.engine.local.ending import Ending

    with pytest.raises(ValueError, match="nothing fits"):
        Ending(core._model.vocabulary, 'root ::= "a" root\n')


class Words:
    """A vocabulary whose tokens are words: the first that fits is the spelling."""

    def __init__(self, *pieces):
        self.pieces = [*pieces, *map(chr, range(32, 127))]

    def piece(self, token):
        return self.pieces[token].encode()

    def is_end(self, _):
        return False

    def spell(self, text):
        tokens = []
        while text:
            tokens.append(next(at for at, piece in enumerate(self.pieces) if text.startswith(piece)))
            text = text[len(self.pieces[tokens[-1]]) :]
        return tokens


def test_loop_whose_tokens_reach_over_its_end_is_left_inside_one():
    """`","` never stops where a list may be closed, so its first character is written and the bracket behind it."""
    from serve.engine.local.ending import Ending

    words = Words('","', '["', "neg", '"]')
    made = Ending(words, compile_schema(b'{"type":"array","items":{"type":"string"}}', "s"))
    for token in words.spell('["neg' + '","neg' * 140):
        made.follow(token)
    closing = made.way_out(words.spell('","')[0])
    assert words.piece(closing) == b'"]'
    made.follow(closing)
    assert made.is_whole
