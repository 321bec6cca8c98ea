"""Candidates by meaning: documents whose vectors are near to a question, where the index holds vectors.

Without the optional package, or with an index that was built without it, every function gives nothing and search goes
by words alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from graph.search.analyzer import content_words, is_identifier_like
from graph.search.embedding import embedder, embedding_name
from graph.search.lexical import Candidate, Scope, documents_in
from graph.search.parsing import ParsedQuery
from graph.search.vectors import due, has_vectors, likeness

__all__ = ["by_meaning", "meaning_note"]

_NOT_INSTALLED = (
    "search goes by words alone here: questions in other words than the code's find less. "
    "Install `roteiro[semantic]` and run `roteiro sync` to search by meaning too."
)
_NOT_INDEXED = "`roteiro[semantic]` is installed and the index is older: run `roteiro sync` to search by meaning too."

_NEAREST = 60
_NEAREST_IN_SCOPE = 1_000
"""With a filter most of the nearest are outside it."""
_LEAST = 0.3
_LEAST_ALONE = 0.5
"""Where no word of the query stands in the index: nearest is then not yet near."""


def by_meaning(
    connection: sqlite3.Connection, parsed: ParsedQuery, scope: Scope, found: Sequence[Candidate]
) -> tuple[list[Candidate], Mapping[int, float]]:
    """Return the candidates near to a query that are not found yet, and the cosines of these and the found ones.

    A query of one identifier is a name, not a meaning. A quoted phrase must stand in a hit, so nothing is added.
    """
    asked = content_words(parsed.text)
    is_name = len(asked) == 1 and is_identifier_like(asked[0])
    if not asked or is_name or not has_vectors(connection):
        return [], {}
    using = embedder()
    if using is None:
        return [], {}
    near = likeness(connection, " ".join(asked), using)
    fresh: list[Candidate] = []
    if not parsed.phrases:
        known = {candidate.document for candidate in found}
        least = _LEAST if found else _LEAST_ALONE
        wanted = near.nearest(_NEAREST_IN_SCOPE if scope.is_narrow else _NEAREST, least)
        fresh = documents_in(connection, [document for document in wanted if document not in known], scope)[:_NEAREST]
    return fresh, near.of([candidate.document for candidate in (*found, *fresh)])


def meaning_note(connection: sqlite3.Connection, project_id: int) -> str:
    """Return why search goes by words alone, and what to do; empty when it does not. Loads nothing."""
    name = embedding_name()
    if not name:
        return _NOT_INSTALLED
    return _NOT_INDEXED if due(connection, project_id, name) else ""
