"""Chat completions as an upstream speaks them: a request as its body, its stream's chunks as events. Pure.

Both spellings of reasoning (`reasoning_content`, `reasoning`) are read, and `<think>` in the content is told apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
from msgspec import Struct

from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Event,
    Finished,
    FinishReason,
    Reasoning,
    Text,
    TokenLogprob,
    Usage,
)
from serve.prompt.answer import AnswerReader
from serve.prompt.callforms import free_text
from serve.prompt.thinking import without_thoughts
from serve.turns import (
    AnswerFormat,
    GenerationRequest,
    Message,
    Mode,
    ReasoningEffort,
    Role,
    Sampling,
    ToolCall,
    ToolSpec,
)

__all__ = ["Chunk", "ChunkReader", "body", "error_words"]

_FREE_TEXT = msgspec.Raw(b'{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}')


class _FunctionDelta(Struct, frozen=True):
    name: str | None = None
    arguments: str | None = None


class _CallDelta(Struct, frozen=True):
    index: int = 0
    id: str | None = None
    function: _FunctionDelta = _FunctionDelta()


class _Delta(Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[_CallDelta, ...] | None = None


class _Likely(Struct, frozen=True):
    token: str
    logprob: float
    bytes: tuple[int, ...] | None = None
    top_logprobs: tuple[_Likely, ...] = ()


class _Logprobs(Struct, frozen=True):
    content: tuple[_Likely, ...] | None = None


class _Choice(Struct, frozen=True):
    delta: _Delta = _Delta()
    logprobs: _Logprobs | None = None
    finish_reason: str | None = None
    stop_reason: str | int | None = None


class _Details(Struct, frozen=True):
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class _Usage(Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None


class Chunk(Struct, frozen=True):
    """One `data:` line of the stream; what else an upstream sends in it is ignored."""

    choices: tuple[_Choice, ...] = ()
    usage: _Usage | None = None
    error: msgspec.Raw = msgspec.Raw(b"null")


def body(request: GenerationRequest, model: str) -> bytes:
    """Return the JSON body that asks `model` for an answer to `request`."""
    fields: dict[str, object] = {
        "model": model,
        "messages": [_message(message, request.tools) for message in _merged_head(request.messages)],
        "stream": True,
        "stream_options": {"include_usage": True},
        **_sampling(request.sampling, request.mode),
    }
    if request.format is not None:
        fields["response_format"] = _format(request.format)
    if request.tools:
        fields["tools"] = [_tool(tool) for tool in request.tools]
        fields["tool_choice"] = _choice(request)
        if not request.allow_parallel_calls:
            fields["parallel_tool_calls"] = False
    if request.reasoning is ReasoningEffort.NONE:
        fields["chat_template_kwargs"] = {"enable_thinking": False}
    elif request.reasoning is not None:
        fields["reasoning_effort"] = request.reasoning.value
    if request.reasoning_budget is not None and request.mode is Mode.GENERAL:
        # The names of llama-server (and of another Roteiro) and of vLLM; there is none that all know.
        fields["reasoning_budget_tokens"] = fields["thinking_token_budget"] = request.reasoning_budget
    return msgspec.json.encode(fields)


def error_words(data: bytes) -> str:
    """Return what an error body says, in its own words: the message of any common shape, else the text itself."""
    try:
        value: object = msgspec.json.decode(data)
    except msgspec.DecodeError:
        value = None
    for _ in range(2):
        if isinstance(value, Mapping):
            fields = cast("Mapping[str, object]", value)
            value = next((fields[key] for key in ("error", "message", "detail") if fields.get(key)), None)
    if isinstance(value, str):
        return value
    return " ".join(data.decode(errors="replace").split())[:500] or "nothing"


class ChunkReader:
    """Turns the chunks of one answer into events."""

    def __init__(self, request: GenerationRequest) -> None:
        self._answer = AnswerReader(msgspec.structs.replace(request, tools=(), sampling=Sampling()))
        self._tools = {_flat_name(tool): tool for tool in request.tools}
        self._calls: dict[int, _Call] = {}
        self._request_id = request.id
        self._finish: str | None = None
        self._stop_reason: str | None = None
        self._usage = Usage()
        self._counts_thought = True
        self._thought_chunks = 0
        self._chunks = 0

    @property
    def is_finished(self) -> bool:
        """Whether the upstream said why it ended."""
        return self._finish is not None

    def feed(self, chunk: Chunk) -> list[Event]:
        """Return the events of one chunk."""
        if chunk.usage is not None:
            self._usage = _usage(chunk.usage)
            details = chunk.usage.completion_tokens_details
            self._counts_thought = details is None or details.reasoning_tokens is None
        if not chunk.choices:
            return []
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        if isinstance(choice.stop_reason, str):
            self._stop_reason = choice.stop_reason
        events: list[Event] = []
        thought = choice.delta.reasoning_content or choice.delta.reasoning
        is_thinking = bool(thought) or (bool(choice.delta.content) and self._answer.is_thinking)
        if thought:
            events.append(Reasoning(thought))
        if choice.delta.content:
            events += _with_logprobs(self._answer.feed_text(choice.delta.content), _logprobs(choice))
        for delta in choice.delta.tool_calls or ():
            events += self._call(delta)
        self._thought_chunks += is_thinking or self._answer.is_thinking
        self._chunks += bool(thought or choice.delta.content or choice.delta.tool_calls)
        return events

    def end(self) -> list[Event]:
        """Return the last events of an answer that was finished."""
        events = self._answer.end()
        for index, call in enumerate(self._calls.values()):
            if call.is_free_text:
                events.append(CallArguments(index, call.made().arguments))
            events.append(CallMade(index, call.made()))
        return [*events, Finished(reason=self._reason(), usage=self._whole_usage(), stop_sequence=self._stop_reason)]

    def _whole_usage(self) -> Usage:
        """Return the usage; where an upstream does not say what was thought, by the share of its chunks.

        The servers that do not say send a chunk for each token.
        """
        if not self._counts_thought or not self._thought_chunks:
            return self._usage
        share = min(1.0, self._thought_chunks / max(1, self._chunks))
        thought = round(self._usage.completion_tokens * share)
        return msgspec.structs.replace(self._usage, reasoning_tokens=thought)

    def _reason(self) -> FinishReason:
        if self._finish == "length":
            return FinishReason.LENGTH
        if self._calls:
            return FinishReason.TOOL_CALLS
        return FinishReason.STOP_SEQUENCE if self._stop_reason is not None else FinishReason.STOP

    def _call(self, delta: _CallDelta) -> list[Event]:
        """Take a piece of a call; its first one opens it."""
        events: list[Event] = []
        known = self._calls.get(delta.index)
        if known is None:
            index = len(self._calls)
            name = delta.function.name or ""
            known = _Call(delta.id or f"call_{self._request_id}_{index}", name, self._tools.get(name), index)
            self._calls[delta.index] = known
            events.append(known.opened())
        piece = delta.function.arguments
        if piece:
            known.pieces.append(piece)
            if not known.is_free_text:
                events.append(CallArguments(known.index, piece))
        return events


class _Call:
    """A call that is being told."""

    def __init__(self, identifier: str, name: str, tool: ToolSpec | None, index: int) -> None:
        self.index = index
        self.pieces: list[str] = []
        self.is_free_text = tool is not None and tool.is_free_text
        self._id = identifier
        self._name = tool.name if tool else name
        self._namespace = tool.namespace if tool else None

    def opened(self) -> CallOpened:
        return CallOpened(self.index, self._id, self._name, self._namespace, self.is_free_text)

    def made(self) -> ToolCall:
        arguments = "".join(self.pieces)
        return ToolCall(
            id=self._id,
            name=self._name,
            arguments=free_text(arguments) if self.is_free_text else arguments,
            namespace=self._namespace,
            is_free_text=self.is_free_text,
        )


def _with_logprobs(events: list[Event], logprobs: tuple[TokenLogprob, ...]) -> list[Event]:
    """Return the events with the log probabilities on the first text among them."""
    at = next((at for at, event in enumerate(events) if isinstance(event, Text)), None)
    if logprobs and at is not None:
        events[at] = msgspec.structs.replace(events[at], logprobs=logprobs)
    return events


def _merged_head(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with the leading system turns as one, which is all that many templates take."""
    size = next((i for i, message in enumerate(messages) if message.role is not Role.SYSTEM), len(messages))
    head = "\n\n".join(message.content for message in messages[:size])
    return [*([Message(role=Role.SYSTEM, content=head)] if head else []), *messages[size:]]


def _message(message: Message, tools: Sequence[ToolSpec]) -> dict[str, object]:
    content = without_thoughts(message.content) if message.role is Role.ASSISTANT else message.content
    content = f"Error: {content}" if message.is_error else content
    fields: dict[str, object] = {"role": message.role.value, "content": content}
    if message.role is Role.TOOL:
        fields["tool_call_id"] = message.tool_call_id or ""
    if message.tool_calls:
        fields["tool_calls"] = [_past_call(call, tools) for call in message.tool_calls]
    return fields


def _past_call(call: ToolCall, tools: Sequence[ToolSpec]) -> dict[str, object]:
    arguments = msgspec.json.encode({"input": call.arguments}).decode() if call.is_free_text else call.arguments
    tool = next((one for one in tools if (one.name, one.namespace) == (call.name, call.namespace)), None)
    name = _flat_name(tool) if tool else call.name
    return {"id": call.id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool(tool: ToolSpec) -> dict[str, object]:
    parameters = _FREE_TEXT if tool.is_free_text else tool.parameters
    function = {"name": _flat_name(tool), "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _flat_name(tool: ToolSpec) -> str:
    """Return a name without a namespace of its own; the APIs allow letters, digits, `_` and `-`."""
    return f"{tool.namespace}__{tool.name}" if tool.namespace else tool.name


def _format(wanted: AnswerFormat) -> dict[str, object]:
    if wanted.kind == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": wanted.name, "schema": wanted.schema, "strict": True}}


def _logprobs(choice: _Choice) -> tuple[TokenLogprob, ...]:
    if choice.logprobs is None:
        return ()
    return tuple(
        TokenLogprob(_token(one), one.logprob, tuple((_token(other), other.logprob) for other in one.top_logprobs))
        for one in choice.logprobs.content or ()
    )


def _token(likely: _Likely) -> bytes:
    """Return a token's bytes: as told, else those of its text."""
    is_told = likely.bytes is not None and all(0 <= byte < 256 for byte in likely.bytes)
    return bytes(likely.bytes or ()) if is_told else likely.token.encode()


def _choice(request: GenerationRequest) -> object:
    choice = request.tool_choice
    if choice.kind != "named":
        return choice.kind
    named = [_flat_name(tool) for tool in request.tools if tool.name in choice.names]
    return {"type": "function", "function": {"name": named[0]}} if len(named) == 1 else "required"


def _sampling(sampling: Sampling, mode: Mode) -> dict[str, object]:
    """Return the parameters that were given; Ask answers from evidence and so asks for no chance."""
    default = 0.0 if mode is Mode.ASK else None
    given: dict[str, object | None] = {
        "max_tokens": sampling.max_tokens,
        "temperature": default if sampling.temperature is None else sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "frequency_penalty": sampling.frequency_penalty or None,
        "presence_penalty": sampling.presence_penalty or None,
        "repetition_penalty": None if sampling.repetition_penalty == 1.0 else sampling.repetition_penalty,
        "logit_bias": {str(token): bias for token, bias in sampling.logit_bias} or None,
        "logprobs": None if sampling.top_logprobs is None else True,
        "top_logprobs": sampling.top_logprobs,
    }
    return {name: value for name, value in given.items() if value is not None}


def _usage(usage: _Usage) -> Usage:
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=(prompt.cached_tokens or 0) if prompt else 0,
        reasoning_tokens=(completion.reasoning_tokens or 0) if completion else 0,
    )
