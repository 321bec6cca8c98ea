"""Chat Completions, inwards: bytes to a `GenerationRequest`, or an error that names the field. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from serve.errors import BadRequestError
from serve.turns import GenerationRequest, Message, Mode, Role, ToolCall
from serve.wire.arrival import Arrival, choose_mode, is_compaction, resolve_model, says_mode
from serve.wire.conversation import brought_array, brought_calls, join_parts, lead_with_system, name_results
from serve.wire.fields import Field, read_body, shorten
from serve.wire.formats import binding_mode, decode_format, effort_under
from serve.wire.parameters import CHAT, refuse_unsupported
from serve.wire.sampling import MOST_LOGPROBS, decode_budget, decode_effort, decode_sampling, token_limit
from serve.wire.tools import Toolbox, decode_choice, decode_tools

__all__ = ["ChatRequest", "decode_chat"]


class ChatRequest(Struct, frozen=True, kw_only=True):
    """A request, and how its answer is to be written."""

    generation: GenerationRequest
    is_stream: bool
    include_usage: bool


def decode_chat(body: bytes, arrival: Arrival) -> ChatRequest:
    """Return the request; raises BadRequestError or UnknownModelError."""
    root = read_body(body)
    named = resolve_model(root.get("model").name(), arrival.models, arrival.settings.aliases)
    refuse_unsupported(root, CHAT)
    messages = _messages(root.get("messages"))
    tools = decode_tools([root.get("tools")], arrival.settings)
    brings_tools = brought_array(root.get("tools")) or brought_calls(messages) or is_compaction(arrival.turn_metadata)
    wanted = decode_format(root.get("response_format"))
    mode = choose_mode(arrival, named, brings_tools=brings_tools)
    mode = binding_mode(mode, wanted, "response_format", is_said=says_mode(arrival, named))
    toolbox = decode_choice(root.get("tool_choice"), tools)
    toolbox = toolbox if mode is Mode.GENERAL else Toolbox((), toolbox.choice)
    template = root.get("chat_template_kwargs")
    is_stream = root.get("stream").flag(default=False)
    return ChatRequest(
        generation=GenerationRequest(
            id=arrival.id,
            model=named.model,
            mode=mode,
            messages=messages,
            tools=toolbox.tools,
            tool_choice=toolbox.choice,
            allow_parallel_calls=root.get("parallel_tool_calls").flag(default=True),
            sampling=replace(decode_sampling(root, _max_tokens(root)), top_logprobs=_logprobs(root)),
            reasoning=effort_under(
                wanted, decode_effort((_effort(root), _effort(template), _thinking(template)), arrival, named), arrival
            ),
            reasoning_budget=decode_budget(root, arrival),
            format=wanted,
            project=arrival.project,
        ),
        is_stream=is_stream,
        include_usage=root.get("stream_options").get("include_usage").flag(default=False),
    )


def _effort(field: Field) -> str | None:
    effort = field.get("reasoning_effort")
    return effort.text() if effort.is_given else None


def _thinking(template: Field) -> str | None:
    enabled = template.get("enable_thinking")
    if not enabled.is_given:
        return None
    return "medium" if enabled.flag(default=True) else "none"


def _max_tokens(root: Field) -> int | None:
    old, new = token_limit(root.get("max_tokens")), token_limit(root.get("max_completion_tokens"))
    if old is not None and new is not None and old != new:
        raise BadRequestError(
            f"max_tokens is {old} and max_completion_tokens is {new}; send one of them.", param="max_completion_tokens"
        )
    return old if new is None else new


def _logprobs(root: Field) -> int | None:
    """Return how many alternatives each token is to have; None when no log probabilities are wanted."""
    top = root.get("top_logprobs").integer(0, MOST_LOGPROBS)
    if root.get("logprobs").flag(default=False):
        return top or 0
    if top:
        raise BadRequestError("top_logprobs needs logprobs: true beside it.", param="top_logprobs")
    return None


def _messages(array: Field) -> tuple[Message, ...]:
    if not array.is_given:
        raise array.wrong("an array")
    messages = tuple(_message(item) for item in array.items())
    if not messages:
        raise BadRequestError("messages must hold at least one message.", param="messages")
    return name_results(lead_with_system(messages))


def _message(item: Field) -> Message:
    role = item.get("role").text()
    name = item.get("name")
    content = item.get("content")
    if role == "assistant":
        calls = tuple(_calls(item.get("tool_calls")))
        refusal = item.get("refusal").text_or("")
        return Message(role=Role.ASSISTANT, content=join_parts(content) or refusal, tool_calls=calls)
    if not content.is_given:
        raise content.wrong("a string or an array of parts")
    match role:
        case "system" | "developer":
            return Message(role=Role.SYSTEM, content=join_parts(content))
        case "user":
            return Message(role=Role.USER, content=join_parts(content), name=name.text() if name.is_given else None)
        case "tool":
            call_id = item.get("tool_call_id").text()
            return Message(role=Role.TOOL, content=join_parts(content), tool_call_id=call_id)
        case _:
            raise BadRequestError(
                f"{item.path}.role must be system, developer, user, assistant or tool; found {shorten(role)}.",
                param=f"{item.path}.role",
            )


def _calls(array: Field) -> Iterator[ToolCall]:
    for item in array.items():
        kind = item.get("type").text_or("function")
        if kind not in {"function", "custom"}:
            raise BadRequestError(
                f"{item.path}.type must be function or custom; found {shorten(kind)}.", param=f"{item.path}.type"
            )
        inner = item.get(kind)
        is_free_text = kind == "custom"
        yield ToolCall(
            id=item.get("id").text(),
            name=inner.get("name").name(),
            arguments=inner.get("input" if is_free_text else "arguments").text(),
            is_free_text=is_free_text,
        )
