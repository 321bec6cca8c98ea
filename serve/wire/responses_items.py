"""The output items of a response and the events that announce them: messages, calls, reasoning. Pure.

At most one item is open at a time, except that a call stays open until it is made. An id is the same in added, done and
the completed response.
"""

from __future__ import annotations

from typing import Literal, assert_never

import msgspec
from msgspec import Struct

from serve.events import CallArguments, CallMade, CallOpened, Reasoning, Text, TokenLogprob
from serve.wire.logprobs import told_logprobs
from serve.wire.public import Note, Sources

__all__ = ["Items"]

_Status = Literal["in_progress", "completed", "incomplete"]
_Json = dict[str, object]


class _Written(Struct):
    """An open message or reasoning item."""

    kind: Literal["message", "reasoning"]
    index: int
    id: str
    text: str = ""
    notes: list[Note] = []  # msgspec copies an empty default for each instance
    logprobs: list[_Json] = []


class _OpenCall(Struct):
    index: int
    id: str
    opened: CallOpened
    arguments: str = ""


class Items:
    """The items of one response, in the order in which they were added."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._count = 0
        self._open: _Written | None = None
        self._calls: dict[int, _OpenCall] = {}
        self._done: dict[int, _Json] = {}

    @property
    def done(self) -> list[_Json]:
        """The finished items."""
        return [self._done[index] for index in sorted(self._done)]

    def feed(self, event: Text | Reasoning | Sources | CallOpened | CallArguments | CallMade) -> list[_Json]:
        """Return the API's events for one of ours, without their sequence numbers."""
        match event:
            case Text():
                return self._write("message", event.text, event.logprobs)
            case Reasoning():
                return self._write("reasoning", event.text)
            case Sources():
                return self._write("message", event.text) + self._annotate(event.notes)
            case CallOpened():
                return self._close_written("completed") + self._open_call(event)
            case CallArguments():
                return self._fill_call(event)
            case CallMade():
                return self._make_call(event.index, event.call.arguments, "completed")
            case _:
                assert_never(event)

    def close(self, status: _Status) -> list[_Json]:
        """Return the events that end what is still open."""
        events = self._close_written(status)
        for index, call in sorted(self._calls.items()):
            events += self._make_call(index, call.arguments, "incomplete")
        return events

    def _next(self, prefix: str) -> tuple[int, str]:
        index = self._count
        self._count += 1
        return index, f"{prefix}_{self._request_id}_{index}"

    def _write(
        self, kind: Literal["message", "reasoning"], text: str, logprobs: tuple[TokenLogprob, ...] = ()
    ) -> list[_Json]:
        events: list[_Json] = []
        if self._open is None or self._open.kind != kind:
            events += self._close_written("completed")
            events += self._open_written(kind)
        if self._open is not None:
            told = told_logprobs(logprobs)
            self._open.text += text
            self._open.logprobs.extend(told)
            more: _Json = {"logprobs": told} if kind == "message" else {}
            events.append({"type": _DELTAS[kind], **_place(self._open), "delta": text, **more})
        return events

    def _open_written(self, kind: Literal["message", "reasoning"]) -> list[_Json]:
        index, item_id = self._next("msg" if kind == "message" else "rs")
        self._open = _Written(kind, index, item_id)
        item = _item(self._open, "in_progress", [])
        return [
            {"type": "response.output_item.added", "output_index": index, "item": item},
            {"type": "response.content_part.added", **_place(self._open), "part": _part(self._open)},
        ]

    def _annotate(self, notes: tuple[Note, ...]) -> list[_Json]:
        written = self._open
        if written is None:
            return []
        events: list[_Json] = []
        for note in notes:
            number = len(written.notes)
            written.notes.append(note)
            place = {**_place(written), "annotation_index": number, "annotation": _annotation(note)}
            events.append({"type": "response.output_text.annotation.added", **place})
        return events

    def _close_written(self, status: _Status) -> list[_Json]:
        written, self._open = self._open, None
        if written is None:
            return []
        part = _part(written)
        item = self._done[written.index] = _item(written, status, [part])
        more: _Json = {"logprobs": written.logprobs} if written.kind == "message" else {}
        return [
            {"type": _DONES[written.kind], **_place(written), "text": written.text, **more},
            {"type": "response.content_part.done", **_place(written), "part": part},
            {"type": "response.output_item.done", "output_index": written.index, "item": item},
        ]

    def _open_call(self, event: CallOpened) -> list[_Json]:
        index, item_id = self._next("ctc" if event.is_free_text else "fc")
        call = self._calls[event.index] = _OpenCall(index, item_id, event)
        item = _call_item(call, "in_progress")
        return [{"type": "response.output_item.added", "output_index": index, "item": item}]

    def _fill_call(self, event: CallArguments) -> list[_Json]:
        call = self._calls[event.index]
        call.arguments += event.text
        kind = "custom_tool_call_input" if call.opened.is_free_text else "function_call_arguments"
        place: _Json = {"item_id": call.id, "output_index": call.index}
        return [{"type": f"response.{kind}.delta", **place, "delta": event.text}]

    def _make_call(self, number: int, arguments: str, status: _Status) -> list[_Json]:
        call = self._calls.pop(number)
        call.arguments = arguments
        item = self._done[call.index] = _call_item(call, status)
        place: _Json = {"item_id": call.id, "output_index": call.index}
        if call.opened.is_free_text:
            done: _Json = {"type": "response.custom_tool_call_input.done", **place, "input": arguments}
        else:
            done = {"type": "response.function_call_arguments.done", **place, "arguments": arguments}
            done["name"] = call.opened.name
        return [done, {"type": "response.output_item.done", "output_index": call.index, "item": item}]


_DELTAS = {"message": "response.output_text.delta", "reasoning": "response.reasoning_text.delta"}
_DONES = {"message": "response.output_text.done", "reasoning": "response.reasoning_text.done"}


def _place(written: _Written) -> _Json:
    return {"item_id": written.id, "output_index": written.index, "content_index": 0}


def _part(written: _Written) -> _Json:
    if written.kind == "reasoning":
        return {"type": "reasoning_text", "text": written.text}
    annotations = [_annotation(note) for note in written.notes]
    return {"type": "output_text", "text": written.text, "annotations": annotations, "logprobs": written.logprobs}


def _annotation(note: Note) -> _Json:
    return {"type": "url_citation", **msgspec.to_builtins(note)}


def _item(written: _Written, status: _Status, content: list[_Json]) -> _Json:
    if written.kind == "reasoning":
        head: _Json = {"id": written.id, "type": "reasoning", "status": status, "summary": []}
        return head | {"content": content, "encrypted_content": None}
    return {"id": written.id, "type": "message", "status": status, "role": "assistant", "content": content}


def _call_item(call: _OpenCall, status: _Status) -> _Json:
    opened = call.opened
    item: _Json = {"id": call.id, "status": status, "call_id": opened.id, "name": opened.name}
    if opened.is_free_text:
        item |= {"type": "custom_tool_call", "input": call.arguments}
    else:
        item |= {"type": "function_call", "arguments": call.arguments}
    if opened.namespace is not None:
        item["namespace"] = opened.namespace
    return item
