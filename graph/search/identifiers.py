"""The identifier tier: a query that is written like one name is looked up as a name before anything else.

`a`, `a.b`, `A::b`, `a/b.py`, `f()`. Inside a sentence nothing here applies: an exact-name boost there costs more than
it brings (measured: .065), because `check` and `add` are words.
"""

from __future__ import annotations

import re
import sqlite3

from graph.search.analyzer import parts, squeezed
from graph.search.lexical import Candidate, Scope, in_degrees, named
from graph.search.priors import prior
from graph.search.ranking import Ranked
from graph.search.typos import one_letter_off

__all__ = ["by_name", "identifier_in"]

_SHAPE = re.compile(r"`?((?:[\w$@~-]*[\w$][\w$@~-]*)(?:(?:\.|::|#|->|/)[\w$@~-]+)*)(?:\(\))?`?")
_SEPARATOR = re.compile(r"\.|::|#|->|/")
_LOOKED_AT = 400
"""Names that hold the text; the shortest come first, so an exact one is always among them."""

EXACT = 16.0
"""Above any score of a sentence, whose fields, meaning and neighbours add up to less."""


def identifier_in(text: str) -> str | None:
    """Return the identifier that the whole text is, without backticks and `()`; None for anything else."""
    found = _SHAPE.fullmatch(text.strip())
    return found[1] if found and not found[1].isdigit() else None


def by_name(
    connection: sqlite3.Connection, identifier: str, scope: Scope, *, is_word: bool, wants_tests: bool
) -> list[Ranked]:
    """Return the symbols that an identifier names, best first.

    `is_word` says the identifier is also a word of the index: then only exact names count, and the rest of the answer
    is left to the text.
    """
    components = [component for component in _SEPARATOR.split(identifier) if component]
    asked = {components[-1], identifier.rpartition("/")[2]}
    ranked: dict[str, Ranked] = {}
    for name in sorted(asked):
        found = named(connection, squeezed(name), scope, _LOOKED_AT)
        tiers = {c.node: _tier(c, name, components, identifier) for c in found}
        kept = [c for c in found if tiers[c.node] > (_PREFIX if is_word else 0.0)]
        degrees = in_degrees(connection, [c.node for c in kept])
        for c in kept:
            score = tiers[c.node] + 0.4 * prior(c, wants_tests=wants_tests) + 0.1 * _saturated(degrees.get(c.node, 0))
            if c.key not in ranked or ranked[c.key].score < score:
                ranked[c.key] = Ranked(c, score, ("name",))
    if not any(hit.score >= _PREFIX for hit in ranked.values()) and not is_word:
        for c in one_letter_off(connection, squeezed(components[-1]), scope):
            score = _TYPO + 0.4 * prior(c, wants_tests=wants_tests)
            ranked[c.key] = Ranked(c, score, ("name but for one letter",))
    return sorted(ranked.values(), key=lambda hit: (-hit.score, len(hit.candidate.name), hit.candidate.key))


_TYPO = EXACT - 4.5
_PREFIX = EXACT - 4


def _tier(candidate: Candidate, name: str, components: list[str], identifier: str) -> float:
    """Return how a name matches: exact, exact but for case, prefix, parts in order, any part of it."""
    own = candidate.name
    if squeezed(own) == squeezed(name):
        tier = EXACT if own == name else EXACT - 1
        return tier - (0.0 if _qualified(candidate, components, identifier) else 2.0)
    if squeezed(own).startswith(squeezed(name)):
        return _PREFIX
    asked, held = parts(name), parts(own)
    if any(held[i : i + len(asked)] == asked for i in range(len(held))):
        return EXACT - 5
    return EXACT - 6 if len(squeezed(name)) >= 3 else 0.0


def _qualified(candidate: Candidate, components: list[str], identifier: str) -> bool:
    """Whether what stands before the name is where the symbol is: its class, its module, its folder."""
    if len(components) == 1 or candidate.path.endswith(identifier):
        return True
    around = [part.lower() for part in _SEPARATOR.split(f"{candidate.path}/{candidate.qualname}")]
    place = iter(around)
    return all(component.lower() in place for component in components)


def _saturated(count: int) -> float:
    return count / (count + 10)
