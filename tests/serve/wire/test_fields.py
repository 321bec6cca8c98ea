"""Typed reading of a body."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.errors import BadRequestError
from serve.wire.fields import Field, read_body
from tests.requirements import requirement

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "empty"),
        (b"   ", "empty"),
        (b'{"a": 1', "ends too early, at byte 7"),
        (b'{"a": tru}', "byte 10"),
        (b"[1]", "found an array"),
        (b"null", "found null"),
        (b'"x"', "found a string"),
        (b'{"a": "\xff"}', "not valid JSON"),
        (b'{"a": NaN}', "byte 6"),
        (b"[" * 100_000, "too deeply"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "too deeply"),
        (b"\x00\x01", "byte 0"),
    ],
)
def test_malformed_bodies_say_where(body, said):
    """A body that is no JSON object is refused with the position or the reason."""
    with pytest.raises(BadRequestError) as caught:
        read_body(body)
    assert said in caught.value.message
    assert caught.value.code == "invalid_json"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body):
    """No bytes raise anything but BadRequestError."""
    try:
        read_body(body)
    except BadRequestError as error:
        assert error.message  # noqa: PT017 (either way is fine, a traceback is not)


@requirement("errors.path")
def test_a_wrong_type_names_its_path():
    """The path leads through objects and arrays to the field."""
    root = read_body(b'{"a": [{"b": 7}]}')
    item = next(root.get("a").items())
    with pytest.raises(BadRequestError) as caught:
        item.get("b").text()
    assert (caught.value.param, caught.value.message) == ("a[0].b", "a[0].b must be a string; found a number.")


@given(_JSON)
def test_every_reader_takes_every_value(value):
    """A reader of any type returns or raises BadRequestError, whatever the value."""
    field = Field(value, "x")
    readers = [
        field.text,
        field.name,
        lambda: field.text_or("d"),
        lambda: field.flag(default=True),
        lambda: field.integer(0, 10),
        lambda: field.number(0, 10),
        lambda: field.choice("a", "b"),
        field.members,
        lambda: list(field.items()),
        lambda: field.get("y"),
    ]
    for read in readers:
        try:
            read()
        except BadRequestError as error:
            assert error.param  # noqa: PT017 (either way is fine, a traceback is not)
            msgspec.json.encode(error.message)


def test_null_is_absent():
    """A null is never a decision."""
    root = read_body(b'{"a": null}')
    assert root.get("a").integer(0, 1) is None
    assert root.get("a").get("b").text_or("d") == "d"
    assert list(root.get("a").items()) == []


def test_true_is_no_number():
    """Python's booleans are integers; JSON's are not."""
    with pytest.raises(BadRequestError):
        Field(value=True, path="seed").integer(0, 5)
