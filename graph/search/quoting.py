"""Where a pasted message stands in the code as it is: runs of three words, looked up as phrases of the index.

A message has values in it that the code does not hold; runs between them match all the same.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graph.search.analyzer import terms
from graph.search.lexical import matching_ids

__all__ = ["quoted_shares"]

_LEAST_RUNS = 2
_MOST_DOCUMENTS = 40
"""A run that more documents hold is a phrase of the language, not of a message."""


def quoted_shares(connection: sqlite3.Connection, runs: Sequence[tuple[str, ...]]) -> dict[int, float]:
    """Return for documents which share of the runs their body holds, the fullest first."""
    held: dict[int, int] = {}
    for run in runs:
        phrase = " ".join(term for word in run for term in terms(word))
        documents = matching_ids(connection, "body", phrase) if phrase else set[int]()
        for document in documents if len(documents) <= _MOST_DOCUMENTS else ():
            held[document] = held.get(document, 0) + 1
    kept = {document: count / len(runs) for document, count in held.items() if count >= min(_LEAST_RUNS, len(runs))}
    return dict(sorted(kept.items(), key=lambda item: (-item[1], item[0]))[:_MOST_DOCUMENTS])
