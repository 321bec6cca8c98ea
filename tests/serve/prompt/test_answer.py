"""Bytes of tokens become decided events, wherever tokens end."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from serve.events import CallArguments, CallMade, CallOpened, FinishReason, Reasoning, Text
from serve.prompt.answer import AnswerReader
from serve.turns import GenerationRequest, Mode, Sampling, ToolCall, ToolChoice, ToolSpec

TOOLS = (ToolSpec(name="read", namespace="fs"), ToolSpec(name="patch", is_free_text=True))
FIRST = [b'<tool_call>{"name": "fs.read", "arguments": {}}', b"</tool_call>"]
WHOLE = (
    '<think>wäge</think>\n\nGrüße 🦜 <tool_call>{"name": "fs.read", "arguments": {"p":  "ü"}}</tool_call>'
    '<tool_call>{"name": "patch", "arguments": {"text": "a\\nb"}}</tool_call>'
)


def request(*, stop=(), **fields):
    return GenerationRequest(id="r", model="m", mode=Mode.GENERAL, messages=(), sampling=Sampling(stop=stop), **fields)


def read(pieces, **fields):
    """Return the reader, and what its events add up to: reasoning, text, arguments, calls."""
    reader = AnswerReader(request(**fields))
    events = []
    for piece in pieces:
        if not reader.is_complete:
            events += reader.feed(piece)
    events += reader.end()
    reasoning = "".join(e.text for e in events if isinstance(e, Reasoning))
    text = "".join(e.text for e in events if isinstance(e, Text))
    arguments = {e.index: "" for e in events if isinstance(e, CallOpened)}
    for event in events:
        if isinstance(event, CallArguments):
            arguments[event.index] += event.text
    return reader, (reasoning, text, arguments, [e.call for e in events if isinstance(e, CallMade)])


def test_thinking_text_and_calls_are_told_apart():
    """Namespaces come back on the call, and free text is unwrapped."""
    _, told = read([WHOLE.encode()], tools=TOOLS)
    assert told == (
        "wäge",
        "Grüße 🦜",
        {0: '{"p":  "ü"}', 1: "a\nb"},
        [
            ToolCall(id="call_r_0", name="read", namespace="fs", arguments='{"p":  "ü"}'),
            ToolCall(id="call_r_1", name="patch", arguments="a\nb", is_free_text=True),
        ],
    )


@settings(deadline=None)
@given(st.lists(st.integers(0, len(WHOLE.encode())), max_size=12))
def test_any_cutting_of_the_bytes_gives_the_same_output(cuts):
    """Also inside a character, a tag and a number."""
    data = WHOLE.encode()
    at = [0, *sorted(cuts), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(at)]
    assert read(pieces, tools=TOOLS)[1] == read([data], tools=TOOLS)[1]


def test_long_white_space_is_kept():
    """Sixty-four spaces are code, not nothing."""
    assert read([b" " * 64, b"x"])[1][1] == " " * 64 + "x"


def test_broken_bytes_become_the_replacement_character():
    """An answer cut inside a character is still text."""
    assert read([b"a\xf0\x9f"])[1][1] == "a�"


def test_stop_string_completes_the_answer():
    """Nothing after it is told, and the reason names it."""
    reader, told = read([b"one ST", b"OP two"], stop=("STOP",))
    assert told[1] == "one "
    assert reader.is_complete
    assert (reader.reason(FinishReason.STOP), reader.stop_sequence) == (FinishReason.STOP_SEQUENCE, "STOP")


def test_stop_strings_do_not_reach_into_calls():
    """Arguments are as generated."""
    _, told = read(
        [b'<tool_call>{"name": "fs.read", "arguments": {"p": "STOP"}}</tool_call>'], stop=("STOP",), tools=TOOLS
    )
    assert told[2] == {0: '{"p": "STOP"}'}


def test_one_call_completes_the_answer_when_parallel_calls_are_off():
    """The turn ends there."""
    reader, told = read([WHOLE.encode()], tools=TOOLS, allow_parallel_calls=False)
    assert [call.name for call in told[3]] == ["read"]
    assert reader.reason(FinishReason.STOP) is FinishReason.TOOL_CALLS


def test_markup_is_prose_where_no_tools_were_offered():
    """A question about the markup is answered with the markup."""
    assert read([b'<tool_call>{"name": "x"}</tool_call>'])[1][1] == '<tool_call>{"name": "x"}</tool_call>'


def test_call_that_is_not_allowed_becomes_a_sentence_and_ends_the_answer():
    """The tools stay in the head, for the prefix; the client asked for text."""
    reader, told = read([b"So: ", *FIRST], tools=TOOLS, tool_choice=ToolChoice(kind="none"))
    assert told[1] == "So:Roteiro: the model asked for the tool fs.read, which this request does not allow."
    assert told[3] == []
    assert reader.is_complete
    assert reader.reason(FinishReason.STOP) is FinishReason.STOP


def test_call_that_is_whole_only_at_the_end_counts():
    """A call without its closing tag, of a form that is read whole."""
    reader, told = read([b'<tool_call>{"name": "fs.read"'], tools=TOOLS)
    assert told[3] == []
    reader, told = read([b'<tool_call>{"name": "fs.read"}'], tools=TOOLS)
    assert [call.name for call in told[3]] == ["read"]
    assert reader.reason(FinishReason.STOP) is FinishReason.TOOL_CALLS


def test_text_after_a_call_waits_for_a_stop_string_only_while_it_must():
    """And is not lost at the end."""
    call = b'<tool_call>{"name": "fs.read", "arguments": {}}</tool_call>'
    assert read([call, b"done S"], stop=("STOP",), tools=TOOLS)[1][1] == "done S"


def test_reason_follows_from_what_was_made():
    """Length stays length, also after a call."""
    reader, _ = read([WHOLE.encode()], tools=TOOLS)
    assert reader.reason(FinishReason.STOP) is FinishReason.TOOL_CALLS
    assert reader.reason(FinishReason.LENGTH) is FinishReason.LENGTH
