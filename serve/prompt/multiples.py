"""Whole numbers that a step divides, as GBNF. Pure.

Between two bounds they are counted up; without them they are written digit by digit, each state a remainder.
"""

from __future__ import annotations

from collections.abc import Mapping

from serve.prompt.gbnf import Rules, alternatives, literal

__all__ = ["LARGEST_STEP", "multiples"]

LARGEST_STEP = 100
"""One rule for each remainder and place: more would be a grammar that costs too much to follow."""
_MOST_COUNTED = 1_000
_MOST_DIGITS = 6


def multiples(step: int, low: int | None, high: int | None, rules: Rules) -> str | None:
    """Return the multiples of `step` from `low` to `high`; empty when there is none, None when they are not held."""
    if low is not None and high is not None and (high - low) // step < _MOST_COUNTED:
        numbers = [literal(str(number)) for number in range(-(-low // step) * step, high + 1, step)]
        return alternatives(numbers) if numbers else ""
    # A bound at zero or beside it says which signs there are; any other one would cut a row of digits apart.
    if step > LARGEST_STEP or (low is not None and low not in {0, 1}) or (high is not None and high not in {0, -1}):
        return None
    above_zero = _above_zero(step, rules)
    bodies = ['"0"'] if (low or 0) <= 0 <= (high or 0) else []
    bodies += [above_zero] if high is None else []
    bodies += [f'"-" {above_zero}'] if low is None else []
    return alternatives(bodies)


def _above_zero(step: int, rules: Rules) -> str:
    """Return the multiples above zero of at most `_MOST_DIGITS` digits: a state for each remainder and place."""
    onward: dict[int, str] = {}
    for _ in range(_MOST_DIGITS - 1):
        onward = {rest: rules.add(body) for rest in range(step) if (body := _digits(step, rest, onward, 0))}
    return rules.add(_digits(step, 0, onward, 1))


def _digits(step: int, remainder: int, onward: Mapping[int, str], first: int) -> str:
    """Return one more digit and what may follow it; empty where no multiple can come of it."""
    digits: dict[int, list[int]] = {}
    for digit in range(first, 10):
        digits.setdefault((remainder * 10 + digit) % step, []).append(digit)
    bodies: list[str] = []
    for rest, ones in digits.items():
        listed = "[" + "".join(map(str, ones)) + "]"
        if rest == 0:
            bodies.append(f"{listed} {onward[0]}?" if onward else listed)
        elif rest in onward:
            bodies.append(f"{listed} {onward[rest]}")
    return alternatives(bodies) if bodies else ""
