"""Patterns and formats beside `minLength` and `maxLength`: how long texts are, and how they are kept inside. Pure."""

from __future__ import annotations

from serve.prompt.gbnf_reader import Alternatives, Characters, Node, Reference, Repeated, Sequence, read_rules
from serve.prompt.pattern import pattern_rule
from serve.prompt.schema_merge import refused
from serve.prompt.schema_words import MOST_REPEATED

__all__ = ["fits_between", "pattern_between"]

_ENDLESS = 1 << 40
_LONGEST = 4_000
_FLOORS = 64
"""Lower bounds of open repetitions that are tried so that a text becomes long enough."""


def fits_between(body: str, low: int, high: int | None) -> bool:
    """Say whether every text of a body without escapes has from `low` to `high` characters."""
    least, most = _lengths(read_rules(f"root ::= {body}")["root"])
    return low <= least and (high is None or most <= high)


def pattern_between(pattern: object, path: str, low: int, high: int | None) -> str:
    """Return the inside of a string that matches a pattern and is as long as said; open repetitions are narrowed.

    Raises:
        BadRequestError: the pattern is not held, or not at these lengths.
    """
    plain = pattern_rule(pattern, path)
    if not low and high is None:
        return plain
    if _has_escape(read_rules(f"root ::= {plain}")["root"]) or len(plain) > _LONGEST:
        raise refused("pattern", path, "long, or with what JSON escapes, it is not held beside minLength or maxLength")
    if fits_between(plain, low, high):
        return plain
    most = MOST_REPEATED if high is None else high
    for floor in range(min(_FLOORS, most) + 1):
        if fits_between(pattern_rule(pattern, path, (floor, most)), low, None):
            cap = _largest_cap(pattern, path, floor, most, high)
            if cap is not None:
                return pattern_rule(pattern, path, (floor, cap))
            break
    raise refused("pattern", path, "it is not held at the lengths of minLength and maxLength")


def _largest_cap(pattern: object, path: str, floor: int, most: int, high: int | None) -> int | None:
    """Return the most repetitions with which no text is too long; None where even `floor` is too many."""
    low, top = floor, most
    while low < top:
        middle = (low + top + 1) // 2
        if fits_between(pattern_rule(pattern, path, (floor, middle)), 0, high):
            low = middle
        else:
            top = middle - 1
    return low if fits_between(pattern_rule(pattern, path, (floor, low)), 0, high) else None


def _has_escape(node: Node) -> bool:
    match node:
        case Characters(ranges, is_negated):
            return not is_negated and ("\\", "\\") in ranges
        case Sequence(items):
            return any(map(_has_escape, items))
        case Alternatives(options):
            return any(map(_has_escape, options))
        case Repeated(inner):
            return _has_escape(inner)
        case Reference():
            return True


def _lengths(node: Node) -> tuple[int, int]:
    match node:
        case Characters():
            return 1, 1
        case Sequence(items):
            sizes = [_lengths(item) for item in items]
            return min(_ENDLESS, sum(low for low, _ in sizes)), min(_ENDLESS, sum(high for _, high in sizes))
        case Alternatives(options):
            sizes = [_lengths(option) for option in options]
            return min(low for low, _ in sizes), max(high for _, high in sizes)
        case Repeated(inner, least, most):
            low, high = _lengths(inner)
            return min(_ENDLESS, low * least), min(_ENDLESS, high * (_ENDLESS if most is None else most))
        case Reference():
            return 0, _ENDLESS
