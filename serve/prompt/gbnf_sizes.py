"""What the rules of a grammar amount to: the bytes of their shortest texts, and which begin with themselves. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from serve.prompt.gbnf_reader import Alternatives, Characters, Node, Reference, Repeated, Sequence

__all__ = ["NEVER", "begun_by_themselves", "bytes_of", "least_bytes", "sample"]

NEVER = 1 << 40
"""The bytes of a text that has no end."""
_PREFERRED = "a0 -_A"
"""What fills a string that must have characters."""


def sample(characters: Characters) -> str:
    """Return a character of a class, a plain one where there is a choice."""
    if not characters.is_negated and len(characters.ranges) == 1:
        return characters.ranges[0][0]
    plain = next((character for character in _PREFERRED if characters.holds(character)), "")
    if plain or not characters.is_negated:
        return plain or characters.ranges[0][0]
    return next(chr(code) for code in range(33, 0x11_0000) if characters.holds(chr(code)))


def least_bytes(rules: Mapping[str, Node]) -> dict[str, int]:
    """Return the bytes of the shortest text of each rule, `NEVER` where a rule has none."""
    least = dict.fromkeys(rules, NEVER)
    is_settled = False
    while not is_settled:
        is_settled = True
        for name, body in rules.items():
            size = bytes_of(body, least)
            if size < least[name]:
                least[name] = size
                is_settled = False
    return least


def bytes_of(node: Node, least: Mapping[str, int]) -> int:
    """Return the bytes of the shortest text of a node, those of the rules being known."""
    match node:
        case Characters():
            return len(sample(node).encode(errors="replace"))
        case Sequence(items):
            return min(NEVER, sum(bytes_of(item, least) for item in items))
        case Alternatives(options):
            return min(bytes_of(option, least) for option in options)
        case Reference(name):
            return least.get(name, NEVER)
        case Repeated(inner, low, _):
            return min(NEVER, low * bytes_of(inner, least)) if low else 0


def begun_by_themselves(rules: Mapping[str, Node]) -> frozenset[str]:
    """Return the rules whose text may begin with a text of their own, which no reader of grammars unfolds."""
    least = least_bytes(rules)
    first = {name: frozenset(_first(body, least)) for name, body in rules.items()}
    return frozenset(name for name in rules if _reaches(name, first))


def _first(node: Node, least: Mapping[str, int]) -> Iterator[str]:
    """Yield the rules with which a node may begin."""
    match node:
        case Characters():
            return
        case Sequence(items):
            for item in items:
                yield from _first(item, least)
                if bytes_of(item, least):
                    return
        case Alternatives(options):
            for option in options:
                yield from _first(option, least)
        case Reference(name):
            yield name
        case Repeated(inner, _, high):
            if high != 0:
                yield from _first(inner, least)


def _reaches(name: str, first: Mapping[str, frozenset[str]]) -> bool:
    seen: set[str] = set()
    waiting = list(first[name])
    while waiting:
        at = waiting.pop()
        if at == name:
            return True
        if at not in seen:
            seen.add(at)
            waiting += first.get(at, ())
    return False
