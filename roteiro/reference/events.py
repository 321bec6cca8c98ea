"""The page of server-sent events: what each stream says, written by the encoders themselves from one sample answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import get_args

import msgspec

from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Event,
    Finished,
    FinishReason,
    Reasoning,
    Started,
    Text,
    Usage,
)
from serve.turns import GenerationRequest, Mode, ToolCall
from serve.wire.answer import Encoder, Occasion
from serve.wire.chat_answer import ChatAnswer
from serve.wire.responses import Echo
from serve.wire.responses_answer import ResponsesAnswer

__all__ = ["events_page"]

_INTRO = """# Server-sent events

Every stream is one answer, ends by itself, and says when it failed. Between events `: ping` comments keep the
connection alive while a model reads; Responses repeats `response.in_progress` instead: its clients count events.
The samples below are one answer (a thought, a text, a call) with `reasoning = "expose"`.
"""

_CHAT_TEXT = """## Chat Completions

Chunks without names, then `data: [DONE]`. A failure after the first byte is a chunk with `error`, then `[DONE]`. With
`stream_options: {"include_usage": true}` one chunk without choices carries the usage. Fields of `delta`, in order:
"""

_RESPONSES_TEXT = """## Responses

Named events, then `data: [DONE]`. `sequence_number` counts them from 0. A cut answer ends in `response.incomplete`, a
failed one in `response.failed`. An answer from the graph has `response.output_text.annotation.added` for each citation.
"""

_ASK_TEXT = """## The page's own stream: POST /api/ask

Body: `{"question": "...", "messages": [earlier turns], "model": "may be left out"}`. Each event is one JSON object with
its kind in `type`; this is what `roteiro ask` reads. Readers skip a type that they do not know.
"""

_SAMPLE: tuple[Event, ...] = (
    Started("model", Mode.GENERAL),
    Reasoning("Which file?"),
    Text("I will look."),
    CallOpened(0, "call_1", "read"),
    CallArguments(0, '{"path":"a.py"}'),
    CallMade(0, ToolCall(id="call_1", name="read", arguments='{"path":"a.py"}')),
    Finished(reason=FinishReason.TOOL_CALLS, usage=Usage(prompt_tokens=9, completion_tokens=5)),
)


def events_page() -> str:
    """Return a section for each stream."""
    parts = [_INTRO, _CHAT_TEXT, _chat(), _RESPONSES_TEXT, _responses(), _ASK_TEXT, _ask()]
    return "\n".join(parts)


def _occasion() -> Occasion:
    request = GenerationRequest(id="ID", model="model", mode=Mode.GENERAL, messages=())
    return Occasion(generation=request, created_at=0, base_url="", exposes_reasoning=True, version="")


def _written(encoder: Encoder) -> list[tuple[str, dict[str, object]]]:
    """Return (name, data) of every event that an encoder writes for the sample."""
    stream = encoder.begin() + b"".join(encoder.encode(event) for event in _SAMPLE)
    found = re.findall(r"(?:event: (.*)\n)?data: (\{.*\})\n", stream.decode())
    return [(name, msgspec.json.decode(data, type=dict[str, object])) for name, data in found]


def _chat() -> str:
    rows: list[str] = []
    for _, chunk in _written(ChatAnswer(_occasion(), include_usage=True)):
        choices = msgspec.convert(chunk["choices"], list[dict[str, object]])
        shown = {"delta": choices[0]["delta"], "finish_reason": choices[0]["finish_reason"]} if choices else chunk
        rows.append(json.dumps(shown if choices else {"choices": [], "usage": chunk["usage"]}))
    return _block(rows)


def _responses() -> str:
    echo = Echo(
        instructions=None, metadata={}, tools=[], tool_choice="auto", effort=None, user=None, prompt_cache_key=None
    )
    rows = [
        f"{name:<42} {', '.join(field for field in data if field not in {'type', 'sequence_number'})}"
        for name, data in _written(ResponsesAnswer(_occasion(), echo))
    ]
    return _block(rows)


def _ask() -> str:
    rows = ["| type | fields | meaning |", "|---|---|---|"]
    for struct in get_args(Event):
        fields = ", ".join(f"`{field.encode_name}`" for field in msgspec.structs.fields(struct))
        rows.append(f"| `{struct.__struct_config__.tag}` | {fields} | {' '.join((struct.__doc__ or '').split())} |")
    return "\n".join([*rows, ""])


def _block(lines: Sequence[str]) -> str:
    return "\n".join(["```", *lines, "```", ""])
