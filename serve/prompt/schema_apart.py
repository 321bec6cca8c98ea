"""Whether two schemas have no value in common, as far as types and constants tell. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from serve.prompt.schema_merge import Schema, types_of
from serve.prompt.schema_words import ANNOTATIONS

__all__ = ["are_apart", "fits", "listed_values"]


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def fits(value: object, kinds: Sequence[str]) -> bool:
    """Say whether a value is of one of these types."""
    kind = _kind(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def listed_values(schema: Schema, path: str) -> list[object] | None:
    """Return all values of a schema, each once, where it lists them; None where it does not."""
    said = {key for key in schema if key not in ANNOTATIONS}
    values = _values(schema)
    if values is None and said == {"type"} and set(types_of(schema, path)) <= {"boolean", "null"}:
        values = [value for value in (False, True, None) if fits(value, types_of(schema, path))]
    if values is None or not said <= {"const", "enum", "type"} or {"const", "enum"} <= said:
        return None
    kinds = types_of({"type": schema["type"]}, path) if "type" in said else None
    found: list[object] = []
    for value in values:
        if value not in found and (kinds is None or fits(value, kinds)):  # 1 and true count as one, which is narrower
            found.append(value)
    return found


def are_apart(first: Schema, second: Schema) -> bool:
    """Say whether what is written under one schema never fits the other, as far as types and constants tell."""
    return _excludes(first, second) and _excludes(second, first)


def _excludes(written: Schema, other: Schema) -> bool:
    """Say whether no value that is written under one schema fits another one."""
    ours, theirs = _values(written), _values(other)
    if ours is not None and theirs is not None:
        return not any(value in theirs for value in ours)
    # A schema that names no type is written as the type its keywords speak of, and fits values of every other one.
    kinds = {_kind(value) for value in ours} if ours is not None else set(types_of(written, ""))
    others = set(types_of({"type": other["type"]} if "type" in other else {}, ""))
    others = {_kind(value) for value in theirs} if theirs is not None else others
    if "number" in kinds | others:
        kinds, others = ({"number" if kind == "integer" else kind for kind in group} for group in (kinds, others))
    if not kinds & others:
        return True
    return kinds & others == {"object"} and ours is None and theirs is None and _is_told_by_a_name(written, other)


def _is_told_by_a_name(first: Schema, second: Schema) -> bool:
    """Say whether a property that both require has constants in both, and none in common."""
    mine, yours = (cast("Mapping[str, object]", one.get("properties", {})) for one in (first, second))
    for name in set(_names(first)) & set(_names(second)):
        left, right = (_values(one.get(name, {})) for one in (mine, yours))
        if left is not None and right is not None and not any(value in right for value in left):
            return True
    return False


def _values(schema: object) -> list[object] | None:
    if not isinstance(schema, dict):
        return None
    keywords = cast("Schema", schema)
    if "const" in keywords:
        return [keywords["const"]]
    listed = keywords.get("enum")
    return cast("list[object]", listed) if isinstance(listed, list) else None


def _names(schema: Schema) -> list[str]:
    required = schema.get("required", [])
    return [str(name) for name in cast("list[object]", required)] if isinstance(required, list) else []
