"""Whether two schemas have no value in common, as far as types and constants tell. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from serve.prompt.schema_merge import Schema, types_of

__all__ = ["are_apart", "fits"]


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


def are_apart(first: Schema, second: Schema) -> bool:
    """Say whether no value fits both schemas, as far as types and constants tell."""
    ours, theirs = _values(first), _values(second)
    if ours is not None and theirs is not None:
        return not any(value in theirs for value in ours)
    kinds, others = set(types_of(first, "")), set(types_of(second, ""))
    if ours is not None:
        kinds = {_kind(value) for value in ours}
    if theirs is not None:
        others = {_kind(value) for value in theirs}
    if "number" in kinds | others:
        kinds, others = ({"number" if kind == "integer" else kind for kind in group} for group in (kinds, others))
    if not kinds & others:
        return True
    if kinds != {"object"} or others != {"object"}:
        return False
    both = set(_names(first)) & set(_names(second))
    mine, yours = (cast("Mapping[str, object]", one.get("properties", {})) for one in (first, second))
    for name in both:
        left, right = (_values(cast("Schema", one.get(name, {}))) for one in (mine, yours))
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
