"""What a grammar of ours lets a model write is valid under the schema, whatever the model would like to write."""

import json
import random

import pytest

from serve.errors import BadRequestError
from serve.prompt.schema import compile_schema

pytestmark = pytest.mark.native
TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
            "required": ["v", "next"],
        }
    },
    "$ref": "#/$defs/node",
}
KINDS = {
    "oneOf": [
        {"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k", "x"]},
        {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"]},
    ]
}
JOINED = {
    "allOf": [
        {"properties": {"a": {"type": "integer", "minimum": 3}}, "required": ["a"]},
        {"properties": {"b": {"type": "string"}}, "required": ["b"]},
    ]
}
RECORD = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"enum": ["x", 'q"\\', 3]}, "c": {"type": ["string", "null"]}},
    "required": ["b", "other"],
    "additionalProperties": {"type": "boolean"},
}
SCHEMAS = [
    True,
    TREE,
    KINDS,
    JOINED,
    RECORD,
    {"type": "object"},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
    {"type": "object", "properties": {"p": {"$ref": "#"}}},
    {"type": "string", "minLength": 2, "maxLength": 5},
    {"type": "string", "pattern": '^[a-z"\\\\]{2,4}(-[0-9]+|\\.x|[^a-z])?$'},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "ipv4"},
    {"type": "integer", "minimum": -17, "maximum": 233},
    {"type": "integer", "maximum": -3, "minimum": -1205},
    {"type": "integer", "exclusiveMinimum": 99},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    {"type": "number", "minimum": -5.5, "exclusiveMaximum": -2},
    {"minimum": 3},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
    {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
]


@pytest.fixture(scope="module")
def vocabulary(tiny_model):
    """Return the vocabulary of a tiny model: every byte is a token."""
    from serve.engine.local.native import NativeModel

    model = NativeModel(tiny_model("attention"))
    yield model.vocabulary
    model.close()


def written(vocabulary, text, seed, limit=300):
    """Return what a model without taste writes under a grammar; None when it finds no end."""
    from serve.engine.local.grammar import Grammar

    rng = random.Random(seed)  # noqa: S311 - a test's dice
    grammar = Grammar(vocabulary, text, "schema")
    ascii_tokens = [token for token in range(vocabulary.size) if all(byte < 128 for byte in vocabulary.piece(token))]
    said = b""
    try:
        for _ in range(limit):
            allowed = [token for token in ascii_tokens if grammar.allows(token)]
            assert allowed, said
            ends = [token for token in allowed if vocabulary.is_end(token)]
            if ends and (len(ends) == len(allowed) or rng.random() < 0.3):
                return said.decode()
            going = [token for token in allowed if token not in ends]
            closing = [token for token in going if vocabulary.piece(token) in {b'"', b"}", b"]"}]
            token = rng.choice(closing if closing and rng.random() < 0.4 else going)
            said += vocabulary.piece(token)
            assert grammar.accept(token)
    finally:
        grammar.close()
    return None


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: json.dumps(schema)[:50])
def test_whatever_is_written_is_valid(vocabulary, schema):
    """By the judgement of the reference validator."""
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    grammar = compile_schema(json.dumps(schema).encode(), "schema")
    documents = [written(vocabulary, grammar, seed) for seed in range(6)]
    finished = [document for document in documents if document is not None]
    assert finished
    for document in finished:
        validator.validate(json.loads(document))


def test_grammar_that_llama_cpp_refuses_is_an_error(vocabulary):
    """Neither a crash nor an unconstrained answer."""
    from serve.engine.local.grammar import Grammar

    for text in ("root ::= nowhere", "root ::= (", "root ::= root"):
        with pytest.raises(BadRequestError, match="response_format"):
            Grammar(vocabulary, text, "response_format")


def test_token_that_is_not_allowed_is_never_accepted(vocabulary):
    """It would end the process."""
    from serve.engine.local.grammar import Grammar

    grammar = Grammar(vocabulary, 'root ::= "ab"', "x")
    assert not grammar.accept_text("b")
    assert grammar.accept_text("ab")
    assert not grammar.accept_text("a")
    grammar.close()
