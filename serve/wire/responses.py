"""Responses, inwards: bytes to a `GenerationRequest`, or an error that names the field. No I/O, no clock.

An adapter over the same path as Chat Completions: the same conversation gives the same turns. Nothing is stored.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from serve.turns import GenerationRequest, Mode, Sampling
from serve.wire.arrival import Arrival, choose_mode, is_compaction, resolve_model, says_mode
from serve.wire.conversation import brought_array, brought_calls
from serve.wire.fields import Field, read_body
from serve.wire.formats import binding_mode, decode_format, effort_under
from serve.wire.parameters import RESPONSES, refuse_unsupported
from serve.wire.responses_input import decode_input
from serve.wire.sampling import MOST_LOGPROBS, decode_budget, decode_effort, decode_sampling, token_limit
from serve.wire.tools import Toolbox, decode_choice, decode_tools

__all__ = ["Echo", "ResponsesRequest", "decode_responses"]

_INCLUDE_LOGPROBS = "message.output_text.logprobs"
_TURN_METADATA = "x-codex-turn-metadata"


class Echo(Struct, frozen=True, kw_only=True):
    """What the API sends back with every response, as it came."""

    instructions: str | None
    metadata: dict[str, object]
    tools: object
    tool_choice: object
    effort: str | None
    user: object
    prompt_cache_key: object
    format: object = None


class ResponsesRequest(Struct, frozen=True, kw_only=True):
    """A request, and how its answer is to be written."""

    generation: GenerationRequest
    is_stream: bool
    echo: Echo


def decode_responses(body: bytes, arrival: Arrival) -> ResponsesRequest:
    """Return the request; raises BadRequestError or UnknownModelError."""
    root = read_body(body)
    named = resolve_model(root.get("model").name(), arrival.models, arrival.settings.aliases)
    refuse_unsupported(root, RESPONSES)
    instructions = root.get("instructions").text_or("")
    conversation = decode_input(root.get("input"), instructions)
    arrays = [root.get("tools"), *conversation.tool_arrays]
    tools = decode_tools(arrays, arrival.settings)
    brings_tools = any(map(brought_array, arrays)) or brought_calls(conversation.messages)
    mode = choose_mode(arrival, named, brings_tools=brings_tools or _is_compaction(root, arrival))
    wanted = decode_format(root.get("text").get("format"))
    mode = binding_mode(mode, wanted, "text.format", is_said=says_mode(arrival, named))
    toolbox = decode_choice(root.get("tool_choice"), tools)
    toolbox = toolbox if mode is Mode.GENERAL else Toolbox((), toolbox.choice)
    return ResponsesRequest(
        generation=GenerationRequest(
            id=arrival.id,
            model=named.model,
            mode=mode,
            messages=conversation.messages,
            tools=toolbox.tools,
            tool_choice=toolbox.choice,
            allow_parallel_calls=root.get("parallel_tool_calls").flag(default=True),
            sampling=_sampling(root),
            reasoning=effort_under(wanted, decode_effort((_effort(root),), arrival, named), arrival),
            reasoning_budget=decode_budget(root, arrival),
            format=wanted,
            project=arrival.project,
        ),
        is_stream=root.get("stream").flag(default=False),
        echo=_echo(root),
    )


def _sampling(root: Field) -> Sampling:
    """Return the sampling; log probabilities are asked for by `include` or by a number of alternatives."""
    top = root.get("top_logprobs").integer(0, MOST_LOGPROBS)
    included = root.get("include")
    listed = [item.value for item in included.items()] if isinstance(included.value, list) else []
    wants = bool(top) or _INCLUDE_LOGPROBS in listed
    sampling = decode_sampling(root, token_limit(root.get("max_output_tokens")))
    return replace(sampling, top_logprobs=(top or 0) if wants else None)


def _effort(root: Field) -> str | None:
    effort = root.get("reasoning").get("effort")
    return effort.text() if effort.is_given else None


def _is_compaction(root: Field, arrival: Arrival) -> bool:
    said = root.get("client_metadata").get(_TURN_METADATA)
    return is_compaction(arrival.turn_metadata) or is_compaction(said.text_or(""))


def _echo(root: Field) -> Echo:
    instructions = root.get("instructions")
    metadata = root.get("metadata")
    choice = root.get("tool_choice")
    return Echo(
        instructions=instructions.text() if instructions.is_given else None,
        metadata=metadata.members() if metadata.is_given else {},
        tools=[field.value for field in root.get("tools").items()],
        tool_choice=choice.value if choice.is_given else "auto",
        effort=_effort(root),
        format=root.get("text").get("format").value,
        user=root.get("user").value,
        prompt_cache_key=root.get("prompt_cache_key").value,
    )
