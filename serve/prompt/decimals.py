"""Numbers between bounds as GBNF: every number that is written lies between them. Pure.

Not every number that lies between them can be written: at most 15 digits in all, no exponents.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from serve.prompt.gbnf import alternatives, literal
from serve.prompt.numbers import MOST, digit, integers

__all__ = ["numbers"]

_DIGITS = 15
_SMALL = 10**9 - 1
"""Above, numbers between two others are whole."""
_NOTHING = ""
"""No digits behind the point, and no point."""


def numbers(low: Decimal | None, high: Decimal | None, *, above: bool = False, below: bool = False) -> str:
    """Return the numbers from `low` to `high`; `above` and `below` leave the bounds themselves out."""
    bottom = Decimal(-MOST) if low is None else max(low, Decimal(-MOST))
    top = Decimal(MOST) if high is None else min(high, Decimal(MOST))
    parts: list[str] = []
    if bottom < 0:  # zero is written without a sign
        magnitudes = _span(max(-top, Decimal(0)), -bottom, lacks_first=top >= 0 or below, lacks_last=above)
        parts += [f'"-" {alternatives(magnitudes)}'] if magnitudes else []
    if top >= 0:
        parts += _span(max(bottom, Decimal(0)), top, lacks_first=above and bottom >= 0, lacks_last=below)
    return alternatives(parts) if parts else ""


def _span(low: Decimal, high: Decimal, *, lacks_first: bool, lacks_last: bool) -> list[str]:
    """Return the numbers between two that are not negative, as alternatives."""
    if low > high or (low == high and (lacks_first or lacks_last)):
        return []
    least, most = _rounded(low, ROUND_CEILING), _rounded(high, ROUND_FLOOR)
    lacks_first, lacks_last = lacks_first and least == low, lacks_last and most == high
    if least > most:
        return []
    (first, after_first), (last, after_last) = _parts(least), _parts(most)
    if first == last:
        return _after(first, _fractions(after_first, after_last, _places(first), lacks_first, lacks_last))
    bodies = _after(first, _at_least(after_first, _places(first), lacks_first))
    if last - first > 1:
        small, large = integers(first + 1, min(last - 1, _SMALL)), integers(max(first, _SMALL) + 1, last - 1)
        bodies += [f'{small} ("." [0-9]{{1,{_places(_SMALL)}}})?'] if small else []
        bodies += [large] if large else []
    return bodies + _after(last, _at_most(after_last, lacks_last, _places(last)))


def _places(whole: int) -> int:
    """Return the digits behind a point that keep a number apart from its neighbours in a reader's 64-bit floats."""
    return max(0, _DIGITS - len(str(whole)))


def _after(whole: int, fractions: list[str]) -> list[str]:
    """Return a whole number with what may follow it; an empty fraction has no point."""
    found = [literal(str(whole))] if _NOTHING in fractions else []
    listed = [one for one in fractions if one != _NOTHING]
    return found + ([f"{literal(f'{whole}.')} {alternatives(listed)}"] if listed else [])


def _fractions(low: str, high: str, places: int, lacks_first: bool, lacks_last: bool) -> list[str]:
    """Return the digits behind the point from `low` to `high`, which have no zeros at their ends."""
    if not high:
        return [] if low or lacks_first or lacks_last else [_NOTHING]
    start = low[:1] or "0"
    if start == high[0]:
        inner = _fractions(low[1:], high[1:], places - 1, lacks_first, lacks_last)
        found = [f"{literal(start)} {one}" if one != _NOTHING else literal(start) for one in inner]
    else:
        found = [_join(start, one) for one in _at_least(low[1:], places - 1, lacks_first)]
        if int(high[0]) - int(start) > 1:
            found.append(f"{digit(str(int(start) + 1), str(int(high[0]) - 1))} {_up_to(places - 1)}".strip())
        found += [_join(high[0], one) for one in _at_most(high[1:], lacks_last, places - 1)]
    return found + ([] if low or lacks_first else [_NOTHING])


def _at_least(low: str, places: int, lacks_first: bool) -> list[str]:
    """Return the digits behind the point from `low` on."""
    above = [f'{_up_to(places - 3)} [1-9] "0"{{0,2}}'.strip()] if places > 2 else []
    if not low:
        return above if lacks_first else [_NOTHING, *([f"[0-9]{{1,{places}}}"] if places > 0 else [])]
    found: list[str] = []
    for at, one in enumerate(low):
        if one != "9":
            found.append(_join(low[:at], f"{digit(str(int(one) + 1), '9')} {_up_to(places - at - 1)}".strip()))
    return found + [_join(low, one) for one in _at_least("", places - len(low), lacks_first)]


def _at_most(high: str, lacks_last: bool, places: int) -> list[str]:
    """Return the digits behind the point up to `high`, none at all among them."""
    zeros = ['"0"{1,2}'] if places > 1 else []
    if not high:
        return [] if lacks_last else [_NOTHING, *zeros]
    found = [_NOTHING]
    for at, one in enumerate(high):
        if at:
            found.append(literal(high[:at]))
        if one != "0":
            found.append(_join(high[:at], f"{digit('0', str(int(one) - 1))} {_up_to(places - at - 1)}".strip()))
    return found if lacks_last else [*found, literal(high), *(_join(high, one) for one in zeros)]


def _join(digits: str, rest: str) -> str:
    if rest == _NOTHING:
        return literal(digits)
    return f"{literal(digits)} {rest}" if digits else rest


def _up_to(count: int) -> str:
    return f"[0-9]{{0,{count}}}" if count > 0 else ""


def _parts(number: Decimal) -> tuple[int, str]:
    """Return the whole part of a number and the digits behind its point."""
    whole = int(number)
    return whole, format(abs(number - whole), "f")[2:].rstrip("0")


def _rounded(number: Decimal, rounding: str) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-_places(int(number))), rounding=rounding)
