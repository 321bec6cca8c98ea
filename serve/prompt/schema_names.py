"""The names of an object's members under `patternProperties` and `propertyNames`. Pure.

Names are judged by a machine, never by `re`: a pattern from outside could keep that busy for years.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from serve.errors import BadRequestError
from serve.prompt.gbnf_machine import Machine
from serve.prompt.pattern import pattern_rule
from serve.prompt.schema_bounds import bounds
from serve.prompt.schema_formats import FORMATS
from serve.prompt.schema_merge import Schema, refused
from serve.prompt.schema_words import ANNOTATIONS

__all__ = ["name_fits", "patterns_of", "value_of"]

_JUDGED = frozenset({"type", "const", "enum", "minLength", "maxLength", "pattern", "format"})
_ANY = r'[^"\\\x00-\x1F\x7F]*'


def patterns_of(schema: Schema, path: str) -> dict[str, object]:
    """Return the schemas of `patternProperties` by pattern.

    Raises:
        BadRequestError: they are none, or a pattern is not held.
    """
    found = schema.get("patternProperties", {})
    if not isinstance(found, dict):
        raise BadRequestError(f"{path}.patternProperties must be an object.", param=f"{path}.patternProperties")
    return cast("dict[str, object]", found)


def value_of(name: str, declared: object, patterns: Mapping[str, object], otherwise: object, path: str) -> object:
    """Return the schema of a member: its own where it is declared, those of patterns it may match, or neither's.

    Raises:
        BadRequestError: whether the name matches cannot be told.
    """
    parts = [] if declared is None else [declared]
    for pattern, schema in patterns.items():
        # Where one of several branches has the anchor, the pattern is taken to match more than it does.
        is_loose = "|" in pattern
        before = "" if pattern.startswith("^") and not is_loose else f"{_ANY} "
        after = "" if pattern.endswith("$") and not pattern.endswith("\\$") and not is_loose else f" {_ANY}"
        if _matches(name, f"{before}({pattern_rule(pattern, path)}){after}", "patternProperties", path):
            parts.append(schema)
    if not parts:
        return otherwise
    return parts[0] if len(parts) == 1 else {"allOf": parts}


def name_fits(name: str, names: object, path: str) -> bool:
    """Say whether a name certainly fits `propertyNames`.

    Raises:
        BadRequestError: its schema has a keyword that is not judged here.
    """
    if isinstance(names, bool):
        return names
    if not isinstance(names, dict):
        raise BadRequestError(f"{path}.propertyNames must be a schema.", param=f"{path}.propertyNames")
    at = f"{path}.propertyNames"
    schema = {key: value for key, value in cast("Schema", names).items() if key not in ANNOTATIONS}
    for key, value in schema.items():
        if key not in _JUDGED or (key == "format" and value in FORMATS):
            raise refused(key, at, "it is not held for names that are declared")
    low, high = bounds(schema, "minLength", "maxLength", at)
    kinds, listed = schema.get("type", "string"), schema.get("enum", [name])
    return (
        "string" in (cast("list[object]", kinds) if isinstance(kinds, list) else [kinds])
        and low <= len(name) <= (len(name) if high is None else high)
        and schema.get("const", name) == name
        and isinstance(listed, list)
        and name in listed
        and ("pattern" not in schema or _matches(name, pattern_rule(schema["pattern"], at), "propertyNames", path))
    )


def _matches(name: str, body: str, keyword: str, path: str) -> bool:
    if not name.isprintable() or set(name) & {'"', "\\"}:
        raise refused(keyword, path, f"it is not held beside the name {name!r}")
    try:
        machine = Machine(f"root ::= {body}\n")
        place = machine.after(machine.start, name)
    except ValueError:
        raise refused(keyword, path, "its pattern repeats too much") from None
    return place is not None and place.is_end
