"""A JSON Schema for what each command prints with `--json`, from the structs that it is made of."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from roteiro.reference.documents import documents
from roteiro.reporting import ErrorDocument

__all__ = ["schema_files"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_files() -> Mapping[str, str]:
    """Return the text of each schema by its file name: `schemas/model-list.json`."""
    answers = {
        f"schemas/{words.replace(' ', '-')}.json": _text(f"roteiro {words} --json", document)
        for words, document in sorted(documents().items())
    }
    return answers | {"schemas/error.json": _text("any command with --json, where it has no answer", ErrorDocument)}


def _text(title: str, document: type[Struct]) -> str:
    schema = _closed(msgspec.json.schema(document, schema_hook=_anything))
    named = {"$schema": _DIALECT, "title": title}
    if isinstance(schema, dict):
        named |= schema
    return msgspec.json.format(msgspec.json.encode(named), indent=2).decode() + "\n"


def _anything(_type: type) -> dict[str, object]:
    """Return the schema of `object`, the value of a setting: any JSON."""
    return {"description": "Any JSON."}


def _closed(schema: object) -> object:
    """Return a schema in which an object has no other properties than the named ones."""
    if isinstance(schema, list):
        return [_closed(part) for part in msgspec.convert(schema, list[object])]
    if not isinstance(schema, dict):
        return schema
    parts = {name: _closed(part) for name, part in msgspec.convert(schema, dict[str, object]).items()}
    return {**parts, "additionalProperties": False} if "properties" in parts else parts
