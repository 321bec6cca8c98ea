"""Schemas by chance: each is refused by name and path, or every document of its grammar is valid."""

import datetime
import ipaddress
import json
import random
import re
import uuid

import pytest

from serve.errors import BadRequestError
from serve.prompt.gbnf_machine import Machine
from serve.prompt.gbnf_sizes import NEVER
from serve.prompt.schema import compile_schema
from serve.prompt.schema_formats import ADVISORY, FORMATS
from tests.schema_dice import document_of, root_of

ROUNDS, SCHEMAS, DOCUMENTS = 8, 150, 5
ALWAYS_HELD = frozenset(FORMATS) - ADVISORY
HELD = [
    {"type": "integer", "multipleOf": 7},
    {"type": "integer", "multipleOf": 60, "minimum": 1},
    {"type": "number", "multipleOf": 5, "exclusiveMaximum": 0},
    {"type": "integer", "multipleOf": 250, "minimum": -1000, "maximum": 9000},
    {"items": {"enum": ["a", "b", 3, None]}, "uniqueItems": True, "minItems": 2, "maxItems": 3},
    {"items": {"$ref": "#/$defs/c"}, "uniqueItems": True, "$defs": {"c": {"type": "boolean"}}},
    {"type": "number", "minimum": 0.1, "maximum": 0.9},
    {"type": "number", "minimum": 0.5, "maximum": 0.525},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    {"type": "number", "minimum": -273.15},
    {"type": "number", "exclusiveMinimum": -0.05, "maximum": 0.05},
    {"type": "number", "exclusiveMinimum": 10**9, "exclusiveMaximum": 10**9 + 1},
    {"allOf": [{"properties": {"a": {"minimum": 3}}}, {"properties": {"a": {"maximum": 5}}, "required": ["a"]}]},
    {"allOf": [{"enum": [1, 2, "a"]}, {"enum": [True, "a", 2]}]},
    {"$defs": {"n": {"properties": {"n": {"allOf": [{"$ref": "#/$defs/n"}]}}}}, "$ref": "#/$defs/n"},
    {"type": "string", "pattern": "^[a-z0-9-]+$", "minLength": 3, "maxLength": 9},
    {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "maxLength": 20},
    {"type": "string", "format": "uri", "maxLength": 2083, "minLength": 1},
    {"type": "object", "propertyNames": {"pattern": "^x-[a-z]+$"}, "additionalProperties": {"type": "integer"}},
    {"type": "object", "propertyNames": {"enum": ["a", "é"]}, "maxProperties": 2},
    {"patternProperties": {"^S_": {"type": "string"}}, "properties": {"S_a": {}, "b": {"type": "integer"}}},
    {"patternProperties": {"^\\d+$": {"type": "null"}}, "additionalProperties": False, "minProperties": 1},
    {"properties": {"a": {}, "b": {}, "c": {}}, "dependentRequired": {"a": ["b"], "b": ["c"]}},
    {"properties": {"a": {"type": "null"}}, "unevaluatedProperties": False, "allOf": [{"properties": {"b": {}}}]},
    {"prefixItems": [{"type": "string"}], "unevaluatedItems": False},
    {"properties": {"a": {}, "bb": {}}, "propertyNames": {"maxLength": 1}},
    {"type": "string", "maxLength": 100_000},
    {"type": "array", "items": {"type": "string", "maxLength": 50_000}, "maxItems": 10_000},
    {"nullable": True, "type": "string", "discriminator": {"propertyName": "a"}},
]


def checker(names):
    """Return a checker of formats that are held, strict where the dev extra has no library for it."""
    made = pytest.importorskip("jsonschema").FormatChecker(())
    host = r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9]+"
    duration = r"P(\d+D(T(\d+[HMS]))?|T\d+[HMS]|\d+[YMW])"
    checks = {
        "date": datetime.date.fromisoformat,
        "date-time": datetime.datetime.fromisoformat,
        "time": datetime.time.fromisoformat,
        "uuid": uuid.UUID,
        "ipv4": ipaddress.IPv4Address,
        "ipv6": ipaddress.IPv6Address,
        "duration": re.compile(duration).fullmatch,
        "hostname": re.compile(host).fullmatch,
        "idn-hostname": re.compile(host).fullmatch,
        "email": re.compile(r"[\w]+([.+-][\w]+)*@" + host).fullmatch,
        "idn-email": re.compile(r"[\w]+([.+-][\w]+)*@" + host).fullmatch,
        "uri": re.compile(r"https?://[^\s?#]+(\?[^\s#]*)?(#\S*)?").fullmatch,
        "iri": re.compile(r"https?://[^\s?#]+(\?[^\s#]*)?(#\S*)?").fullmatch,
    }
    assert checks.keys() == FORMATS.keys()
    for name in names:
        check = checks[name]
        made.checks(name, raises=ValueError)(lambda text, check=check: not isinstance(text, str) or bool(check(text)))
    return made


def refusal_of(schema, rng):
    """Return how a schema is refused; None where its documents are valid."""
    try:
        assert_documents_are_valid(schema, rng)
    except BadRequestError as refusal:
        return refusal
    return None


def assert_documents_are_valid(schema, rng, documents=DOCUMENTS, formats=ALWAYS_HELD):
    machine = Machine(compile_schema(json.dumps(schema).encode(), "s"))
    assert machine.start.bytes_left < NEVER
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema, format_checker=checker(formats))
    for _ in range(documents):
        document = document_of(rng, machine)
        validator.validate(json.loads(document))


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_schema_is_held_or_refused_by_name_and_path(number):
    """By the judgement of the reference validator; and half of them are held, so that this says something."""
    held = 0
    for seed in range(number * SCHEMAS, (number + 1) * SCHEMAS):
        rng = random.Random(seed)  # noqa: S311 - a test's dice
        refusal = refusal_of(root_of(rng), rng)
        held += refusal is None
        if refusal is not None:
            assert str(refusal.param).startswith("s")
            assert re.match(r"The keyword '[^']+' at s|s[^ ]* (must|is|makes) ", refusal.message)
    assert held > SCHEMAS // 3


@pytest.mark.parametrize("schema", HELD, ids=lambda schema: json.dumps(schema)[:60])
def test_schema_of_this_kind_is_held(schema):
    """Not refused, and never wider."""
    assert_documents_are_valid(schema, random.Random(7), documents=40)  # noqa: S311 - a test's dice


@pytest.mark.parametrize(
    ("schema", "numbers"),
    [
        ({"minimum": 0}, ["0", "0.5", "19.99", "100000.25", "123456789012345"]),
        ({"minimum": 0.5, "maximum": 2.25}, ["0.5", "0.51", "0.625", "1", "1.999", "2", "2.0", "2.2", "2.25", "2.250"]),
        ({"exclusiveMinimum": -1, "exclusiveMaximum": 0}, ["-0.5", "-0.001", "-0.999", "-0.50"]),
        ({"minimum": 0, "maximum": 1}, ["0", "0.0", "1", "1.0", "0.95", "0.50"]),
        ({"exclusiveMinimum": 0.2, "maximum": 0.25}, ["0.21", "0.2001", "0.25", "0.249"]),
    ],
)
def test_numbers_between_bounds_can_be_written(schema, numbers):
    """With their fractions: narrower than the schema is not crippled."""
    machine = Machine(compile_schema(json.dumps({"type": "number", **schema}).encode(), "s"))
    for number in numbers:
        place = machine.after(machine.start, number)
        assert place is not None, number
        assert place.is_end, number


@pytest.mark.parametrize("name", FORMATS)
def test_texts_of_a_format_are_of_it(name):
    """As far as a checker of ours can tell."""
    rng = random.Random(5)  # noqa: S311 - a test's dice
    assert_documents_are_valid({"type": "string", "format": name}, rng, 60, [name])
