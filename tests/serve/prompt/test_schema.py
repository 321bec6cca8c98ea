"""A schema is held as it says, or refused by keyword and path."""

import json

import pytest

from serve.errors import BadRequestError
from serve.prompt.schema import compile_schema
from serve.prompt.schema_words import ANNOTATIONS, KEYWORDS

REFUSED = [
    ({"not": {}}, "not", "s"),
    ({"properties": {"a": {"contains": {}}}}, "contains", "s.properties.a"),
    ({"patternProperties": {"a": {}, "b": {}}}, "patternProperties", "s"),
    ({"allOf": [{"unevaluatedProperties": False}, {}]}, "unevaluatedProperties", "s.allOf[0]"),
    ({"type": "object", "dependentRequired": {"a": ["b"]}}, "dependentRequired", "s"),
    ({"required": ["a"], "propertyNames": {"maxLength": 0}}, "propertyNames", "s"),
    ({"properties": {"a": {}}, "propertyNames": {"not": {}}}, "not", "s.propertyNames"),
    ({"type": "object", "propertyNames": False, "minProperties": 1}, "minProperties", "s"),
    ({"required": ["a"], "properties": {"a": {"$ref": "#"}}}, "$ref", "s"),
    ({"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "$ref", "s.anyOf[0]"),
    ({"format": "date", "pattern": "a"}, "format", "s"),
    ({"items": {"uniqueItems": True}}, "uniqueItems", "s.items"),
    ({"type": "integer", "multipleOf": 7, "minimum": 5}, "multipleOf", "s"),
    ({"type": "number", "multipleOf": 0.01}, "multipleOf", "s"),
    ({"type": "integer", "multipleOf": 101}, "multipleOf", "s"),
    ({"items": {"enum": [1, 2]}, "uniqueItems": True, "minItems": 3}, "minItems", "s"),
    ({"allOf": [{"const": 1}, {"const": True}]}, "const", "s.allOf[1]"),
    ({"type": "integer", "minimum": 0.1, "maximum": 0.9}, "minimum", "s"),
    ({"oneOf": [{"type": "string"}, {"minLength": 1}]}, "oneOf", "s.oneOf"),
    ({"oneOf": [{"type": "integer"}, {"minLength": 1}]}, "oneOf", "s.oneOf"),
    ({"allOf": [{"pattern": "a"}, {"pattern": "b"}]}, "pattern", "s.allOf[1]"),
    ({"$ref": "http://elsewhere/"}, "$ref", "s"),
    ({"$ref": "#/$defs/none"}, "$ref", "s"),
    ({"properties": {"a": {"$ref": "#one"}}, "$defs": {"b": {"$anchor": "one"}}}, "$ref", "s.properties.a"),
    ({"items": {"$id": "x", "$ref": "#/$defs/a"}, "$defs": {"a": True}}, "$id", "s.items"),
    ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "$ref", "s.$defs.a"),
    ({"pattern": "(?=a)"}, "pattern", "s"),
    ({"pattern": "a+?"}, "pattern", "s"),
    ({"pattern": "((a?){1000}){1000}"}, "pattern", "s"),
    ({"enum": [1], "type": "string"}, "enum", "s"),
    ({"enum": ["a"], "maxLength": 3}, "maxLength", "s"),
    (False, "false", "s"),
    ({"enum": []}, "enum", "s"),
    ({"madeUp": 1}, "madeUp", "s"),
    ({"minProperties": 3}, "minProperties", "s"),
]


@pytest.mark.parametrize(("schema", "keyword", "path"), REFUSED, ids=lambda value: json.dumps(value)[:40])
def test_what_cannot_be_held_is_refused_by_keyword_and_path(schema, keyword, path):
    """Never passed over, never widened."""
    with pytest.raises(BadRequestError) as caught:
        compile_schema(json.dumps(schema).encode(), "s")
    assert f"'{keyword}' at {path} " in caught.value.message
    assert (caught.value.param, caught.value.code) == (path, "unsupported_schema")


@pytest.mark.parametrize(
    "schema",
    [
        7,
        {"type": "strange"},
        {"properties": []},
        {"items": 3},
        {"minItems": "x"},
        {"required": [[]]},
        {"dependentRequired": {"a": [1]}},
        {"patternProperties": []},
        {"propertyNames": 3, "properties": {"a": {}}},
    ],
)
def test_what_is_no_schema_is_an_error_that_names_the_place(schema):
    """Wrong types are the request's fault."""
    with pytest.raises(BadRequestError) as caught:
        compile_schema(json.dumps(schema).encode(), "s")
    assert str(caught.value.param).startswith("s")


def test_deep_schema_is_refused():
    """It cannot exhaust the stack."""
    schema = b'{"items":' * 3_000 + b"{}" + b"}" * 3_000
    with pytest.raises(BadRequestError):
        compile_schema(schema, "s")


def test_annotations_change_nothing():
    """They say nothing of which documents are valid."""
    noted = {"type": "integer", "x-order": 1, **{name: {} for name in ANNOTATIONS}}
    assert compile_schema(json.dumps(noted).encode(), "s") == compile_schema(b'{"type":"integer"}', "s")


def test_keywords_are_told_with_what_they_mean():
    """The reference page is made from this table."""
    assert not set(KEYWORDS) & ANNOTATIONS
    assert all(note.endswith(".") for note in KEYWORDS.values())
