"""Chat Completions, outwards: events to chunks or to one whole answer. Pure: no clock, no I/O.

A stream: a chunk with the role, chunks of content and calls (id, type and name only in the first of a call, `index`
always), one with the finish reason, one with the usage when asked for, `[DONE]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import msgspec

from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Event,
    Failed,
    Finished,
    FinishReason,
    Reasoning,
    Text,
    TokenLogprob,
    Usage,
)
from serve.turns import ToolCall
from serve.wire.answer import Occasion, public_of
from serve.wire.failures import envelope
from serve.wire.logprobs import told_logprobs
from serve.wire.public import Note, PublicEvent, Sources
from serve.wire.sse import DONE, PING, frame

__all__ = ["ChatAnswer"]

_FINISH_REASONS = {
    FinishReason.STOP: "stop",
    FinishReason.STOP_SEQUENCE: "stop",
    FinishReason.LENGTH: "length",
    FinishReason.TOOL_CALLS: "tool_calls",
    FinishReason.CANCELLED: "stop",
}


class ChatAnswer:
    """One answer. See `serve.wire.answer.Encoder`."""

    def __init__(self, occasion: Occasion, *, include_usage: bool = False) -> None:
        self._occasion = occasion
        self._include_usage = include_usage
        self._public = public_of(occasion)
        self._free_text_calls: set[int] = set()
        self._text: list[str] = []
        self._logprobs: list[TokenLogprob] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []
        self._notes: list[Note] = []
        self._finished: Finished | None = None
        self.failure: Failed | None = None

    def begin(self) -> bytes:
        """Return the chunk with the role."""
        return self._chunk({"role": "assistant", "content": ""})

    def ping(self) -> bytes:
        """Return a comment."""
        return PING

    def encode(self, event: Event) -> bytes:
        """Return the chunks of an event."""
        return b"".join(self._encode(shown) for shown in self._public.feed(event))

    def _encode(self, event: PublicEvent) -> bytes:
        match event:
            case Text():
                self._text.append(event.text)
                self._logprobs.extend(event.logprobs)
                return self._chunk({"content": event.text}, logprobs=self._logprobs_of(event.logprobs))
            case Reasoning():
                self._reasoning.append(event.text)
                return self._chunk({"reasoning_content": event.text})
            case Sources():
                self._text.append(event.text)
                self._notes.extend(event.notes)
                return self._chunk({"content": event.text, "annotations": _annotations(event.notes)})
            case CallOpened() | CallArguments():
                return self._call_chunk(event)
            case CallMade():
                self._calls.append(event.call)
                return b""
            case Finished():
                self._finished = event
                return self._end(event)
            case Failed():
                self.failure = event
                return frame(envelope(event)) + DONE
            case _:
                assert_never(event)

    def _call_chunk(self, event: CallOpened | CallArguments) -> bytes:
        delta: dict[str, object] = {"index": event.index}
        if isinstance(event, CallOpened):
            if event.is_free_text:
                self._free_text_calls.add(event.index)
            delta["id"] = event.id
            delta["type"] = "custom" if event.is_free_text else "function"
        kind, argument = ("custom", "input") if event.index in self._free_text_calls else ("function", "arguments")
        if isinstance(event, CallOpened):
            delta[kind] = {"name": event.name, argument: ""}
        else:
            delta[kind] = {argument: event.text}
        return self._chunk({"tool_calls": [delta]})

    def _end(self, event: Finished) -> bytes:
        last = self._chunk({}, _FINISH_REASONS[event.reason])
        if self._include_usage:
            payload = self._head("chat.completion.chunk")
            payload.update(choices=[], usage=_usage(event.usage))
            last += frame(payload)
        return last + DONE

    def _logprobs_of(self, logprobs: Sequence[TokenLogprob]) -> object:
        """Return what the API says of log probabilities; null unless they were asked for."""
        if self._occasion.generation.sampling.top_logprobs is None:
            return None
        return {"content": told_logprobs(logprobs), "refusal": None}

    def _chunk(self, delta: dict[str, object], finish_reason: str | None = None, *, logprobs: object = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish_reason}
        payload = self._head("chat.completion.chunk") | {"choices": [choice]}
        if self._include_usage:
            payload["usage"] = None
        return frame(payload)

    def whole(self) -> bytes:
        """Return the body of the answer."""
        finished = self._finished or Finished(reason=FinishReason.STOP)
        choice = {
            "index": 0,
            "message": self._message(),
            "logprobs": self._logprobs_of(self._logprobs),
            "finish_reason": _FINISH_REASONS[finished.reason],
        }
        body = self._head("chat.completion") | {"choices": [choice], "usage": _usage(finished.usage)}
        return msgspec.json.encode(body)

    def _message(self) -> dict[str, object]:
        text = "".join(self._text)
        message: dict[str, object] = {
            "role": "assistant",
            "content": text if text or not self._calls else None,
            "refusal": None,
            "annotations": _annotations(self._notes),
        }
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        if self._calls:
            message["tool_calls"] = [_whole_call(call) for call in self._calls]
        return message

    def _head(self, kind: str) -> dict[str, object]:
        return {
            "id": f"chatcmpl-{self._occasion.generation.id}",
            "object": kind,
            "created": self._occasion.created_at,
            "model": self._occasion.generation.model,
            "service_tier": "default",
            "system_fingerprint": f"roteiro-{self._occasion.version}",
        }


def _whole_call(call: ToolCall) -> dict[str, object]:
    if call.is_free_text:
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.arguments}}
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _annotations(notes: list[Note] | tuple[Note, ...]) -> list[dict[str, object]]:
    return [{"type": "url_citation", "url_citation": msgspec.to_builtins(note)} for note in notes]


def _usage(usage: Usage) -> dict[str, object]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cached_tokens,
            "cache_write_tokens": usage.cache_creation_tokens,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning_tokens,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
