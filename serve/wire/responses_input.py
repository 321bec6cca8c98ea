"""The `input` of the Responses API: items to turns and tools. Pure; every refusal names the item."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct

from serve.errors import BadRequestError
from serve.turns import Message, Role, ToolCall
from serve.wire.conversation import join_parts, lead_with_system, name_results
from serve.wire.fields import Field, shorten

__all__ = ["Conversation", "decode_input"]

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}

_SKIPPED = frozenset(
    {
        "code_interpreter_call",
        "file_search_call",
        "image_generation_call",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_call",
        "mcp_list_tools",
        "reasoning",
        "tool_search_call",
        "tool_search_output",
        "web_search_call",
    }
)
"""Thinking is never rendered into a prompt; records of hosted tools are of no use to a model that lacks them."""


class Conversation(Struct, frozen=True):
    """What an input holds."""

    messages: tuple[Message, ...]
    tool_arrays: tuple[Field, ...]
    """Arrays that came as `additional_tools` items."""


def decode_input(field: Field, instructions: str) -> Conversation:
    """Return turns and tools; raises BadRequestError for an item that cannot be read."""
    if isinstance(field.value, str):
        turns: tuple[Message, ...] = (Message(role=Role.USER, content=field.value),)
        return Conversation(lead_with_system(turns, instructions), ())
    if not isinstance(field.value, list):
        raise field.wrong("a string or an array of items")
    items = _Items()
    for item in field.items():
        items.add(item)
    if not items.messages and not instructions:
        raise BadRequestError("input must hold at least one message.", param="input")
    return Conversation(name_results(lead_with_system(items.messages, instructions)), tuple(items.tool_arrays))


class _Items:
    """Collects items in order. A call joins the assistant's turn before it, as Chat Completions writes it."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.tool_arrays: list[Field] = []
        self._readers: dict[str, Callable[[Field], None]] = {
            "message": self._message,
            "function_call": self._call,
            "custom_tool_call": self._call,
            "function_call_output": self._output,
            "custom_tool_call_output": self._output,
            "additional_tools": self._tools,
            "item_reference": self._reference,
            "compaction": self._compaction,
            "compaction_summary": self._compaction,
        }

    def add(self, item: Field) -> None:
        """Read one item; a bare `{role, content}` is a message."""
        kind = item.get("type")
        name = kind.text_or("message")
        if name in _SKIPPED:
            return
        reader = self._readers.get(name)
        if reader is None:
            raise BadRequestError(
                f"{item.path}.type {shorten(name)} cannot be read here. Known: {', '.join(sorted(self._readers))}.",
                param=f"{item.path}.type",
                code="unsupported_content",
            )
        reader(item)

    def _message(self, item: Field) -> None:
        role = item.get("role").text()
        if role not in _ROLES:
            raise BadRequestError(
                f"{item.path}.role must be one of {', '.join(_ROLES)}; found {shorten(role)}.",
                param=f"{item.path}.role",
            )
        content = item.get("content")
        if not content.is_given:
            raise content.wrong("a string or an array of parts")
        self.messages.append(Message(role=_ROLES[role], content=join_parts(content)))

    def _call(self, item: Field) -> None:
        is_free_text = item.get("type").value == "custom_tool_call"
        namespace = item.get("namespace")
        call = ToolCall(
            id=item.get("call_id").name(),
            name=item.get("name").name(),
            arguments=item.get("input" if is_free_text else "arguments").text(),
            namespace=namespace.text() if namespace.is_given else None,
            is_free_text=is_free_text,
        )
        last = self.messages[-1] if self.messages else None
        if last is not None and last.role is Role.ASSISTANT:
            self.messages[-1] = msgspec.structs.replace(last, tool_calls=(*last.tool_calls, call))
        else:
            self.messages.append(Message(role=Role.ASSISTANT, tool_calls=(call,)))

    def _output(self, item: Field) -> None:
        output = item.get("output")
        if not output.is_given:
            raise output.wrong("a string or an array of parts")
        call_id = item.get("call_id").name()
        self.messages.append(Message(role=Role.TOOL, content=join_parts(output), tool_call_id=call_id))

    def _tools(self, item: Field) -> None:
        self.tool_arrays.append(item.get("tools"))

    def _reference(self, item: Field) -> None:
        raise BadRequestError(
            f"{item.path} refers to a stored item, but nothing is stored here; send the item itself.",
            param=item.path,
            code="not_found",
        )

    def _compaction(self, item: Field) -> None:
        raise BadRequestError(
            f"{item.path} is a compaction that was not made here and cannot be read; send the conversation or a "
            "summary of it as a message.",
            param=item.path,
            code="compaction_payload_invalid",
        )
