"""THE table of request parameters: what each one of each API does here. Decoders obey it, docs are made from it.

A value that is `null` or the API's own documented default is never a decision, so a refused parameter may be sent with
one of its `neutral` values. Keys that are not in the table are ignored: clients send habits.
"""

from __future__ import annotations

from enum import StrEnum
from typing import cast

from msgspec import Struct

from serve.errors import BadRequestError
from serve.wire.fields import Field

__all__ = ["CHAT", "RESPONSES", "Parameter", "Verdict", "asks_for_structure", "refuse_unsupported"]


class Verdict(StrEnum):
    """What happens to a parameter."""

    SUPPORTED = "supported"
    ACCEPTED = "accepted, not enforced"
    DROPPED = "dropped"
    """Ignoring it leaves the caller believing nothing false."""
    REFUSED = "400"


class Parameter(Struct, frozen=True):
    """One row. `note` says what it does, or, when refused, is the sentence of the error."""

    name: str
    verdict: Verdict
    note: str
    neutral: tuple[object, ...] = ()


_S, _A, _D, _R = Verdict.SUPPORTED, Verdict.ACCEPTED, Verdict.DROPPED, Verdict.REFUSED
_CACHE_NOTE = "The prefix cache finds what conversations share by itself."
_IDENTITY_NOTE = "Nobody is told who asks."
_BUDGET_NOTE = "An extension: the most tokens of thought, after which the answer begins; -1 sets no bound."
_NO_STORE = "Nothing is stored here: send the whole conversation and leave `store` out or set it to false."

CHAT: tuple[Parameter, ...] = (
    Parameter("messages", _S, "Text; roles system, developer, user, assistant, tool."),
    Parameter("model", _S, "An id of `/v1/models`, an alias, or either with `:ask`, `:general` or `-fast` behind it."),
    Parameter("audio", _R, "Audio is not produced here; leave `audio` out."),
    Parameter("frequency_penalty", _S, "-2 to 2.", (0,)),
    Parameter("function_call", _R, "`function_call` is the old form; send `tool_choice`.", ("none", "auto")),
    Parameter("functions", _R, "`functions` is the old form; send `tools`.", ([],)),
    Parameter("logit_bias", _S, "Token ids of this model, -100 to 100.", ({},)),
    Parameter("logprobs", _S, "Of the tokens of the answer's text, before temperature and penalties.", (False,)),
    Parameter("max_completion_tokens", _S, "The same as `max_tokens`; different values in both are an error."),
    Parameter("max_tokens", _S, "The most tokens of the answer, reasoning included."),
    Parameter("metadata", _D, "It labels stored completions, and none is stored."),
    Parameter("modalities", _R, "Only text is produced here; `modalities` may hold text alone.", (["text"],)),
    Parameter("moderation", _R, "Nothing is moderated here; leave `moderation` out."),
    Parameter("n", _R, "One answer is given for a request; send the request again for another.", (1,)),
    Parameter("parallel_tool_calls", _S, "false ends the answer after one call.", (True,)),
    Parameter("prediction", _R, "Predicted output is not used here; leave `prediction` out."),
    Parameter("presence_penalty", _S, "-2 to 2.", (0,)),
    Parameter("prompt_cache_key", _D, _CACHE_NOTE),
    Parameter("prompt_cache_options", _D, _CACHE_NOTE),
    Parameter("prompt_cache_retention", _D, _CACHE_NOTE),
    Parameter("reasoning_effort", _S, "The nearest level that the model's template knows."),
    Parameter("response_format", _S, "json_schema and json_object bind the answer and choose general mode."),
    Parameter("safety_identifier", _D, _IDENTITY_NOTE),
    Parameter("seed", _S, "The same seed, request and machine give the same answer."),
    Parameter("service_tier", _A, "There is one tier; the answer says `default`."),
    Parameter("stop", _S, "Up to four strings."),
    Parameter("store", _R, _NO_STORE, (False,)),
    Parameter("stream", _S, "Server-sent events.", (False,)),
    Parameter("stream_options", _S, "`include_usage`; the rest is ignored."),
    Parameter("temperature", _S, "0 to 2."),
    Parameter("tool_choice", _S, "auto, none, required, a name, allowed_tools."),
    Parameter("tools", _S, "Functions and custom tools; bringing any chooses general mode.", ([],)),
    Parameter("top_logprobs", _S, "0 to 20 alternatives of each token.", (0,)),
    Parameter("top_p", _S, "0 to 1."),
    Parameter("user", _D, _IDENTITY_NOTE),
    Parameter("verbosity", _A, "No local model is trained on it."),
    Parameter("web_search_options", _R, "The web is not searched here; leave `web_search_options` out."),
    Parameter("top_k", _S, "An extension: keep the k likeliest tokens, 0 for all."),
    Parameter("min_p", _S, "An extension: 0 to 1."),
    Parameter("repetition_penalty", _S, "An extension: above 0, 1 is none."),
    Parameter(
        "chat_template_kwargs", _S, "An extension: `reasoning_effort`, `enable_thinking`, `thinking_budget` are read."
    ),
    Parameter("reasoning_budget_tokens", _S, _BUDGET_NOTE),
)

RESPONSES: tuple[Parameter, ...] = (
    Parameter("access_programs", _D, _IDENTITY_NOTE),
    Parameter("background", _R, "Nothing runs in the background here; leave `background` out.", (False,)),
    Parameter("background_options", _D, "It only matters with `background`, which is refused."),
    Parameter("client_metadata", _S, "Codex's `request_kind: compaction` chooses general mode; the rest is ignored."),
    Parameter("context_management", _A, "A conversation that does not fit is refused, never shortened."),
    Parameter("conversation", _R, "No conversation is hosted here: send all its items in `input`."),
    Parameter("image", _D, "Images are refused, so there is nothing to compress."),
    Parameter("include", _S, "`message.output_text.logprobs`; there is nothing of the other kinds."),
    Parameter("input", _S, "A text or a list of items: messages, calls, results of calls."),
    Parameter("instructions", _S, "Becomes the head of the system turn."),
    Parameter("max_output_tokens", _S, "The most tokens of the answer, reasoning included."),
    Parameter("max_tool_calls", _D, "It counts calls of hosted tools, and there are none."),
    Parameter("metadata", _S, "Sent back as it came."),
    Parameter("model", _S, "An id of `/v1/models`, an alias, or either with `:ask`, `:general` or `-fast` behind it."),
    Parameter("moderation", _R, "Nothing is moderated here; leave `moderation` out."),
    Parameter("parallel_tool_calls", _S, "false ends the answer after one call.", (True,)),
    Parameter("previous_response_id", _R, _NO_STORE + " A response cannot be continued by its id."),
    Parameter("prompt", _R, "No prompt template is hosted here: send its text in `instructions` and `input`."),
    Parameter("prompt_cache_key", _D, _CACHE_NOTE),
    Parameter("prompt_cache_options", _D, _CACHE_NOTE),
    Parameter("prompt_cache_retention", _D, _CACHE_NOTE),
    Parameter("reasoning", _S, "`effort`: the nearest level that the model's template knows; the rest is ignored."),
    Parameter("safety_identifier", _D, _IDENTITY_NOTE),
    Parameter("service_tier", _A, "There is one tier; the answer says `default`."),
    Parameter("store", _R, _NO_STORE, (False,)),
    Parameter("stream", _S, "Server-sent events.", (False,)),
    Parameter("stream_options", _D, "Nothing is obfuscated."),
    Parameter("temperature", _S, "0 to 2."),
    Parameter(
        "text",
        _S,
        "`format` binds the answer and chooses general mode; `verbosity` is accepted and not enforced.",
    ),
    Parameter("tool_choice", _S, "auto, none, required, a name, allowed_tools."),
    Parameter("tools", _S, "Functions, namespaces and custom tools; hosted kinds are left out of the prompt.", ([],)),
    Parameter("top_logprobs", _S, "0 to 20 alternatives of each token.", (0,)),
    Parameter("top_p", _S, "0 to 1."),
    Parameter("truncation", _A, "A conversation that does not fit is refused, never shortened."),
    Parameter("user", _D, _IDENTITY_NOTE),
    Parameter("reasoning_budget_tokens", _S, _BUDGET_NOTE),
)


def refuse_unsupported(root: Field, table: tuple[Parameter, ...]) -> None:
    """Raise BadRequestError for the first refused parameter that the body decides."""
    for row in table:
        if row.verdict is not Verdict.REFUSED:
            continue
        field = root.get(row.name)
        if field.is_given and not _is_neutral(row, field.value):
            raise BadRequestError(row.note, param=row.name, code="unsupported_parameter")


def _is_neutral(row: Parameter, value: object) -> bool:
    # `True == 1` in Python, yet `n: true` is not a decision for one answer: types must agree as well.
    return any(type(value) is type(neutral) and value == neutral for neutral in row.neutral)


def asks_for_structure(response_format: object) -> bool:
    """Whether the format is one that constrains the answer; an unrecognised shape stays plain text."""
    if not isinstance(response_format, dict):
        return False
    kind = cast("dict[str, object]", response_format).get("type")
    return isinstance(kind, str) and kind in {"json_object", "json_schema"}
