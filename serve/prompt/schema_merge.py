"""Two schemas that must both hold, as one schema. Pure; refuses what one set of keywords could not say."""

from __future__ import annotations

import json
from typing import TypeAlias, cast

from serve.errors import BadRequestError
from serve.prompt.schema_words import ANNOTATIONS

__all__ = ["Schema", "holds_reference", "is_same", "merge", "refused", "types_of"]

Schema: TypeAlias = dict[str, object]
_KEYWORDS_OF = {
    "object": (
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "unevaluatedProperties",
        "dependentRequired",
        "minProperties",
        "maxProperties",
    ),
    "array": ("items", "prefixItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_SEES_SIBLINGS = (
    ("additionalProperties", "properties"),
    ("additionalProperties", "patternProperties"),
    ("items", "prefixItems"),
)
"""Keywords whose meaning depends on a neighbour: joined with another schema's neighbour they would say less."""
_SEES_PARTS = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords that see what is inside their own schema and nothing beside it."""


def types_of(schema: Schema, path: str) -> tuple[str, ...]:
    """Return the types that values of a schema have: as it says, else those that its keywords speak of, else all.

    Raises:
        BadRequestError: a type that JSON does not have.
    """
    said = schema.get("type")
    if said is None:
        spoken = tuple(kind for kind, words in _KEYWORDS_OF.items() if any(word in schema for word in words))
        return spoken or tuple(kind for kind in _TYPES if kind != "integer")
    listed = cast("list[object]", said) if isinstance(said, list) else [said]
    if not listed or not all(kind in _TYPES for kind in listed):
        raise BadRequestError(f"{path}.type must be of {', '.join(_TYPES)}; found {said!r}.", param=f"{path}.type")
    kinds = tuple(dict.fromkeys(str(kind) for kind in listed))
    return tuple(kind for kind in kinds if kind != "integer") if {"integer", "number"} <= set(kinds) else kinds


def holds_reference(schema: object) -> bool:
    """Say whether a reference stands anywhere in a schema."""
    if isinstance(schema, dict):
        return "$ref" in schema or any(map(holds_reference, cast("Schema", schema).values()))
    return isinstance(schema, list) and any(map(holds_reference, cast("list[object]", schema)))


def is_same(first: object, second: object) -> bool:
    """Say whether two values are the same JSON: 1 is neither true nor, here, 1.0."""
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def merge(first: Schema, second: Schema, path: str) -> Schema:
    """Return the schema of what fits both.

    Raises:
        BadRequestError: both use a keyword in a way that cannot be joined; names it.
    """
    merged = {key: value for key, value in first.items() if key not in ANNOTATIONS}
    for key, neighbour in _SEES_SIBLINGS:
        if (key in first and neighbour in second) or (key in second and neighbour in first):
            raise _clash(key, path)
    for key in _SEES_PARTS:
        if key in second:
            raise refused(key, path, "it is not held in one schema of several that must all hold")
    for key, value in second.items():
        if key in ANNOTATIONS:
            continue
        if key not in merged or is_same(merged[key], value):
            merged[key] = value
        else:
            merged[key] = _both(key, merged[key], value, path)
    return merged


def _both(key: str, first: object, second: object, path: str) -> object:
    if key in {"items", "additionalProperties", "propertyNames"}:
        return {"allOf": [first, second]}
    if key == "required" and isinstance(first, list) and isinstance(second, list):
        return list(dict.fromkeys([*cast("list[str]", first), *cast("list[str]", second)]))
    if key == "properties" and isinstance(first, dict) and isinstance(second, dict):
        return _joined(cast("Schema", first), cast("Schema", second))
    if key == "enum" and isinstance(first, list) and isinstance(second, list):
        others = cast("list[object]", second)
        common = [one for one in cast("list[object]", first) if any(is_same(one, other) for other in others)]
        if common:
            return common
    if key == "type":
        kinds = [kind for kind in types_of({"type": first}, path) if kind in types_of({"type": second}, path)]
        if kinds:
            return kinds
    numbers = isinstance(first, (int, float)) and isinstance(second, (int, float))
    if numbers and key in {"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"}:
        return max(cast("float", first), cast("float", second))
    if numbers and key in {"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"}:
        return min(cast("float", first), cast("float", second))
    raise _clash(key, path)


def _joined(first: Schema, second: Schema) -> Schema:
    """Return the properties of both; one that both declare must fit both."""
    joined = first | second
    for name in first.keys() & second.keys():
        if not is_same(first[name], second[name]):
            joined[name] = {"allOf": [first[name], second[name]]}
    return joined


def _clash(key: str, path: str) -> BadRequestError:
    return BadRequestError(
        f"The keyword {key!r} at {path} cannot be enforced: two schemas that must both hold say different things. "
        "Write them as one schema.",
        param=path,
        code="unsupported_schema",
    )


def refused(keyword: str, path: str, why: str) -> BadRequestError:
    """Return the error of a keyword that cannot be held."""
    return BadRequestError(
        f"The keyword {keyword!r} at {path} cannot be enforced: {why}. Leave it out, or send a simpler schema.",
        param=path,
        code="unsupported_schema",
    )
