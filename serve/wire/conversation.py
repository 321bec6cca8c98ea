"""Rules that both OpenAI APIs share for turns: the leading system turn, parts of content, results of calls.

The same conversation gives the same turns on every wire, so it also shares one cached prefix.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from serve.errors import BadRequestError
from serve.turns import Message, Role
from serve.wire.fields import Field, shorten

__all__ = ["brought_array", "brought_calls", "join_parts", "lead_with_system", "name_results", "refuse_content"]

_TEXT_KINDS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})


def join_parts(content: Field) -> str:
    """Return the text of a content: a string, or text parts joined by line breaks; other parts are refused by name."""
    if not content.is_given:
        return ""
    if isinstance(content.value, str):
        return content.value
    if not isinstance(content.value, list):
        raise content.wrong("a string or an array of parts")
    return "\n".join(_part(part) for part in content.items())


def _part(part: Field) -> str:
    kind = part.get("type").text()
    if kind in _TEXT_KINDS:
        return part.get("text").text()
    if kind == "refusal":
        return part.get("refusal").text()
    raise refuse_content(part, kind)


def refuse_content(part: Field, kind: str) -> BadRequestError:
    """Return the error for content that is not text."""
    return BadRequestError(
        f"{part.path} is of type {shorten(kind)}; only text can be read here. Send its text, or leave it out.",
        param=part.path,
        code="unsupported_content",
    )


def lead_with_system(messages: Iterable[Message], instructions: str = "") -> tuple[Message, ...]:
    """Return the turns with everything that leads merged into one system turn; later system turns stay in place.

    A merge of late ones into the head would rewrite the cached prefix of the conversation.
    """
    turns = list(messages)
    lead = 0
    while lead < len(turns) and turns[lead].role is Role.SYSTEM:
        lead += 1
    texts = [text for text in (instructions, *(turn.content for turn in turns[:lead])) if text]
    head = (Message(role=Role.SYSTEM, content="\n\n".join(texts)),) if texts else ()
    return (*head, *turns[lead:])


def name_results(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return the turns with the name of its tool on each result, which some templates want."""
    names: dict[str, str] = {}
    named: list[Message] = []
    for message in messages:
        names.update((call.id, call.name) for call in message.tool_calls)
        if message.role is Role.TOOL and message.name is None and message.tool_call_id in names:
            named.append(msgspec.structs.replace(message, name=names[message.tool_call_id]))
        else:
            named.append(message)
    return tuple(named)


def brought_array(array: Field) -> bool:
    """Whether a `tools` array holds anything, be it only tools that are left out of the prompt."""
    return next(array.items(), None) is not None


def brought_calls(messages: Iterable[Message]) -> bool:
    """Whether the history holds traffic of tools, which is a sign of tools as good as an array."""
    return any(message.tool_calls or message.role is Role.TOOL for message in messages)
