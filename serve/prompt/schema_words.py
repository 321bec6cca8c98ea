"""The keywords of JSON Schema that are held here, with what that means; the reference page is made from this table."""

from __future__ import annotations

__all__ = ["ANNOTATIONS", "FORMATS", "KEYWORDS", "MOST_REPEATED"]

MOST_REPEATED = 1_000
"""How often a grammar may repeat a thing with bounds; llama.cpp refuses more than 2,000 elements."""

KEYWORDS: dict[str, str] = {
    "type": "A name or an array of names.",
    "enum": "The values as written, beside `type` and `const` only.",
    "const": "The value as written.",
    "properties": "In the order of the schema. Undeclared properties are not written where any are declared.",
    "required": "Names that are not in `properties` take any value, or that of `additionalProperties`.",
    "additionalProperties": "A schema or a boolean; for objects that declare no property.",
    "minProperties": "As far as required properties give it; 1 for objects that declare none.",
    "maxProperties": "No fewer than are declared; 1 for objects that declare none.",
    "items": "A schema or a boolean.",
    "prefixItems": "All of them are written.",
    "minItems": f"Up to {MOST_REPEATED}.",
    "maxItems": f"Narrowed to {MOST_REPEATED}.",
    "uniqueItems": "`false`, or for arrays of at most one item.",
    "minLength": f"Up to {MOST_REPEATED}.",
    "maxLength": f"Narrowed to {MOST_REPEATED}.",
    "pattern": "Classes, groups, alternatives and bounded repetition; anchored patterns are held at both ends.",
    "format": "`date`, `time`, `date-time`, `uuid`, `ipv4` are held; others are read as annotations.",
    "minimum": "Of a number with a fraction, the next whole number inside the bounds.",
    "maximum": "The same.",
    "exclusiveMinimum": "The same.",
    "exclusiveMaximum": "The same.",
    "multipleOf": "1 only.",
    "anyOf": "With other keywords beside it, each branch is joined with them.",
    "oneOf": "Where types, constants or a required constant property keep the branches apart.",
    "allOf": "Joined to one schema; keywords that say different things are refused.",
    "$ref": "Into the same schema (`#`, `#/$defs/...`), also recursive.",
}
ANNOTATIONS = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$id",
        "$schema",
        "contentEncoding",
        "contentMediaType",
        "default",
        "definitions",
        "deprecated",
        "description",
        "example",
        "examples",
        "id",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Keywords that say nothing of which documents are valid."""

_DAY = '"-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])'  # days that every month has
_CLOCK = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,6})?'
_ZONE = '("Z" | [+-] ("0" [0-9] | "1" [0-3]) ":" [0-5] [0-9])'
_BYTE = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9]? [0-9])'
_YEAR = '("19" | "20") [0-9] [0-9]'
FORMATS: dict[str, str] = {
    "date": f"{_YEAR} {_DAY}",
    "time": f"{_CLOCK} {_ZONE}",
    "date-time": f'{_YEAR} {_DAY} "T" {_CLOCK} {_ZONE}',
    "uuid": '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
    "ipv4": f'{_BYTE} "." {_BYTE} "." {_BYTE} "." {_BYTE}',
}
