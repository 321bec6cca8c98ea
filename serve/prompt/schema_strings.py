"""Strings of a schema as GBNF: patterns, formats and lengths, as far as they can be held together. Pure."""

from __future__ import annotations

from serve.prompt.gbnf import Rules
from serve.prompt.pattern_lengths import fits_between, pattern_between
from serve.prompt.schema_bounds import bounds, repeat
from serve.prompt.schema_formats import ADVISORY, FORMATS
from serve.prompt.schema_merge import Schema, refused

__all__ = ["string_rule"]


def string_rule(schema: Schema, path: str, rules: Rules) -> str:
    """Return the strings that a schema allows: by pattern, by format, or of some length; raises BadRequestError."""
    low, high = bounds(schema, "minLength", "maxLength", path)
    named = str(schema.get("format"))
    if "pattern" in schema:
        if named in FORMATS and named not in ADVISORY:
            raise refused("format", path, "it is not held beside pattern")
        return rules.add(f'"\\"" {pattern_between(schema["pattern"], path, low, high)} "\\""')
    if named in FORMATS:
        if fits_between(FORMATS[named], low, high):
            return rules.add(f'"\\"" {FORMATS[named]} "\\""')
        if named not in ADVISORY:
            raise refused("format", path, "its texts have other lengths than minLength and maxLength say")
    if not low and high is None:
        return "string"
    return f'"\\"" {repeat("char", low, high)} "\\""'
