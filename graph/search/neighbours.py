"""What stands around a hit: a method of a class that answers, and a function that an answering one calls, rise.

A question is often about a class ("the CSRF middleware") and answered by one of its methods, whose own words are few.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from graph.search.lexical import Candidate, edges_among
from graph.search.ranking import Ranked

__all__ = ["lifted"]

_LOOKED_AT = 60
"""Of the ranking; below them nobody reads, and their neighbours lift nothing."""
_SHARES = {"contains": 0.15, "calls": 0.05}
"""Of the score of the container, or of a caller: measured on docstrings over six repositories and on questions over
six; more of either moves whole classes up."""


def lifted(
    connection: sqlite3.Connection, ranked: Sequence[Ranked], factor: Callable[[Candidate], float]
) -> list[Ranked]:
    """Return the hits in order again, the first ones lifted by the best of their containers and callers among them."""
    first = ranked[:_LOOKED_AT]
    scores = {hit.candidate.node: hit.score for hit in first}
    lift: dict[int, float] = {}
    for source, target, kind in edges_among(connection, sorted(scores), sorted(_SHARES)):
        if source != target:
            lift[target] = max(lift.get(target, 0.0), _SHARES[kind] * scores[source])
    raised = [
        replace(hit, score=hit.score + lift.get(hit.candidate.node, 0.0) * factor(hit.candidate)) for hit in first
    ]
    return [*sorted(raised, key=lambda hit: (-hit.score, hit.candidate.key)), *ranked[_LOOKED_AT:]]
