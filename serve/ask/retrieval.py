"""What a question finds before the model has said anything, and how sure that is.

A question is searched as it stands, with the previous one where it leans on it, and by the identifiers it writes down.
"""

from __future__ import annotations

import math
import re

from msgspec import Struct

from graph.repository import Repository
from graph.search.analyzer import is_identifier_like, words
from graph.search.passages import passage_likeness
from graph.search.search import Hit, SearchPage, search, search_many
from graph.search.vocabulary import ASKING_WORDS, STOP_WORDS

__all__ = ["EXACT_SCORE", "MIN_CONFIDENCE", "Question", "Retrieved", "retrieve"]

MIN_CONFIDENCE = 0.8
"""Below this nothing in the repository answers. Calibrated on hand-written questions over requests, click, starlette
and hono: 61 of 63 answerable ones are above, 37 of 40 unanswerable ones below."""

_FOUND = 12
_WEIGHED = 40
"""Hits of a search whose lines are compared with the question, where there are vectors."""
_PASSAGE_WEIGHT = 2.0
_FIRST = 5.0
"""Puts what a question names before all that resembles it."""
_MAX_IDENTIFIERS = 3
EXACT_SCORE = 14.5
"""Search scores from here up are exact names."""
_NAMELESS = STOP_WORDS | ASKING_WORDS
_LEANING = re.compile(
    r"\b(it|its|that|this|these|those|they|them|their|there|he|she|one|ones|same|else|instead|too|also)\b",
    re.IGNORECASE,
)
_CODE_WORD = re.compile(r"`([^`\s]{2,120})`|\b([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+)\b|\b([A-Za-z_]\w*)\b")


class Question(Struct, frozen=True, kw_only=True):
    """The question that is asked now, and the one before it in the conversation."""

    text: str
    previous: str = ""

    @property
    def is_about_everything(self) -> bool:
        """It holds no word that names anything: "what does this project do?"."""
        return all(word.lower() in _NAMELESS for word in words(self.text))


class Retrieved(Struct, frozen=True, kw_only=True):
    """Ranked hits and how sure it is that they answer: about 0.8 is the border, 1.5 is sure."""

    hits: tuple[Hit, ...]
    total: int
    confidence: float
    queries: tuple[str, ...]


def retrieve(repository: Repository, question: Question) -> Retrieved:
    """Return what the index holds for a question.

    Raises:
        StoreError: there is no index, or it cannot be used.

    """
    queries = _queries(question)
    pages = [search_many(repository.store, [query], limit=_WEIGHED) for query in queries]
    best: dict[str, Hit] = {}
    for hit in [*_named(repository, question.text), *(hit for page in pages for hit in page.hits)]:
        if hit.key not in best or best[hit.key].score < hit.score:
            best[hit.key] = hit
    hits = _by_passages(repository, question, list(best.values()))[:_FOUND]
    confidence = max([*(_confidence(page) for page in pages), *(math.log1p(h.score) for h in hits if _is_exact(h))])
    confidence += _leniency(repository)
    return Retrieved(
        hits=tuple(hits), total=max(page.total for page in pages), confidence=round(confidence, 3), queries=queries
    )


def _by_passages(repository: Repository, question: Question, hits: list[Hit]) -> list[Hit]:
    """Return the hits in order, their nearest lines taken into account; an exact name stays what it is."""
    near = passage_likeness(repository.store, hits, question.text)
    weight = {
        hit.key: hit.score + _FIRST
        if _is_exact(hit)
        else hit.score + _PASSAGE_WEIGHT * near.get(hit.key, 0.0) * hit.likely
        for hit in hits
    }
    return sorted(hits, key=lambda hit: (-weight[hit.key], hit.key))


def _queries(question: Question) -> tuple[str, ...]:
    if not question.previous:
        return (question.text,)
    together = f"{question.previous} {question.text}"
    content = [word for word in words(question.text) if word.lower() not in _NAMELESS]
    if len(content) < 3 or _LEANING.search(question.text):
        return (together,)
    return question.text, together


def _confidence(page: SearchPage) -> float:
    """Return the logarithm of the best score by words, less the share of the question that stands nowhere."""
    best = max((hit.word_score for hit in page.hits), default=0.0)
    return math.log1p(best) - page.unknown_share if page.hits else 0.0


def _leniency(repository: Repository) -> float:
    """Return what a small repository adds: it holds few words, so a good question finds fewer of its own.

    Calibrated on subsets of 3 to 12 files of four repositories: the border that parts answerable from other questions
    is 0.5 at 100 documents, 0.6 at 300 and 0.8 from 1,500 on.
    """
    (count,) = repository.store.read().execute("SELECT count(*) FROM search_document").fetchone()
    grown = math.log(max(count, _TINY) / _TINY) / math.log(_GROWN / _TINY)
    return _MOST_LENIENT * max(0.0, 1 - grown)


_TINY, _GROWN = 60, 1_500
_MOST_LENIENT = 0.4


def _is_exact(hit: Hit) -> bool:
    return hit.score >= EXACT_SCORE and hit.why in {"name", "place"}  # a full sentence may score as high


def _named(repository: Repository, text: str) -> list[Hit]:
    """Return the symbols that a question writes as code: in backticks, dotted, with an underscore or inner capital."""
    found: list[Hit] = []
    asked: list[str] = []
    for ticked, dotted, word in _CODE_WORD.findall(text):
        name = ticked or dotted or (word if is_identifier_like(word) else "")
        if name and name not in asked:
            asked.append(name)
    for name in asked[:_MAX_IDENTIFIERS]:
        page = search(repository.store, f"{name.rstrip('()')} -path:tests", limit=2) if _is_plain(name) else None
        found += [hit for hit in page.hits if _is_exact(hit)] if page else []
    return found


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"[\w.:/#$-]+(?:\(\))?", name) is not None and not re.match(r"[a-z]{2,}:(?!:)|-", name)
