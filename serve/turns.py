"""What all wires mean: a conversation, tools and sampling, decoded once. Frozen structs, no I/O.

Every public API decodes to one `GenerationRequest`; engines and the Ask loop see nothing else.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec
from msgspec import Struct

__all__ = [
    "AnswerFormat",
    "GenerationRequest",
    "Message",
    "Mode",
    "ReasoningEffort",
    "Role",
    "Sampling",
    "ToolCall",
    "ToolChoice",
    "ToolSpec",
]


class Role(StrEnum):
    """Who speaks. `developer` is decoded to `system`."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Mode(StrEnum):
    """Which door a request takes: the Ask loop over the graph, or the plain model."""

    ASK = "ask"
    GENERAL = "general"


class ReasoningEffort(StrEnum):
    """How much a model that can reason should; `none` turns it off."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"


class ToolCall(Struct, frozen=True, kw_only=True):
    """A call that a model made. `arguments` are its bytes as generated, which need not be valid JSON."""

    id: str
    name: str
    arguments: str
    namespace: str | None = None
    is_free_text: bool = False
    """A Responses `custom` tool: `arguments` is the text itself."""


class Message(Struct, frozen=True, kw_only=True):
    """One turn. A tool's result has role TOOL, `tool_call_id`, and its text in `content`."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    is_error: bool = False
    is_ours: bool = False
    """The server put this turn there (evidence, reminders); named when a template refuses it."""


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool that the caller (or the Ask loop) offers. `parameters` is the JSON Schema as sent, undecoded."""

    name: str
    description: str = ""
    parameters: msgspec.Raw = msgspec.Raw(b'{"type":"object","properties":{}}')
    namespace: str | None = None
    is_free_text: bool = False


class ToolChoice(Struct, frozen=True, kw_only=True):
    """`auto`, `none`, `required`, or `named` with the only names allowed."""

    kind: Literal["auto", "none", "required", "named"] = "auto"
    names: tuple[str, ...] = ()


class Sampling(Struct, frozen=True, kw_only=True):
    """How tokens are drawn; None means the engine's own default."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    repetition_penalty: float = 1.0
    logit_bias: tuple[tuple[int, float], ...] = ()
    top_logprobs: int | None = None
    """None wants no log probabilities; 0 only those of the tokens drawn."""


class AnswerFormat(Struct, frozen=True, kw_only=True):
    """What the text of an answer must be: any JSON object, or a document of a schema (as sent, undecoded)."""

    kind: Literal["json_object", "json_schema"]
    schema: msgspec.Raw = msgspec.Raw(b"{}")
    name: str = "answer"
    path: str = "response_format"
    """Where the request has the schema, for the error that names a keyword."""


class GenerationRequest(Struct, frozen=True, kw_only=True):
    """One request for one answer, whatever wire it came by."""

    id: str
    model: str
    mode: Mode
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = ToolChoice()
    allow_parallel_calls: bool = True
    sampling: Sampling = Sampling()
    reasoning: ReasoningEffort | None = None
    reasoning_budget: int | None = None
    """The most tokens of thought; after them the engine closes the block and the answer begins. None sets no bound."""
    project: str = "default"
    cut_after: tuple[int, ...] = ()
    """Indexes of messages after which the server knows a boundary worth caching (Ask's evidence)."""
    format: AnswerFormat | None = None
    """None is free text. It binds the text of an answer, not the calls of an answer that calls."""
