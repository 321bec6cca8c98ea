"""Numbers between bounds as GBNF: every number that is written lies between them. Pure.

Not every number that lies between them can be written: at most 15 digits before and after the point, no exponents.
"""

from __future__ import annotations

from serve.prompt.gbnf import alternatives, literal

__all__ = ["integers", "numbers"]

_MOST = 10**15 - 1
"""The largest integer that any client's 64-bit floats keep exactly has 16 digits."""


def integers(low: int | None, high: int | None) -> str:
    """Return the integers from `low` to `high`, both included; empty when there is none."""
    bottom = -_MOST if low is None else max(low, -_MOST)
    top = _MOST if high is None else min(high, _MOST)
    if bottom > top:
        return ""
    parts: list[str] = []
    if bottom < 0:
        magnitudes = _between(max(1, -top), -bottom)
        parts.append(f'"-" {alternatives(magnitudes)}')
    if top >= 0:
        parts += _between(max(0, bottom), top)
    return alternatives(parts)


def numbers(low: int | None, high: int | None, *, above: bool = False, below: bool = False) -> str:
    """Return the numbers from `low` to `high`; `above` and `below` leave the bounds themselves out."""
    bottom = -_MOST if low is None else max(low, -_MOST)
    top = _MOST if high is None else min(high, _MOST)
    parts = [body for body in (integers(bottom + above, top - below),) if body]
    if top > max(0, bottom):  # from n up to n + 1, both below the top
        parts.append(f'{integers(max(0, bottom), top - 1)} "." {_FRACTION}')
    if bottom < min(0, top):
        magnitudes = integers(max(0, -top), -bottom - 1)
        parts.append(f'"-" {magnitudes} "." {_FRACTION}')
    return alternatives(parts) if parts else ""


_FRACTION = "[0-9]{0,14} [1-9]"
"""Never zero, so that a number beside a bound that is left out is not the bound."""


def _between(low: int, high: int) -> list[str]:
    """Return the integers from `low` to `high`, neither negative, as alternatives by length."""
    found: list[str] = []
    for length in range(len(str(low)), len(str(high)) + 1):
        least = max(low, 10 ** (length - 1) if length > 1 else 0)
        found += _same_length(str(least), str(min(high, 10**length - 1)))
    return found


def _same_length(low: str, high: str) -> list[str]:
    """Return the integers between two of the same length."""
    if not low:
        return []
    size = len(low)
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        return [f"{_digit(low[0], high[0])}{_any_digits(size - 1)}"]
    if low[0] == high[0]:
        return [f"{literal(low[0])} {alternatives(_same_length(low[1:], high[1:]))}"]
    parts = [f"{literal(low[0])} {alternatives(_same_length(low[1:], '9' * (size - 1)))}"]
    if int(high[0]) - int(low[0]) > 1:
        middle = _digit(str(int(low[0]) + 1), str(int(high[0]) - 1))
        parts.append(f"{middle}{_any_digits(size - 1)}")
    return [*parts, f"{literal(high[0])} {alternatives(_same_length('0' * (size - 1), high[1:]))}"]


def _digit(low: str, high: str) -> str:
    return literal(low) if low == high else f"[{low}-{high}]"


def _any_digits(count: int) -> str:
    return f" [0-9]{{{count}}}" if count else ""
