"""The written forms of a tool call: patterns of their beginnings, and readers of whole ones. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import cast

import msgspec
from msgspec import Struct

from serve.prompt.jsonstream import members
from serve.turns import ToolSpec

__all__ = [
    "BARE_KEYS",
    "HEAD",
    "LIST_OPEN",
    "MISTRAL_HEAD",
    "NAME",
    "XML_OPEN",
    "Call",
    "free_text",
    "read_object",
    "read_xml",
    "xml_end",
]

_STRING = r'"((?:[^"\\]|\\.)*)"'
_OPEN = r'[\s\[,]*\{{1,2}\s*(?:"type"\s*:\s*"function"\s*,\s*)?'
HEAD = re.compile(rf'{_OPEN}"name"\s*:\s*{_STRING}\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=\S)')
"""All before the arguments. Two braces open some small models' calls, after the words of their own template."""
NAME = re.compile(rf'{_OPEN}"name"\s*:\s*{_STRING}')
MISTRAL_HEAD = re.compile(r"\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*\w*\s*)?(?:\[ARGS\])?\s*(?=\{)")
LIST_OPEN = re.compile(r"\[\s*(?=\{)")
"""The beginning of a list of objects."""
XML_OPEN = "<function="
_XML_CLOSER = "</function>"
_XML_NAME = re.compile(r"\s*<function=[^>\n]*>")
_XML_PART = re.compile(r"\s*(?:<parameter=[^>\n]+>(?s:.*?)</parameter>|(</function>))")
_KEYS = ("name", "type", "function", "arguments", "parameters", "id")
BARE_KEYS = re.compile(
    r"\{{1,2}\s*(?:$|\"(?:" + "|".join(f"{key[:size]}$" for key in _KEYS for size in range(len(key) + 1)) + r")|"
    r"\"(?:" + "|".join(_KEYS) + r")\")"
)
"""The beginning of an object that may be a call, judged by its first key as far as that is told."""
_XML_FUNCTION = re.compile(r"\s*<function=([^>\n]+)>(.*)</function>", re.DOTALL)
_XML_PARAMETER = re.compile(r"<parameter=([^>\n]+)>\n?(.*?)\n?</parameter>", re.DOTALL)


class Call(Struct, frozen=True):
    """A call read whole."""

    name: str
    arguments: str


def read_object(text: str) -> Call | None:
    """Read a call written as one JSON object in any order of keys; the arguments keep their bytes. None: it is none."""
    found = members(text.strip())
    if "function" in found and found["function"].startswith("{"):
        return read_object(found["function"])
    name = _text(found.get("name", found.get("function", "")))
    if not name:
        return None
    raw = found.get("arguments", found.get("parameters", "{}"))
    if raw.startswith('"'):
        return Call(name, _text(raw) or "{}")
    return Call(name, "{}" if raw == "null" else raw)


def free_text(arguments: str) -> str:
    """Return the text of a free-text tool's call: the only value of an object, a JSON string, or what stands there."""
    values = list(members(arguments.strip()).values())
    raw = values[0] if len(values) == 1 else arguments.strip()
    return _text(raw) or arguments


def read_xml(text: str, tools: Mapping[str, ToolSpec]) -> Call | None:
    """Read Qwen's XML form; a value is JSON unless the tool's schema says that it is a string."""
    function = _XML_FUNCTION.match(text)
    if function is None:
        return None
    name = function[1].strip()
    strings = _string_arguments(tools.get(name))
    values = {
        key.strip(): value if key.strip() in strings else _json_or_text(value)
        for key, value in _XML_PARAMETER.findall(function[2])
    }
    return Call(name, json.dumps(values, ensure_ascii=False))


def xml_end(text: str) -> int | None:
    """Return where a call in Qwen's XML form ends; None when it goes on. What its values hold does not end it."""
    if _XML_CLOSER not in text:
        return None
    head = _XML_NAME.match(text)
    at = head.end() if head else 0
    while head and (part := _XML_PART.match(text, at)):
        at = part.end()
        if part[1]:
            return at
    opened = text.find("<parameter=", at)
    closed = text.find(_XML_CLOSER, at)
    return closed + len(_XML_CLOSER) if closed >= 0 and not 0 <= opened < closed else None


def _text(raw: str) -> str:
    try:
        value: object = json.loads(raw)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def _json_or_text(value: str) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _string_arguments(tool: ToolSpec | None) -> frozenset[str]:
    """Return the names of the arguments that are strings; none when the schema does not say."""
    if tool is None:
        return frozenset()
    try:
        schema: object = msgspec.json.decode(bytes(tool.parameters))
    except msgspec.DecodeError:
        return frozenset()
    properties = cast("Mapping[str, object]", schema).get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return frozenset()
    return frozenset(
        name
        for name, one in cast("Mapping[str, object]", properties).items()
        if isinstance(one, Mapping) and cast("Mapping[str, object]", one).get("type") == "string"
    )
