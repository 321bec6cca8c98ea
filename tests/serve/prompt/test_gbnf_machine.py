"""The machine follows a grammar as llama.cpp does, and knows the shortest way to its end."""

import json

import pytest

from serve.prompt.gbnf_machine import Machine
from serve.prompt.gbnf_sizes import NEVER
from serve.prompt.schema import compile_schema

RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2}},
    "required": ["name", "tags"],
}


def machine(schema):
    return Machine(compile_schema(json.dumps(schema).encode(), "s"))


def after(made, text):
    return made.after(made.start, text)


@pytest.mark.parametrize(
    ("body", "inside", "outside"),
    [
        ('"a" "b"* | "c"{2,3}', ["a", "abb", "cc", "ccc"], ["", "b", "c", "cccc"]),
        ('[^a-c\\]"] [\\x41\\u00e9]?', ["d", "xA", "xé"], ["a", "]", '"', "xB"]),
        ('("x" | "\\"" "\\\\")+ [0-9]{2,}', ["x12", '"\\x345'], ["x1", '"12', "12"]),
        ('("a"?)* "b"', ["b", "aaab"], ["a"]),
    ],
)
def test_texts_are_held_as_the_notation_says(body, inside, outside):
    """Literals, classes, groups, alternatives and repetition."""
    made = Machine(f"root ::= {body}\n")
    assert all((place := after(made, text)) is not None and place.is_end for text in inside)
    assert not any((place := after(made, text)) is not None and place.is_end for text in outside)


@pytest.mark.parametrize(
    ("written", "rest"),
    [
        ("", '{"name":"","tags":["",""]}'),
        ('{"name":"Jo', '","tags":["",""]}'),
        ('{"name":"Jo\\', '"","tags":["",""]}'),
        ('{"name":"Jo","tags":["a","b","c', '"]}'),
        ('{"name":"Jo","tags":["a","b","c"]}', ""),
    ],
)
def test_shortest_way_to_the_end_is_known_at_every_place(written, rest):
    """What is required is in it, what is optional is not."""
    made = machine(RECORD)
    place = after(made, written)
    assert (made.shortest(place), place.bytes_left) == (rest, len(rest))


def test_loop_is_left_by_the_character_that_closes_it():
    """A string by its quote, a list by its bracket; inside an item there is no way out of the list."""
    made = machine(RECORD)
    inside, behind = after(made, '{"name":"","tags":["a","b","c'), after(made, '{"name":"","tags":["a","b","c"')
    assert made.exit_from(inside, inside.bytes_left) == '"'
    assert made.exit_from(inside, behind.bytes_left) == ""
    assert made.exit_from(behind, behind.bytes_left) == "]"


def test_large_bounds_cost_nothing_until_they_are_reached():
    """Counts are unfolded one at a time."""
    made = Machine('root ::= ("[" [a-z]{0,100000} "]"){10000}\n')
    assert made.start.bytes_left == 20_000
    assert after(made, "[abc][").bytes_left == 20_000 - 3


def test_grammar_without_an_end_says_so():
    """Its shortest text is none."""
    made = Machine('root ::= "a" root\n')
    assert made.start.bytes_left >= NEVER
    with pytest.raises(ValueError, match="nothing fits"):
        made.shortest(made.start)


def test_rule_that_begins_with_itself_is_an_error():
    """It would be unfolded for ever."""
    with pytest.raises(ValueError, match="begins with itself"):
        Machine('root ::= root "a" | "b"\n')
