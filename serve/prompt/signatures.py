"""A tool's JSON Schema as a signature: `search(query: str, limit?: int 1..25)`.

Only what a signature states without loss is stated so; any other keyword or shape and the argument's schema goes
verbatim (`options: {"type":"object",...}`), or the whole schema where its top level is unusual.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import cast

import msgspec

from serve.errors import BadRequestError
from serve.turns import ToolSpec

__all__ = ["signature"]

_NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "null"}
_SAID = {"type", "description", "title", "default", "enum", "const", "minimum", "maximum", "items", "examples"}
_TOP = {"type", "properties", "required", "additionalProperties", "description", "title", "$schema", "strict"}
_Schema = Mapping[str, object]


def signature(tool: ToolSpec, number: int = 0, describe: Callable[[str], str] = str) -> str:
    """Return the signature of a tool; `describe` shortens the descriptions of its arguments.

    `number` is the tool's place in the array, for errors.

    Raises:
        BadRequestError: the parameters are no JSON object.
    """
    name = f"{tool.namespace}.{tool.name}" if tool.namespace else tool.name
    if tool.is_free_text:
        return f"{name}(text)"
    schema = _decoded(tool, number)
    properties = schema.get("properties", {})
    if not (set(schema) <= _TOP and schema.get("additionalProperties") in {None, False} and _is_schema(properties)):
        return f"{name}({_verbatim(schema)})"
    required = schema.get("required", [])
    wanted = set(cast("list[object]", required)) if isinstance(required, list) else set[object]()
    parts = [
        f"{argument}{'' if argument in wanted else '?'}: {_type(one, describe)}"
        for argument, one in cast("_Schema", properties).items()
    ]
    return f"{name}({', '.join(parts)})"


def _decoded(tool: ToolSpec, number: int) -> _Schema:
    raw = bytes(tool.parameters).strip()
    try:
        value: object = msgspec.json.decode(raw) if raw and raw != b"null" else {}
    except msgspec.DecodeError as error:
        value = error
    if not _is_schema(value):
        raise BadRequestError(
            f"The parameters of the tool {tool.name!r} are not a JSON Schema object.",
            param=f"tools[{number}].parameters",
        )
    return cast("_Schema", value)


def _is_schema(value: object) -> bool:
    return isinstance(value, Mapping)


def _type(schema: object, describe: Callable[[str], str]) -> str:
    """Return the type of one argument, or its schema verbatim."""
    if not isinstance(schema, Mapping):
        return "any" if schema is True else _verbatim(schema)
    known = cast("_Schema", schema)
    said = _said_type(known)
    if said is None or not set(known) <= _SAID:
        return _verbatim(known)
    default = known.get("default")
    if isinstance(default, (str, int, float, bool)):
        said += f" = {_json(default)}"
    written = known.get("description")
    description = describe(" ".join(written.split())) if isinstance(written, str) else ""
    return f"{said} ({description})" if description else said


def _said_type(schema: _Schema) -> str | None:
    """Return the words for a type; None when words would lose something."""
    if "const" in schema:
        return _json(schema["const"])
    choices = schema.get("enum")
    if isinstance(choices, list):
        return " | ".join(_json(choice) for choice in cast("list[object]", choices))
    kind = schema.get("type")
    if isinstance(kind, list):
        names = [_NAMES.get(str(one)) for one in cast("list[object]", kind)]
        return None if None in names or "items" in schema else " | ".join(str(name) for name in names)
    if kind == "array":
        items = schema.get("items")
        inner = _inner(cast("_Schema", items)) if isinstance(items, Mapping) else None
        return None if inner is None else f"list[{inner}]"
    if kind is None and set(schema) <= {"description", "title"}:
        return "any"
    name = _NAMES.get(str(kind))
    if name is None or "items" in schema:
        return None
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return name
    return f"{name} {'' if low is None else _json(low)}..{'' if high is None else _json(high)}"


def _inner(schema: _Schema) -> str | None:
    """Return the words for the items of a list."""
    return _said_type(schema) if set(schema) <= _SAID - {"default", "description"} else None


def _verbatim(schema: object) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
