"""An object that takes any name is seen to be given one again and again."""

import pytest

from serve.prompt.names import Names


def floor(text):
    watch = Names()
    for at, character in enumerate(text):
        watch.feed(character, 100 - at if at < 10 else 90)
    return watch.floor()


@pytest.mark.parametrize(
    ("text", "is_repeating"),
    [
        ('{"a":1,"a":2,"a":', True),
        ('{"a":1,"b":2,"a":', False),
        ('[{"a":1},{"a":1},{"a":1},{"a":', False),
        ('{"a":{"a":{"a":{"a":', False),
        ('{"a":1,"a":2,"a":{"b":', False),
        ('{"a":1,"a":2,"a":{"b":"}"}', True),
        ('{"a:\\"":"\\\\","a:\\"":"x:","a:\\"":', True),
        ('["a","a","a","a"', False),
        ('"a": "a": "a":', False),
    ],
)
def test_third_time_of_a_name_in_one_object_is_a_loop(text, is_repeating):
    """Nested objects have names of their own, and what stands in a string is none."""
    assert (floor(text) is not None) is is_repeating


def test_fewest_bytes_inside_the_object_are_told():
    """Whatever is nearer to the end than these is outside of it."""
    assert floor('{"a":1,"a":2,"a":') == 90
