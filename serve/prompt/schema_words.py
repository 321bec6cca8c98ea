"""The keywords of JSON Schema that are held here, with what that means; the reference page is made from this table."""

from __future__ import annotations

from serve.prompt.schema_formats import FORMATS

__all__ = ["ANNOTATIONS", "KEYWORDS", "MOST_REPEATED"]

MOST_REPEATED = 1_000
"""How often a grammar may repeat a thing with bounds; llama.cpp refuses more than 2,000 elements."""

KEYWORDS: dict[str, str] = {
    "type": "A name or an array of names.",
    "enum": "The values as written, beside `type` and `const` only.",
    "const": "The value as written.",
    "properties": "In the order of the schema. Undeclared properties are not written where any are declared.",
    "required": "Names that are not in `properties` take any value, or that of `additionalProperties`.",
    "additionalProperties": "A schema or a boolean; for objects that declare no property.",
    "patternProperties": "Of declared names that match; where none are declared one pattern, which gives the names.",
    "propertyNames": "Of objects that declare none any schema of strings; declared names that do not fit are left out.",
    "unevaluatedProperties": "A schema or a boolean; not in `allOf`, nor in branches with keywords beside them.",
    "dependentRequired": "Beside declared properties, for up to four optional names.",
    "minProperties": "As far as required properties give it; 1 for objects that declare none.",
    "maxProperties": f"No fewer than are declared; narrowed to {MOST_REPEATED}.",
    "items": "A schema or a boolean.",
    "prefixItems": "All of them are written.",
    "unevaluatedItems": "As `unevaluatedProperties`; where it is a schema no such item is written.",
    "minItems": f"Up to {MOST_REPEATED}.",
    "maxItems": f"Narrowed to {MOST_REPEATED}.",
    "uniqueItems": "`false`, for arrays of at most one item, or of listed values, which come in their order.",
    "minLength": f"Up to {MOST_REPEATED}.",
    "maxLength": f"Narrowed to {MOST_REPEATED}.",
    "pattern": "Classes, groups, alternatives, repetition; anchored patterns are held at both ends. Lengths too.",
    "format": f"{', '.join(f'`{name}`' for name in FORMATS)} are held, others read as annotations.",
    "minimum": "Numbers of at most 15 digits, without exponents.",
    "maximum": "The same.",
    "exclusiveMinimum": "The same.",
    "exclusiveMaximum": "The same.",
    "multipleOf": "Whole numbers: up to 100 beside bounds at zero, any between two bounds that are not far apart.",
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
        "discriminator",
        "encrypted",
        "enumDescriptions",
        "example",
        "examples",
        "externalDocs",
        "id",
        "markdownDescription",
        "nullable",
        "readOnly",
        "title",
        "writeOnly",
        "xml",
    }
)
"""Keywords that say nothing of which documents are valid."""
