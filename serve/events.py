"""What all wires encode: one stream of events from an engine or the Ask loop.

Order: any number of `Queued`, then `Started`, then deltas and steps in any order, then exactly one of `Finished` or
`Failed`. A call is `CallOpened`, any number of `CallArguments` whose concatenation is the arguments, `CallMade`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from serve.turns import Mode, ToolCall

__all__ = [
    "CallArguments",
    "CallMade",
    "CallOpened",
    "Citation",
    "Cited",
    "Event",
    "Failed",
    "FinishReason",
    "Finished",
    "Heartbeat",
    "Queued",
    "Reasoning",
    "Started",
    "Step",
    "Text",
    "TokenLogprob",
    "Usage",
]


class FinishReason(StrEnum):
    """Why a generation ended."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    STOP_SEQUENCE = "stop_sequence"
    CANCELLED = "cancelled"


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens, by the engine's own count. `cached_tokens` is the part of the prompt restored from the prefix cache."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cache_creation_tokens: int = 0


class Queued(Struct, frozen=True, tag="queued"):
    """The request waits; `position` 1 is next."""

    position: int


class Started(Struct, frozen=True, tag="started"):
    """The engine has taken the request."""

    model: str
    mode: Mode
    tool_detail: str = ""
    """How much of the tools' descriptions the prompt holds (`full`, `first-sentence`, `signature`), when known."""


class Heartbeat(Struct, frozen=True, tag="heartbeat"):
    """Nothing to say yet (prefill); keeps idle timers alive. `done` of `total` prompt tokens, both 0 when unknown."""

    done: int = 0
    total: int = 0


class Reasoning(Struct, frozen=True, tag="reasoning"):
    """Thinking text, already separated from the answer. Stripped by the wires unless exposed."""

    text: str


class TokenLogprob(Struct, frozen=True):
    """How likely a token was, by the model's own distribution, and the likeliest others at its place."""

    token: bytes
    logprob: float
    top: tuple[tuple[bytes, float], ...] = ()


class Text(Struct, frozen=True, tag="text"):
    """A piece of the answer, decided: it will never be taken back."""

    text: str
    logprobs: tuple[TokenLogprob, ...] = ()
    """Of the tokens since the last piece, where the request wants them."""


class CallOpened(Struct, frozen=True, tag="call_opened"):
    """A tool call began; its name is known, its arguments follow. `index` counts calls in this answer from 0."""

    index: int
    id: str
    name: str
    namespace: str | None = None
    is_free_text: bool = False


class CallArguments(Struct, frozen=True, tag="call_arguments"):
    """A piece of the arguments of call `index`, as generated."""

    index: int
    text: str


class CallMade(Struct, frozen=True, tag="call_made"):
    """The call is whole."""

    index: int
    call: ToolCall


class Citation(Struct, frozen=True, kw_only=True):
    """A place that an answer rests on. `verified` is exists and shown and supports."""

    path: str
    start_line: int
    end_line: int
    key: str = ""
    name: str = ""
    exists: bool = True
    shown: bool = False
    supports: bool = False
    verified: bool = False


class Step(Struct, frozen=True, kw_only=True, tag="step"):
    """Something the Ask loop did: a tool it ran, with a short text of the result."""

    number: int
    tool: str
    arguments: str
    """JSON."""
    summary: str
    """One line for a person: `6 results` or the error."""
    result: str = ""
    """The bounded text that the model was shown."""
    ms: int = 0
    is_primed: bool = False
    """The server ran it before the model said anything."""


class Cited(Struct, frozen=True, tag="cited"):
    """The citations of the answer, after its last text. `is_refusal` when the answer is that nothing was found."""

    citations: tuple[Citation, ...]
    is_refusal: bool = False


class Finished(Struct, frozen=True, kw_only=True, tag="finished"):
    """The end. `stop_sequence` is the stop string that was met."""

    reason: FinishReason
    usage: Usage = Usage()
    stop_sequence: str | None = None


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """The end, by an error: the same words as `serve.errors.ServeError` carries."""

    status: int
    kind: str
    message: str
    param: str | None = None
    code: str | None = None


Event: TypeAlias = (
    Queued
    | Started
    | Heartbeat
    | Reasoning
    | Text
    | CallOpened
    | CallArguments
    | CallMade
    | Step
    | Cited
    | Finished
    | Failed
)
