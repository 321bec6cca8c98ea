"""Whole numbers between bounds as GBNF: all that are written lie between them, with at most 15 digits. Pure."""

from __future__ import annotations

from serve.prompt.gbnf import alternatives, literal

__all__ = ["MOST", "digit", "integers"]

MOST = 10**15 - 1
"""The largest integer that any client's 64-bit floats keep exactly has 16 digits."""


def integers(low: int | None, high: int | None) -> str:
    """Return the integers from `low` to `high`, both included; empty when there is none."""
    bottom = -MOST if low is None else max(low, -MOST)
    top = MOST if high is None else min(high, MOST)
    if bottom > top:
        return ""
    parts: list[str] = []
    if bottom < 0:
        magnitudes = _between(max(1, -top), -bottom)
        parts.append(f'"-" {alternatives(magnitudes)}')
    if top >= 0:
        parts += _between(max(0, bottom), top)
    return alternatives(parts)


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
        return [f"{digit(low[0], high[0])}{_any_digits(size - 1)}"]
    if low[0] == high[0]:
        return [f"{literal(low[0])} {alternatives(_same_length(low[1:], high[1:]))}"]
    parts = [f"{literal(low[0])} {alternatives(_same_length(low[1:], '9' * (size - 1)))}"]
    if int(high[0]) - int(low[0]) > 1:
        middle = digit(str(int(low[0]) + 1), str(int(high[0]) - 1))
        parts.append(f"{middle}{_any_digits(size - 1)}")
    return [*parts, f"{literal(high[0])} {alternatives(_same_length('0' * (size - 1), high[1:]))}"]


def digit(low: str, high: str) -> str:
    """Return one digit between two."""
    return literal(low) if low == high else f"[{low}-{high}]"


def _any_digits(count: int) -> str:
    return f" [0-9]{{{count}}}" if count else ""
