"""What the wires and the MCP server promise, behaviour by behaviour: an id, a sentence and where it comes from.

A test says which it holds with `@requirement("id")`; `tests/serve/wire/test_requirements.py` checks both directions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

__all__ = ["REQUIREMENTS", "Requirement", "requirement"]

_Test = TypeVar("_Test", bound=Callable[..., object])

_CHAT = "OpenAI API reference, Chat Completions"
_RESPONSES = "OpenAI API reference, Responses (streaming events)"
_CODEX = "measured with Codex CLI 0.171.0"
_SDK = "openai Python SDK 3.57.0, strict response validation"
_OURS = "Roteiro's own contract"
_MCP = "Model Context Protocol specification, 2024-11-05 to 2026-07-28"
_AGENTS = "measured with Codex CLI and Claude Code as MCP clients"


class Requirement(Struct, frozen=True):
    """One promise."""

    id: str
    sentence: str
    source: str


REQUIREMENTS: tuple[Requirement, ...] = (
    Requirement("mode.no-tools-asks", "A request without tools is answered from the graph.", _OURS),
    Requirement("mode.tools-are-general", "A request that brings tools is answered by the plain model.", _OURS),
    Requirement("mode.tool-traffic-is-general", "Calls or results in the history count as tools.", _CODEX),
    Requirement("mode.additional-tools", "An `additional_tools` item counts as tools and offers them.", _CODEX),
    Requirement("mode.compaction-is-general", "Turn metadata `request_kind: compaction` means general.", _CODEX),
    Requirement("mode.said-outright-wins", "Header, then path, then suffix decide before the signs of tools.", _OURS),
    Requirement("mode.header-tells", "`x-roteiro-mode` on the response says which mode answered.", _OURS),
    Requirement("chat.stream-grammar", "Role first, then deltas, one finish reason, `[DONE]` last.", _CHAT),
    Requirement("chat.usage-on-demand", "`include_usage` adds one chunk without choices, and null before.", _CHAT),
    Requirement("chat.call-first-delta", "A call's id, type and name are in its first delta only.", _SDK),
    Requirement("chat.calls-are-returned", "A call ends the answer with `tool_calls` and is never run.", _OURS),
    Requirement("chat.arguments-verbatim", "Arguments go out byte for byte as generated.", _OURS),
    Requirement("chat.error-in-stream", "A failure after 200 is an error event, then `[DONE]`.", _CHAT),
    Requirement("ask.sources-line", "An answer of Ask ends in one `Sources:` line, with annotations.", _OURS),
    Requirement("responses.grammar", "Items and parts are opened before their deltas and closed after.", _RESPONSES),
    Requirement("responses.sequence", "`sequence_number` counts every event from 0 without a gap.", _RESPONSES),
    Requirement("responses.stable-ids", "One response id; an item's id is equal in added, done, completed.", _SDK),
    Requirement("responses.terminal-always", "A terminal event and `[DONE]` end every stream.", _OURS),
    Requirement("responses.in-progress-repeats", "While nothing happens `response.in_progress` is repeated.", _CODEX),
    Requirement("responses.incomplete-on-length", "A cut answer is incomplete with `max_output_tokens`.", _RESPONSES),
    Requirement("responses.failed-codes", "Failures carry the codes that Codex tells apart.", _CODEX),
    Requirement("responses.store-refused", "`store: true` and `previous_response_id` are refused.", _OURS),
    Requirement("responses.namespace-calls", "A call into a namespace carries `name` and `namespace`.", _CODEX),
    Requirement("responses.custom-tools", "A custom tool is called with free text as `custom_tool_call`.", _CODEX),
    Requirement("responses.hosted-left-out", "Hosted tools are left out of the prompt.", _OURS),
    Requirement("responses.output-forms", "`function_call_output.output` is a string or a list of parts.", _CODEX),
    Requirement("responses.reasoning-skipped", "Reasoning items of the history are skipped.", _CODEX),
    Requirement("turns.one-system-head", "Leading system, developer and instructions merge into one turn.", _OURS),
    Requirement("turns.same-on-both", "The same conversation gives the same turns on both APIs.", _OURS),
    Requirement("tools.limits", "Past 128 tools or 128 KiB the array is refused, naming the limit.", _OURS),
    Requirement("parameters.table-drives", "A refused parameter gives its sentence, a neutral value passes.", _OURS),
    Requirement("errors.path", "A wrong type is 400 with the path of the field.", _OURS),
    Requirement("errors.unknown-model", "An unknown model is 404 and names what exists.", _OURS),
    Requirement("errors.problem-json", "`Accept: application/problem+json` gets RFC 9457.", _OURS),
    Requirement("errors.never-500", "No bad input gives a 500.", _OURS),
    Requirement("reasoning.stripped", "Thinking is on no wire unless exposed.", _OURS),
    Requirement("reasoning.stuck", "An answer that never left its thinking says so.", _OURS),
    Requirement("guard.host", "A foreign Host is 403 and named.", _OURS),
    Requirement("guard.origin", "A foreign Origin is 403 and named.", _OURS),
    Requirement("guard.body-limit", "A body past the limit is 413 and names the limit, announced or not.", _OURS),
    Requirement("guard.credentials-ignored", "Any credential, also a wrong one, is ignored on loopback.", _OURS),
    Requirement("slots.disconnect-frees", "A client that leaves frees its slot and closes the engine's answer.", _OURS),
    Requirement("slots.full-is-429", "A full queue is 429 with Retry-After.", _OURS),
    Requirement("server.port-in-use", "A port in use is a clear error that says whether it is us.", _OURS),
    Requirement("server.shutdown-terminal", "A shutdown sends open streams a terminal event.", _OURS),
    Requirement("models.codex-catalog", "`?client_version` adds the `models` array that Codex reads.", _CODEX),
    Requirement("sdk.chat", "The strict SDK reads chat, whole and streamed.", _SDK),
    Requirement("sdk.responses", "The strict SDK reads responses, whole and streamed.", _SDK),
    Requirement("mcp.versions", "Every version of the handshake is agreed on; an unknown one gets the newest.", _MCP),
    Requirement("mcp.stateless", "The 2026-07-28 revision is served without a handshake, marked on results.", _MCP),
    Requirement("mcp.unsupported-version", "An unserved version is -32022 and names those that are.", _MCP),
    Requirement("mcp.errors-by-code", "What is no message gets its JSON-RPC code, and the session goes on.", _MCP),
    Requirement("mcp.unknown-method", "An unknown method is -32601 and names what is served.", _MCP),
    Requirement("mcp.cancelled-is-silent", "A cancelled call is stopped and not answered.", _MCP),
    Requirement("mcp.progress-grows", "Progress is told to who asks, with growing numbers.", _MCP),
    Requirement("mcp.text-alone", "A result is text, never structured content or an output schema.", _AGENTS),
    Requirement(
        "mcp.read-only-hints", "Every tool says that it reads, destroys nothing and stays in its world.", _AGENTS
    ),
    Requirement("mcp.flat-schemas", "Schemas are flat and closed; together they stay under 3,000 tokens.", _AGENTS),
    Requirement("mcp.bounded", "No answer is longer than 8,000 bytes, and what is missing can be asked for.", _AGENTS),
    Requirement("mcp.errors-are-text", "A tool's failure is text that names argument, found and what works.", _OURS),
    Requirement("mcp.always-starts", "The tools are listed though there is no index, or no repository.", _OURS),
    Requirement("mcp.stdout-is-protocol", "Nothing but JSON-RPC reaches stdout.", _MCP),
    Requirement("mcp.light-start", "Nothing heavy is imported before the tools are listed.", _AGENTS),
    Requirement("mcp.no-orphans", "The server ends when the pipe closes or the parent dies.", _OURS),
    Requirement(
        "mcp.choice-of-tools", "The setting restricts listing and dispatch; a wrong one refuses to start.", _OURS
    ),
    Requirement("mcp.official-client", "The official client works in each of its modes.", _MCP),
    Requirement("mcp.http-guard", "The HTTP door refuses a foreign Host.", _MCP),
)


def requirement(*ids: str) -> Callable[[_Test], _Test]:
    """Mark a test as holding these promises; an id that does not exist fails at import."""
    known = {entry.id for entry in REQUIREMENTS}
    unknown = set(ids) - known
    if unknown:
        raise ValueError(f"no such requirement: {', '.join(sorted(unknown))}")
    return lambda test: test
