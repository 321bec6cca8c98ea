"""The format that a client wants the text of an answer in, as both OpenAI APIs say it. No I/O.

An unrecognised shape stays plain text; a known one with wrong types is an error that names the field. Whether the
schema can be held is the engine's to say.
"""

from __future__ import annotations

import msgspec

from serve.errors import BadRequestError
from serve.turns import AnswerFormat, Mode, ReasoningEffort
from serve.wire.arrival import Arrival
from serve.wire.fields import Field
from serve.wire.parameters import asks_for_structure

__all__ = ["binding_mode", "decode_format", "effort_under"]

_MOST_SCHEMA_BYTES = 64 * 1024


def decode_format(field: Field) -> AnswerFormat | None:
    """Return the format of `response_format` (Chat) or `text.format` (Responses); None for free text."""
    if not asks_for_structure(field.value):
        return None
    if field.get("type").text() == "json_object":
        return AnswerFormat(kind="json_object", path=field.path)
    nested = field.get("json_schema")
    inner = nested if nested.is_given else field  # Chat nests it, Responses does not
    schema = inner.get("schema")
    raw = msgspec.json.encode(schema.value if isinstance(schema.value, bool) else _members(schema))
    if len(raw) > _MOST_SCHEMA_BYTES:
        raise BadRequestError(
            f"{schema.path} has {len(raw)} bytes of JSON; the limit is {_MOST_SCHEMA_BYTES}.", param=schema.path
        )
    return AnswerFormat(
        kind="json_schema", schema=msgspec.Raw(raw), name=inner.get("name").text_or("answer"), path=schema.path
    )


def _members(schema: Field) -> dict[str, object]:
    if not schema.is_given:
        raise schema.wrong("an object")
    return schema.members()


def binding_mode(mode: Mode, wanted: AnswerFormat | None, path: str, *, is_said: bool) -> Mode:
    """Return the door of a request with a format: the plain model's, since Ask answers in prose with its sources.

    Raises:
        BadRequestError: Ask was asked for outright.
    """
    if wanted is None or mode is Mode.GENERAL:
        return mode
    if is_said:
        raise BadRequestError(
            f"Ask answers in prose with its sources, so {path} cannot bind it. Leave it out, or choose general mode.",
            param=path,
        )
    return Mode.GENERAL


def effort_under(
    wanted: AnswerFormat | None, effort: ReasoningEffort | None, arrival: Arrival
) -> ReasoningEffort | None:
    """Return the level of reasoning under a format: none, unless the server thinks first and answers then."""
    if wanted is None or arrival.settings.structured_thinking == "two-phase":
        return effort
    return ReasoningEffort.NONE
