"""Tools are told as signatures within a budget, and never silently cut."""

import json

import msgspec
import pytest

from serve.errors import BadRequestError
from serve.prompt.dialects import Dialect, dialect_of
from serve.prompt.signatures import signature
from serve.prompt.toolprompt import ToolDetail, ToolLimits, tool_section
from serve.turns import ToolSpec


def tool(properties=None, *, name="search", description="", required=(), **schema):
    parameters = {"type": "object", "properties": properties or {}, "required": list(required), **schema}
    return ToolSpec(name=name, description=description, parameters=msgspec.Raw(json.dumps(parameters).encode()))


def words(text):
    return len(text.split())


def section_text(section):
    return "".join(segment.text for segment in section.segments)


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string"}, "a?: str"),
        ({"type": "integer", "minimum": 1, "maximum": 25}, "a?: int 1..25"),
        ({"type": "number", "minimum": 0.5}, "a?: float 0.5.."),
        ({"type": "boolean", "default": False}, "a?: bool = false"),
        ({"enum": ["x", "y"]}, 'a?: "x" | "y"'),
        ({"type": ["string", "null"]}, "a?: str | null"),
        ({"type": "array", "items": {"type": "string"}}, "a?: list[str]"),
        ({"type": "string", "description": "Where\n to look."}, "a?: str (Where to look.)"),
        ({}, "a?: any"),
        ({"type": "string", "pattern": "^a"}, 'a?: {"type":"string","pattern":"^a"}'),
        ({"type": "array"}, 'a?: {"type":"array"}'),
        ({"type": "object", "properties": {}}, 'a?: {"type":"object","properties":{}}'),
        ({"$ref": "#/x"}, 'a?: {"$ref":"#/x"}'),
        ({"type": "array", "items": {"type": "object"}}, 'a?: {"type":"array","items":{"type":"object"}}'),
    ],
)
def test_argument_is_told_in_words_or_verbatim(schema, told):
    """What words would lose goes as the schema itself."""
    assert signature(tool({"a": schema})) == f"search({told})"


def test_required_arguments_keep_the_callers_order():
    """The order of the schema is the order of the signature."""
    made = tool({"query": {"type": "string"}, "limit": {"type": "integer"}}, required=["query"])
    assert signature(made) == "search(query: str, limit?: int)"


def test_unusual_schemas_go_verbatim():
    """An open object, alternatives at the top, free text and namespaces."""
    assert signature(tool(additionalProperties=True)).endswith('"additionalProperties":true})')
    assert signature(ToolSpec(name="patch", is_free_text=True)) == "patch(text)"
    assert signature(ToolSpec(name="read", namespace="fs")) == "fs.read()"


@pytest.mark.parametrize("raw", [b"[]", b"3", b'"x"'])
def test_schema_that_is_no_object_is_refused_by_path(raw):
    """The client can find the field."""
    with pytest.raises(BadRequestError) as caught:
        signature(ToolSpec(name="x", parameters=msgspec.Raw(raw)), 2)
    assert caught.value.param == "tools[2].parameters"


def test_section_tells_tools_and_how_to_call():
    """Signatures are content, the call format is the template's language."""
    section = tool_section([tool(description="Find  code."), ToolSpec(name="read")], Dialect.HERMES, words)
    assert section.detail is ToolDetail.FULL
    assert section_text(section) == (
        "# Tools\n\nsearch() - Find code.\nread()\n\nTo call a tool, answer with nothing but:\n"
        '<tool_call>\n{"name": "<tool>", "arguments": {"<argument>": <value>}}\n</tool_call>'
    )
    assert [segment.is_content for segment in section.segments] == [False, True, False]


def test_description_that_two_tools_share_is_said_once():
    """Repeated words cost prefill and tell nothing."""
    section = tool_section([ToolSpec(name=name, description="Same.") for name in "ab"], Dialect.HERMES, words)
    assert "a() - Same.\nb()\n" in section_text(section)


def test_ladder_shortens_the_longest_first_then_drops():
    """Descriptions give way step by step, the same way each time."""
    long = tool(name="long", description="First part. " + "more " * 50)
    short = tool(name="short", description="Short one. And more.")
    first = tool_section([long, short], Dialect.HERMES, words, ToolLimits(soft_tokens=12))
    assert first.detail is ToolDetail.FIRST_SENTENCE
    assert "long() - First part.\nshort() - Short one. And more." in section_text(first)
    bare = tool_section([long, short], Dialect.HERMES, words, ToolLimits(soft_tokens=3))
    assert bare.detail is ToolDetail.SIGNATURE
    assert "long()\nshort()" in section_text(bare)


def test_first_sentence_is_at_most_200_bytes():
    """A description without a full stop is cut between words."""
    section = tool_section([tool(description="é " * 400)], Dialect.HERMES, words, ToolLimits(soft_tokens=200))
    line = section_text(section).splitlines()[2]
    assert len(line.removeprefix("search() - ").encode()) <= 200
    assert line.endswith("é...")


def test_over_the_hard_limit_the_request_is_refused():
    """Never truncated: the message names the limit and what to do."""
    with pytest.raises(BadRequestError, match=r"take 3 tokens.*limit here is 2") as caught:
        tool_section([ToolSpec(name=n) for n in "abc"], Dialect.HERMES, words, ToolLimits(soft_tokens=1, hard_tokens=2))
    assert (caught.value.param, caught.value.code) == ("tools", "tools_too_large")


@pytest.mark.parametrize(
    ("source", "dialect"),
    [
        ("...<tool_call>...", Dialect.HERMES),
        ("<tool_call><function=x>", Dialect.QWEN_XML),
        ("[TOOL_CALLS]", Dialect.MISTRAL),
        ("<|python_tag|>", Dialect.LLAMA3),
        ("", Dialect.HERMES),
    ],
)
def test_template_tells_the_dialect(source, dialect):
    """Each family is told its own way to call."""
    assert dialect_of(source) is dialect
    assert '"<tool>"' in dialect.instruction() or "<function=" in dialect.instruction()
