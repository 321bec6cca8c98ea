"""The table of parameters, the SDK's own list, and the decoders agree."""

from __future__ import annotations

import json

import pytest
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

from serve.errors import BadRequestError
from serve.wire.chat import decode_chat
from serve.wire.parameters import CHAT, RESPONSES, Parameter, Verdict
from serve.wire.responses import decode_responses
from tests.requirements import requirement

_EXTENSIONS = {
    "top_k",
    "min_p",
    "repetition_penalty",
    "chat_template_kwargs",
    "reasoning_budget_tokens",
    "client_metadata",
}
_STRUCTURED = {"response_format": {"type": "json_object"}}


def _decode(table: tuple[Parameter, ...], arrival, body):
    if table is CHAT:
        given = {"model": "local-model", "messages": [{"role": "user", "content": "Hi"}], **body}
        return decode_chat(json.dumps(given).encode(), arrival)
    return decode_responses(json.dumps({"model": "local-model", "input": "Hi", **body}).encode(), arrival)


@pytest.mark.parametrize(
    ("table", "base", "stream"),
    [
        (CHAT, completion_create_params.CompletionCreateParamsBase, "stream"),
        (RESPONSES, response_create_params.ResponseCreateParamsBase, "stream"),
    ],
)
def test_every_parameter_of_the_api_has_one_row(table, base, stream):
    """No parameter that the SDK knows is without a verdict, and no row is made up."""
    names = [row.name for row in table]
    assert len(names) == len(set(names))
    assert set(names) - _EXTENSIONS == {*base.__annotations__, stream}


_REFUSED = [(table, row) for table in (CHAT, RESPONSES) for row in table if row.verdict is Verdict.REFUSED]


@requirement("parameters.table-drives")
@pytest.mark.parametrize(("table", "row"), _REFUSED, ids=lambda value: getattr(value, "name", ""))
def test_a_refused_parameter_gives_its_sentence(arrival, table, row):
    """A decision is refused by name; null and the API's default are none."""
    decision = _STRUCTURED.get(row.name, "a decision")
    with pytest.raises(BadRequestError) as caught:
        _decode(table, arrival, {row.name: decision})
    assert (caught.value.message, caught.value.param) == (row.note, row.name)
    for neutral in (None, *row.neutral):
        _decode(table, arrival, {row.name: neutral})


@pytest.mark.parametrize("table", [CHAT, RESPONSES])
def test_what_is_ignored_may_have_any_value(arrival, table):
    """Dropped and accepted parameters are never read."""
    for row in table:
        if row.verdict in {Verdict.DROPPED, Verdict.ACCEPTED}:
            assert _decode(table, arrival, {row.name: [{"any": 1}]}) == _decode(table, arrival, {}) or row.name in {
                "prompt_cache_key",
                "user",
            }


def test_the_same_key_or_none_changes_nothing(arrival):
    """Two cache keys share one request: they are echoed, never rendered."""
    one = _decode(RESPONSES, arrival, {"prompt_cache_key": "a"}).generation
    assert one == _decode(RESPONSES, arrival, {"prompt_cache_key": "b"}).generation


def test_true_is_not_one_answer(arrival):
    """`n: true` is a wrong type and no default."""
    with pytest.raises(BadRequestError):
        _decode(CHAT, arrival, {"n": True})


def test_an_unrecognised_format_stays_plain_text(arrival):
    """Only the shapes that would constrain the answer are refused."""
    for value in ({"type": "text"}, {"type": "yaml"}, "yaml", 7, []):
        _decode(CHAT, arrival, {"response_format": value})


def test_notes_are_sentences():
    """They stand in errors and in the docs."""
    for row in (*CHAT, *RESPONSES):
        assert row.note.endswith(".")
