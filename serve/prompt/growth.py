"""Operations by which a chat template makes text grow, each refused before it makes more than there may be.

A text that doubles in a loop of forty rounds would take all memory long before any bound on steps or time is met.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any, cast

import jinja2
from jinja2.filters import do_indent, do_join
from jinja2.nodes import EvalContext

from serve.prompt.content import Marked

__all__ = ["FILTERS", "MAX_CHARACTERS", "TooMuchError", "check_method", "check_operation"]

MAX_CHARACTERS = 64 * 1024 * 1024
"""The largest text that a template may make, at once or in all: four times the largest request body."""
_MOST_ITEMS = 1_000_000
"""The longest list; each of its places takes as much as eight characters."""
_MOST_INDENT = 1_000


class TooMuchError(Exception):
    """The template exceeded its bound."""


def check_operation(operator: str, left: object, right: object) -> None:
    """Refuse an operation whose result could be huge.

    Raises:
        TooMuchError: it is.
    """
    if operator == "**" or (operator == "%" and isinstance(left, str)):
        raise TooMuchError
    is_list = any(isinstance(side, Sized) and not isinstance(side, str) for side in (left, right))
    most = _MOST_ITEMS if is_list else MAX_CHARACTERS
    if operator == "*":
        _check(_size(left) * _size(right), most)
    if operator == "+" and isinstance(left, Sized) and isinstance(right, Sized):
        _check(len(left) + len(right), most)


def check_method(method: object, arguments: tuple[Any, ...]) -> None:
    """Refuse the call of a text's method whose result could be huge; raises TooMuchError."""
    owner: object = getattr(method, "__self__", None)
    name: object = getattr(method, "__name__", "")
    if not isinstance(owner, str):
        return
    match name, arguments:
        case "replace", (old, new, *_):
            _check_replace(owner, old, new)
        case "join", (Sized() as parts,):
            _check(len(owner) * len(parts))
        case _:
            return


def _size(value: object) -> float:
    """Return the length of a text or a list, the magnitude of a number, 1 for what has neither."""
    if isinstance(value, Sized):
        return len(value)
    return abs(value) if isinstance(value, (int, float)) else 1


def _check(size: float, most: float = MAX_CHARACTERS) -> None:
    if size > most:
        raise TooMuchError


def _check_replace(text: str, old: object, new: object) -> None:
    if isinstance(old, str) and isinstance(new, str):
        real = text.real if isinstance(text, Marked) else text
        _check(len(real) + real.count(str(old)) * len(new))


def _concat(values: Iterable[object]) -> str:
    """Join what stands beside `~`."""
    texts = [str(value) for value in values]
    _check(sum(map(len, texts)))
    return "".join(texts)


def _replace(text: object, old: object, new: object, count: int = -1) -> str:
    owner = text if isinstance(text, str) else str(text)
    _check_replace(owner, old, new)
    return owner.replace(str(old), str(new), count)


@jinja2.pass_eval_context
def _join(context: EvalContext, value: Iterable[object], d: str = "", attribute: str | int | None = None) -> str:
    values = list(value)
    _check(len(d) * len(values) + sum(len(one) for one in values if isinstance(one, str)))
    return cast("str", do_join(context, values, d, attribute))


def _indent(text: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    amount = len(width) if isinstance(width, str) else width
    if amount > _MOST_INDENT:
        raise TooMuchError
    _check(len(text) + amount * (text.count("\n") + 1))
    return do_indent(text, width, first, blank)


FILTERS = {"concat_": _concat, "replace": _replace, "join": _join, "indent": _indent}
"""Filters in place of jinja2's own, and the one that stands for `~`."""
