"""Typed reading of a JSON body: every wrong type is a `BadRequestError` that names the path of the field.

Holds no knowledge of any API. Unknown keys are never looked at, so they are ignored; `null` reads as absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar, cast

import msgspec
from msgspec import Struct

from serve.errors import BadRequestError

__all__ = ["Field", "read_body", "shorten"]

# An escape of the first half of a surrogate pair without the second. The decoder tells it as an early end.
_HALF = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")
_Scalar = TypeVar("_Scalar", str, int, float, bool)


def read_body(body: bytes) -> Field:
    """Return the body as its root field; raises BadRequestError with the position when it is not a JSON object."""
    try:
        value = msgspec.json.decode(body)
    except RecursionError:
        raise BadRequestError("The body is nested too deeply to be read.", code="invalid_json") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRequestError(_malformed(body, str(error)), code="invalid_json") from None
    root = Field(value, "")
    if not isinstance(value, dict):
        raise BadRequestError(f"The body must be a JSON object; found {root.kind}.", code="invalid_json")
    return root


def _malformed(body: bytes, reason: str) -> str:
    if not body.strip():
        return "The body is empty; it must be a JSON object."
    if half := _HALF.search(body):
        return (
            f"The body is not valid JSON: {half[0].decode()} at byte {half.start()} is half a character, without its "
            "other half behind it."
        )
    if "truncated" in reason:
        return f"The body is not valid JSON: it ends too early, at byte {len(body)}."
    return f"The body is not valid JSON: {reason}."


class Field(Struct, frozen=True):
    """One value of the body, with the path to it, such as `messages[2].content`."""

    value: object
    path: str

    @property
    def is_given(self) -> bool:
        """The field is there and not `null`."""
        return self.value is not None

    @property
    def kind(self) -> str:
        """What JSON calls this value, for messages."""
        value = self.value
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "a boolean"
        if isinstance(value, (int, float)):
            return "a number"
        if isinstance(value, str):
            return "a string"
        return "an array" if isinstance(value, list) else "an object"

    def get(self, name: str) -> Field:
        """Return the member of that name, absent when this field is; raises when this is no object."""
        path = f"{self.path}.{name}" if self.path else name
        if self.value is None:
            return Field(None, path)
        return Field(self.members().get(name), path)

    def members(self) -> dict[str, object]:
        """Return the members of an object."""
        value = self.value
        if not isinstance(value, dict):
            raise self.wrong("an object")
        return cast("dict[str, object]", value)

    def items(self) -> Iterator[Field]:
        """Yield the elements of an array; none when absent."""
        if self.value is None:
            return
        elements = self.value
        if not isinstance(elements, list):
            raise self.wrong("an array")
        for index, value in enumerate(cast("list[object]", elements)):
            yield Field(value, f"{self.path}[{index}]")

    def text(self) -> str:
        """Return a string that must be there."""
        if not isinstance(self.value, str):
            raise self.wrong("a string")
        return self.value

    def text_or(self, default: str) -> str:
        """Return a string, or the default when absent."""
        return self.text() if self.is_given else default

    def name(self) -> str:
        """Return a string that must be there and not be empty."""
        text = self.text()
        if not text:
            raise BadRequestError(f"{self.path} must not be empty.", param=self.path)
        return text

    def flag(self, *, default: bool) -> bool:
        """Return a boolean, or the default when absent."""
        if self.value is None:
            return default
        if not isinstance(self.value, bool):
            raise self.wrong("a boolean")
        return self.value

    def integer(self, low: int, high: int) -> int | None:
        """Return an integer within the bounds, None when absent."""
        if self.value is None:
            return None
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.wrong("an integer")
        return self._within(self.value, low, high)

    def number(self, low: float, high: float) -> float | None:
        """Return a number within the bounds, None when absent."""
        if self.value is None:
            return None
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.wrong("a number")
        return self._within(float(self.value), low, high)

    def choice(self, *names: str) -> str | None:
        """Return a string that is one of the names, None when absent."""
        if self.value is None:
            return None
        if self.text() not in names:
            raise BadRequestError(
                f"{self.path} must be one of {', '.join(names)}; found {shorten(self.text())}.", param=self.path
            )
        return self.text()

    def wrong(self, wanted: str) -> BadRequestError:
        """Return the error for a value of another type."""
        where = self.path or "The body"
        if self.value is None:
            return BadRequestError(f"{where} is missing; it must be {wanted}.", param=self.path)
        return BadRequestError(f"{where} must be {wanted}; found {self.kind}.", param=self.path)

    def _within(self, value: _Scalar, low: _Scalar, high: _Scalar) -> _Scalar:
        if not low <= value <= high:
            raise BadRequestError(f"{self.path} must be from {low} to {high}; found {value}.", param=self.path)
        return value


def shorten(text: str) -> str:
    """Return the text quoted and cut, fit for a message: a caller's megabyte is not echoed."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
