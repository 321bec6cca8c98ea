"""Responses, outwards: events to the API's own event grammar, or to one whole response. Pure: no clock, no I/O.

A stream: created, in_progress, then the items (`responses_items`), then completed, incomplete or failed, then `[DONE]`,
which harms no client measured. `sequence_number` counts every event. While nothing happens `in_progress` is repeated:
Codex's idle timer counts events and not comments.
"""

from __future__ import annotations

import msgspec

from serve.events import Event, Failed, Finished, FinishReason, Usage
from serve.turns import Mode
from serve.wire.answer import Occasion, public_of
from serve.wire.failures import response_code
from serve.wire.responses import Echo
from serve.wire.responses_items import Items
from serve.wire.sse import DONE, frame

__all__ = ["ResponsesAnswer"]

_TEMPERATURES = {Mode.ASK: 0.0, Mode.GENERAL: 0.7}
"""What is used when a request says nothing; the schema wants the number that was used."""


class ResponsesAnswer:
    """One answer. See `serve.wire.answer.Encoder`."""

    def __init__(self, occasion: Occasion, echo: Echo) -> None:
        self._occasion = occasion
        self._echo = echo
        self._public = public_of(occasion)
        self._items = Items(occasion.generation.id)
        self._sequence = 0
        self._status = "in_progress"
        self._usage: Usage | None = None
        self._incomplete: str | None = None
        self.failure: Failed | None = None

    def begin(self) -> bytes:
        """Return created and in_progress."""
        return self._lifecycle("response.created") + self._lifecycle("response.in_progress")

    def ping(self) -> bytes:
        """Return in_progress once more."""
        return self._lifecycle("response.in_progress")

    def encode(self, event: Event) -> bytes:
        """Return the events of the API for one of ours."""
        written = b""
        for shown in self._public.feed(event):
            if isinstance(shown, Finished):
                written += self._finish(shown)
            elif isinstance(shown, Failed):
                written += self._fail(shown)
            else:
                written += self._frames(self._items.feed(shown))
        return written

    def _finish(self, event: Finished) -> bytes:
        is_cut = event.reason is FinishReason.LENGTH
        closing = self._frames(self._items.close("incomplete" if is_cut else "completed"))
        self._usage = event.usage
        self._status = "incomplete" if is_cut else "completed"
        self._incomplete = "max_output_tokens" if is_cut else None
        return closing + self._lifecycle(f"response.{self._status}") + DONE

    def _fail(self, event: Failed) -> bytes:
        closing = self._frames(self._items.close("incomplete"))
        self.failure = event
        self._status = "failed"
        return closing + self._lifecycle("response.failed") + DONE

    def _lifecycle(self, kind: str) -> bytes:
        return self._frames([{"type": kind, "response": self._response()}])

    def _frames(self, events: list[dict[str, object]]) -> bytes:
        written = b""
        for event in events:
            written += frame({**event, "sequence_number": self._sequence}, str(event["type"]))
            self._sequence += 1
        return written

    def whole(self) -> bytes:
        """Return the response as one body."""
        return msgspec.json.encode(self._response())

    def _response(self) -> dict[str, object]:
        generation, echo, sampling = self._occasion.generation, self._echo, self._occasion.generation.sampling
        temperature = sampling.temperature
        return {
            "id": f"resp_{generation.id}",
            "object": "response",
            "created_at": self._occasion.created_at,
            "status": self._status,
            "background": False,
            "completed_at": None,
            "error": self._error(),
            "incomplete_details": {"reason": self._incomplete} if self._incomplete else None,
            "instructions": echo.instructions,
            "max_output_tokens": sampling.max_tokens,
            "max_tool_calls": None,
            "metadata": echo.metadata,
            "model": generation.model,
            "output": self._items.done,
            "parallel_tool_calls": generation.allow_parallel_calls,
            "previous_response_id": None,
            "prompt_cache_key": echo.prompt_cache_key,
            "presence_penalty": sampling.presence_penalty,
            "frequency_penalty": sampling.frequency_penalty,
            "reasoning": {"effort": echo.effort, "summary": None},
            "service_tier": "default",
            "store": False,
            "temperature": _TEMPERATURES[generation.mode] if temperature is None else temperature,
            "text": {"format": echo.format or {"type": "text"}},
            "tool_choice": echo.tool_choice,
            "tools": echo.tools,
            "top_logprobs": sampling.top_logprobs or 0,
            "top_p": 1.0 if sampling.top_p is None else sampling.top_p,
            "truncation": "disabled",
            "usage": None if self._usage is None else _usage(self._usage),
            "user": echo.user,
        }

    def _error(self) -> dict[str, object] | None:
        if self.failure is None:
            return None
        return {"code": response_code(self.failure), "message": self.failure.message}


def _usage(usage: Usage) -> dict[str, object]:
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cached_tokens,
            "cache_write_tokens": usage.cache_creation_tokens,
        },
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }
