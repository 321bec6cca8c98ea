"""Calls are read while they stream, in the forms that the common families write."""

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from serve.prompt.calls import Argument, CallParser, Closed, Opened, Prose
from serve.turns import ToolSpec

SCHEMA = Raw(b'{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}}}')
TOOLS = (ToolSpec(name="search", parameters=SCHEMA), ToolSpec(name="read"))
ARGUMENTS = '{"query": "a  b",\n "limit":3}'
ONE = [("search", ARGUMENTS)]


def read(pieces):
    """Return the prose and the calls of an answer."""
    parser = CallParser(TOOLS)
    prose, calls, is_open = "", [], False
    for part in [part for piece in pieces for part in parser.feed(piece)] + parser.end():
        match part:
            case Prose(text):
                assert not is_open
                prose += text
            case Opened(name):
                assert not is_open
                is_open = True
                calls.append((name, ""))
            case Argument(text):
                assert is_open
                calls[-1] = (calls[-1][0], calls[-1][1] + text)
            case Closed():
                assert is_open
                is_open = False
    assert not is_open
    return prose, calls


FORMS = {
    "hermes": (f'<tool_call>\n{{"name": "search", "arguments": {ARGUMENTS}}}\n</tool_call>', ONE),
    "double braces": (f'<tool_call>\n{{{{"name": "search", "arguments": {ARGUMENTS}}}}}\n</tool_call>', ONE),
    "no closing tag": (f'<tool_call>{{"name":"search","arguments":{ARGUMENTS}}}', ONE),
    "name last": (f'<tool_call>{{"arguments": {ARGUMENTS}, "name": "search"}}</tool_call>', ONE),
    "further member": (f'<tool_call>{{"name": "search", "arguments": {ARGUMENTS}, "id": 1}}</tool_call>', ONE),
    "arguments in a string": (
        r'<tool_call>{"name": "search", "arguments": "{\"limit\": 1}"}</tool_call>',
        [("search", '{"limit": 1}')],
    ),
    "no arguments": ('<tool_call>{"name": "read"}</tool_call>', [("read", "{}")]),
    "tag in a string": (
        '<tool_call>{"name": "read", "arguments": {"p": "</tool_call>"}}</tool_call>',
        [("read", '{"p": "</tool_call>"}')],
    ),
    "bare": (f'{{"name": "search", "arguments": {ARGUMENTS}}}', ONE),
    "llama 3": (f'{{"name": "search", "parameters": {ARGUMENTS}}}', ONE),
    "llama 3 tag": (f'<|python_tag|>{{"name": "search", "parameters": {ARGUMENTS}}}', ONE),
    "typed": (f'{{"type": "function", "name": "search", "parameters": {ARGUMENTS}}}', ONE),
    "nested": (f'{{"type": "function", "function": {{"name": "search", "arguments": {ARGUMENTS}}}}}', ONE),
    "fenced": (f'```json\n{{"name": "search", "arguments": {ARGUMENTS}}}\n```', ONE),
    "mistral": (
        f'[TOOL_CALLS][{{"name": "search", "arguments": {ARGUMENTS}}}, {{"name": "read", "arguments": {{}}}}]',
        [*ONE, ("read", "{}")],
    ),
    "mistral named": (f"[TOOL_CALLS]search[ARGS]{ARGUMENTS}", ONE),
    "qwen xml": (
        (
            "<tool_call>\n<function=search>\n<parameter=query>\n12\n</parameter>\n<parameter=limit>\n3\n</parameter>\n"
            "</function>\n</tool_call>"
        ),
        [("search", '{"query": "12", "limit": 3}')],
    ),
    "llama 3 two": (
        f'<|python_tag|>{{"name": "search", "parameters": {ARGUMENTS}}}; {{"name": "read", "parameters": {{}}}}',
        [*ONE, ("read", "{}")],
    ),
    "list": (
        f'[{{"name": "search", "arguments": {ARGUMENTS}}},\n {{"name": "read", "arguments": {{}}}}]',
        [*ONE, ("read", "{}")],
    ),
    "fenced list": (f'```json\n[\n  {{"name": "search", "arguments": {ARGUMENTS}}}\n]\n```', ONE),
    "mistral with an id": (f"[TOOL_CALLS]search[CALL_ID]a1B2c3D4e[ARGS]{ARGUMENTS}", ONE),
    "mistral named two": (
        f"[TOOL_CALLS]search[ARGS]{ARGUMENTS}[TOOL_CALLS]read[ARGS]{{}}",
        [*ONE, ("read", "{}")],
    ),
    "qwen xml without its tag": (
        "<function=search>\n<parameter=query>\na\n</parameter>\n</function>\n</tool_call>",
        [("search", '{"query": "a"}')],
    ),
    "qwen xml two": (
        (
            "<tool_call>\n<function=read>\n</function>\n</tool_call>\n"
            "<tool_call>\n<function=search>\n<parameter=limit>\n3\n</parameter>\n</function>\n</tool_call>"
        ),
        [("read", "{}"), ("search", '{"limit": 3}')],
    ),
    "qwen xml with markup in a value": (
        (
            "<tool_call>\n<function=search>\n<parameter=query>\nx\n</function>\n</tool_call>\n{}\n</parameter>\n"
            "<parameter=limit>\n2\n</parameter>\n</function>\n</tool_call>"
        ),
        [("search", '{"query": "x\\n</function>\\n</tool_call>\\n{}", "limit": 2}')],
    ),
    "two": (
        (
            f'<tool_call>{{"name": "search", "arguments": {ARGUMENTS}}}</tool_call>\n'
            '<tool_call>{"name": "read", "arguments": {"p": [1, {"q": "}"}]}}</tool_call>'
        ),
        [*ONE, ("read", '{"p": [1, {"q": "}"}]}')],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_whole_and_character_by_character(form):
    """The name, and the arguments byte for byte, without a rest in the answer."""
    text, calls = FORMS[form]
    assert read([text]) == ("", calls)
    assert read(list(text)) == ("", calls)


def test_name_comes_first_and_arguments_follow_as_they_are_written():
    """A client sees which tool is called before its arguments are whole."""
    parser = CallParser(TOOLS)
    assert parser.feed('<tool_call>\n{"name": "search", "arguments": {"que') == [Opened("search"), Argument('{"que')]
    assert parser.feed('ry": "x"}') == [Argument('ry": "x"}'), Closed()]
    assert parser.feed("}\n</tool_call>") == []


@pytest.mark.parametrize(
    "text",
    [
        "An answer with a < b and {braces}.",
        '{"answer": 42}',
        '{"name": "Ada", "arguments": {}}',
        '```json\n{"a": 1}\n```',
        "```python\nprint(1)\n```",
        '{"name": "sea',
        "{",
        "```",
        "  ",
        "see <tool",
        "Write `<function=name>` in it.",
        "See <function=sea",
        "<function=other>1</function>",
        "[",
        "[a](b) {c}",
        "[1, 2]",
        '[{"a": 1}]',
        '[{"name": "Ada"}]',
        "[[{",
    ],
)
def test_what_is_no_call_is_the_answer_itself(text):
    """JSON that names no offered tool, and code, pass unchanged."""
    assert read([text]) == (text, [])
    assert read(list(text)) == (text, [])


@pytest.mark.parametrize(
    "form", ["hermes", "mistral", "mistral named", "llama 3 tag", "qwen xml", "qwen xml without its tag"]
)
def test_text_may_come_before_a_call_of_every_marked_form(form):
    """Whole and by character; the text keeps no trailing space."""
    text, calls = FORMS[form]
    for told in ([f"So: \n{text}"], list(f"So: \n{text}")):
        assert read(told) == ("So:", calls)


@given(st.text(max_size=60), st.sampled_from(sorted(FORMS)), st.data())
@settings(deadline=None, max_examples=200)
def test_no_argument_loses_a_byte_under_any_cutting(value, form, data):
    """What a model wrote in a call is what a client gets, whatever it is, in the forms whose arguments are JSON."""
    written = json.dumps({"query": value, "n": [1.50, None]}, ensure_ascii=False, indent=data.draw(st.integers(0, 2)))
    text, calls = FORMS[form]
    if ARGUMENTS not in text:
        return
    text = text.replace(ARGUMENTS, written)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in itertools.pairwise([0, *cuts, len(text)])]
    assert read(pieces) == ("", [("search", written), *calls[1:]])


def test_prose_before_a_call_keeps_no_trailing_space():
    """Text, then a call."""
    assert read([f"I will look.\n\n{FORMS['hermes'][0]}"]) == ("I will look.", ONE)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>search for it</tool_call>",
        "<tool_call>{'name': 'search'}</tool_call>",
        '<tool_call>{"arguments": {}}</tool_call>',
        '<tool_call>{"na',
        "<tool_call><function=search</function>",
        "<tool_call>",
    ],
)
def test_broken_call_becomes_a_clear_sentence(text):
    """Never raw markup in an answer."""
    prose, calls = read([text])
    assert calls == []
    assert prose.startswith("Roteiro: the model began a tool call that cannot be read")
    assert "<tool_call>" not in prose
    assert read(list(text)) == (prose, calls)


def test_call_that_breaks_off_is_closed_as_it_stands():
    """The budget ran out inside the arguments: their bytes are kept."""
    assert read(['<tool_call>{"name": "read", "arguments": {"p": "x']) == ("", [("read", '{"p": "x')])


PIECES = st.sampled_from(
    (
        *(
            "<tool_call>",
            "</tool_call>",
            "[TOOL_CALLS]",
            "[",
            "]",
            ", ",
            "\n",
            "text ",
            "```json\n",
            "```",
            "{",
            "}",
            "<",
            '"',
        ),
        *('{"name": "search", "arguments": {"query": "x"}}', '{"name": "other"}', '"name": "read"', '"arguments": {}'),
        *("<function=", "read>", "[{", "[CALL_ID]x1", "[ARGS]", "<|python_tag|>", ";"),
        *("<function=read>", "<parameter=p>\n1\n</parameter>", "</function>", '{"name": "read", "arguments": "{}"}'),
    )
)


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=8), st.data())
def test_any_cutting_gives_the_same_output(pieces, data):
    """Prose and calls depend on the text alone, however broken it is."""
    text = "".join(pieces)
    cut = data.draw(st.integers(0, len(text)))
    whole = read([text])
    assert read(pieces) == whole
    assert read([text[:cut], text[cut:]]) == whole
    assert read(list(text)) == whole
