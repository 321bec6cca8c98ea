"""Grammars of tool calls, by dialect: first the head, which names an offered tool, then that tool's arguments. Pure.

Never one grammar of all tools: one schema that cannot be held would refuse the whole request. A tool whose schema
cannot be held takes any JSON object instead, and the reason is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import msgspec

from serve.errors import BadRequestError
from serve.prompt.dialects import Dialect
from serve.prompt.gbnf import Rules, alternatives, literal
from serve.prompt.schema import value_rule
from serve.turns import ToolSpec

__all__ = ["CALL_OPENERS", "XML_CLOSERS", "arguments_grammar", "called_tool", "head_grammar"]

CALL_OPENERS: dict[Dialect, str] = {
    Dialect.HERMES: "<tool_call>",
    Dialect.QWEN_XML: "<tool_call>",
    Dialect.MISTRAL: "[TOOL_CALLS]",
    Dialect.LLAMA3: "",
}
"""What stands before the head of a call."""
XML_CLOSERS = ("</parameter>", "</function>")
"""What ends a piece of a call in Qwen's XML; in JSON one character does."""
_KEYS = {Dialect.HERMES: "arguments", Dialect.MISTRAL: "arguments", Dialect.LLAMA3: "parameters"}
_CLOSERS = {Dialect.HERMES: ' ws "}" ws "</tool_call>"', Dialect.LLAMA3: ' ws "}"', Dialect.MISTRAL: ' ws "}" ws "]"'}
_JSON_HEAD = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"(?:arguments|parameters)"\s*:\s*$')
_XML_HEAD = re.compile(r"\s*<function=([^>\n]+)>\s*$")


def head_grammar(dialect: Dialect, names: Sequence[str]) -> str:
    """Return the grammar of a call from after its opener up to its arguments, for these tools."""
    if dialect is Dialect.QWEN_XML:
        listed = alternatives(literal(name) for name in names)
        return Rules().text(f'ws "<function=" {listed} ">"')
    listed = alternatives(literal(json.dumps(name, ensure_ascii=False)[1:-1]) for name in names)
    bracket = 'ws "[" ' if dialect is Dialect.MISTRAL else ""
    key = literal(f'"{_KEYS[dialect]}"')
    return Rules().text(f'{bracket}ws "{{" ws "\\"name\\"" ws ":" ws "\\"" {listed} "\\"" ws "," ws {key} ws ":"')


def called_tool(dialect: Dialect, head: str) -> str | None:
    """Return the tool that a head names, once the head is whole."""
    found = _XML_HEAD.match(head) if dialect is Dialect.QWEN_XML else _JSON_HEAD.search(head)
    return found[1] if found else None


def arguments_grammar(dialect: Dialect, tool: ToolSpec | None, note: Callable[[str], None]) -> str:
    """Return the grammar of what follows a head: the arguments of its tool and what closes the call."""
    rules = Rules()
    if dialect is Dialect.QWEN_XML:
        return rules.text(f'ws {_xml_parameters(tool, rules, note)} "</function>" ws "</tool_call>"')
    return rules.text(f"ws {_arguments(tool, rules, note)}{_CLOSERS[dialect]}")


def _arguments(tool: ToolSpec | None, rules: Rules, note: Callable[[str], None]) -> str:
    if tool is None:
        return "object"
    if tool.is_free_text:
        return "(object | string)"
    where = f"tools.{tool.name}.parameters"
    return _held(_as_object(tool), where, rules, note) or "object"


def _held(schema: bytes, where: str, rules: Rules, note: Callable[[str], None]) -> str | None:
    """Return the body of a schema; None, and a note why, when it cannot be held."""
    try:
        value_rule(schema, where, Rules())  # tried apart: what a refusal leaves behind would spoil the grammar
    except BadRequestError as error:
        note(f"Any JSON is taken in place of {where}: {error.message}")
        return None
    return value_rule(schema, where, rules)


def _as_object(tool: ToolSpec) -> bytes:
    """Return a tool's schema with its type said: arguments are an object, also where the schema leaves that open."""
    schema: object = msgspec.json.decode(bytes(tool.parameters))
    if isinstance(schema, dict) and "type" not in schema and not {"$ref", "anyOf", "oneOf", "allOf"} & schema.keys():
        return msgspec.json.encode({**cast("dict[str, object]", schema), "type": "object"})
    return bytes(tool.parameters)


def _xml_parameters(tool: ToolSpec | None, rules: Rules, note: Callable[[str], None]) -> str:
    """Return the parameters of Qwen's XML: those that are required, the others as the model likes, in their order."""
    text = rules.add(_text_before("</parameter>", rules))
    properties, required = _properties(tool)
    if not properties:
        return f'("<parameter=" [a-zA-Z0-9_.-]+ ">\\n" {text} ws)*'
    parts: list[str] = []
    for name, schema in properties.items():
        body = text
        if not _is_text(schema):
            value = _held(msgspec.json.encode(schema), f"tools.{name}", rules, note)
            body = f'{value} ws "</parameter>"' if value else text
        one = rules.add(f"{literal(f'<parameter={name}>')} {_NEWLINE} {body} ws")
        parts.append(one if name in required else f"{one}?")
    return " ".join(parts)


_NEWLINE = literal("\n")


def _text_before(closer: str, rules: Rules) -> str:
    """Return any text up to and with its first `closer`: an automaton with one state for each beginning of it."""
    states = [rules.reserve() for _ in closer]
    first = closer[0]
    for at, state in enumerate(states):
        wanted = closer[at]
        onward = literal(wanted) + (f" {states[at + 1]}" if at + 1 < len(states) else "")
        again = "" if wanted == first else f" | {literal(first)} {states[1]}"
        others = f"[^{first}] {states[0]}" if wanted == first else f"[^{first}{wanted}] {states[0]}"
        rules.fill(state, f"{onward}{again} | {others}")
    return states[0]


def _properties(tool: ToolSpec | None) -> tuple[Mapping[str, object], Sequence[object]]:
    schema: object = msgspec.json.decode(bytes(tool.parameters)) if tool is not None else None
    if not isinstance(schema, dict):
        return {}, ()
    keywords = cast("Mapping[str, object]", schema)
    properties, required = keywords.get("properties"), keywords.get("required", [])
    found: Mapping[str, object] = cast("Mapping[str, object]", properties) if isinstance(properties, dict) else {}
    return found, cast("Sequence[object]", required) if isinstance(required, list) else ()


def _is_text(schema: object) -> bool:
    return isinstance(schema, dict) and cast("Mapping[str, object]", schema).get("type") == "string"
