"""The order of candidates: which share of the question each field of a document holds, and what kind of place it is.

Pure. BM25 is good at finding two hundred documents out of fifty thousand and poor at ordering them: it rewards repeated
words. Here every term counts once a field, weighed by how rare it is, so the score of a hit is comparable between
questions: it says how much of the question the hit covers. Ask refuses by it.

The weights were tuned on docstring-to-function sets over eight repositories and on hand-written questions over three,
and checked on questions over others. The doc weight was set by hand, because the first kind of set hides the target's
own doc.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct

from graph.search.analyzer import parts, terms, words
from graph.search.lexical import Candidate

__all__ = ["FIELD_WEIGHTS", "Evidence", "Ranked", "Term", "rank"]

FIELD_WEIGHTS: dict[str, float] = {
    "name": 2.0,
    "enclosing": 1.2,
    "path": 0.8,
    "signature": 0.8,
    "doc": 0.8,
    "body": 0.4,
    "callers": 0.3,
}
COVERAGE_WEIGHT = 1.0
"""Of the squared share of the question that all fields together hold: one place with everything beats two halves."""
QUALIFIED_WEIGHT = 1.2
"""Of the share that the qualified name holds: `Session.send` has two words in two fields, and is one name."""
FIT_WEIGHT = 0.4
"""Of the share of the name's own parts that were asked for: `get_debug_flag` is more than "debug"."""
MEANING_WEIGHT = 2.0
"""Of the cosine, where there are vectors: a question in other words than the code's."""
QUOTED_WEIGHT = 4.0
"""Of the share of a pasted message that stands in the body as it is: the place that says it."""
BM25_WEIGHT = 1.5
"""Of BM25 by the weight of the question, at most about 2: how often and how near the top of a short document."""


_NEAR = 0.45
"""A cosine that is worth naming as a reason; two random functions of one repository have about 0.25."""


class Term(Struct, frozen=True):
    """A term of the question with its weight: how rare it is, and how much it was meant."""

    text: str
    weight: float
    is_bonus: bool = False
    """Adds to a score when it matches, takes nothing away when it does not: a joined pair, a whole identifier."""


class Ranked(Struct, frozen=True):
    """A candidate with its score and the fields that matched, the weightiest first."""

    candidate: Candidate
    score: float
    why: tuple[str, ...]
    coverage: float = 1.0
    """The share of the question's weight that the candidate holds anywhere."""
    word_score: float | None = None
    """The part of the score that words gave: comparable between stores with vectors and without. None: all of it."""


class Evidence(Struct, frozen=True, kw_only=True):
    """What the index says of the candidates, beside what they hold themselves."""

    in_body: Mapping[str, Collection[int]]
    """For each term the documents whose body holds it."""
    callers: Mapping[int, Sequence[str]]
    """For each node the names of its callers."""
    likeness: Mapping[int, float]
    """Cosines by document, where there are vectors."""
    quoted: Mapping[int, float]
    """Which share of a pasted text stands in the body of a document, word for word."""


def rank(
    found: Sequence[Candidate], query: Sequence[Term], evidence: Evidence, factor: Callable[[Candidate], float]
) -> list[Ranked]:
    """Return the candidates in order; equal scores are ordered by key, so that an answer never flickers.

    `factor` says how likely a kind of place is meant at all.
    """
    ranked: list[Ranked] = []
    for candidate in found:
        fields = _fields(candidate, evidence.callers.get(candidate.node, ()))
        fields["body"] = {term.text for term in query if candidate.document in evidence.in_body[term.text]}
        score, coverage, why = _score(candidate, fields, query)
        if share := evidence.quoted.get(candidate.document, 0.0):
            score += QUOTED_WEIGHT * share
            why = ("text", *why)
        near = max(evidence.likeness.get(candidate.document, 0.0), 0.0)
        if near >= _NEAR:
            why = (*why, "meaning")
        likely = factor(candidate)
        total = (score + MEANING_WEIGHT * near) * likely
        ranked.append(Ranked(candidate, total, why, min(coverage, 1.0), score * likely))
    return sorted(ranked, key=lambda hit: (-hit.score, hit.candidate.key))


def _score(
    candidate: Candidate, fields: Mapping[str, set[str]], query: Sequence[Term]
) -> tuple[float, float, tuple[str, ...]]:
    total = sum(term.weight for term in query if not term.is_bonus) or 1.0

    def share(held: set[str]) -> float:
        return sum(term.weight for term in query if term.text in held) / total

    worth = {name: FIELD_WEIGHTS[name] * share(held) for name, held in fields.items()}
    coverage = share(set[str]().union(*fields.values()))
    score = (
        sum(worth.values())
        + COVERAGE_WEIGHT * coverage * coverage
        + QUALIFIED_WEIGHT * share(fields["name"] | fields["enclosing"])
        + FIT_WEIGHT * _fit(candidate.name, query)
        + BM25_WEIGHT * candidate.bm25 / total
    )
    why = sorted((name for name in worth if worth[name] > 0), key=lambda name: (-worth[name], name))
    return score, coverage, tuple(why)


def _fields(candidate: Candidate, callers: Sequence[str]) -> dict[str, set[str]]:
    return {
        "name": set(terms(candidate.name)),
        "enclosing": _terms_of(candidate.qualname.removesuffix(candidate.name)),
        "path": _terms_of(candidate.path),
        "signature": _terms_of(candidate.signature),
        "doc": _terms_of(candidate.doc),
        "callers": {term for name in callers for term in terms(name)},
    }


def _terms_of(text: str) -> set[str]:
    return {term for word in words(text) for term in terms(word)}


def _fit(name: str, query: Sequence[Term]) -> float:
    own = {term for part in parts(name) for term in terms(part)}
    asked = {term.text for term in query}
    return len(own & asked) / len(own) if own else 0.0
