"""Text as the terms that the index and the query share: whole identifiers, their camel and snake parts, stems.

Pure functions. The rule that must stay true: index and query go through `terms` alike, so equal text gives equal terms.
A change of any output needs a new `indexing.SEARCH_VERSION`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from graph.search.stemmer import stem
from graph.search.vocabulary import SHORT_FORMS, STOP_WORDS

__all__ = ["analyzed", "content_words", "is_identifier_like", "parts", "squeezed", "terms", "words"]

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+|[^\W\d_A-Za-z]+")
_PLAIN = re.compile(r"[a-z]+")
_MIXED = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")

MAX_WORD = 64
"""Longer words are digests, keys and embedded data: they would fill the index and nobody asks for them."""


def words(text: str) -> list[str]:
    """Return the words of a text as written: runs of letters, digits and underscores."""
    return [word for word in _WORD.findall(text) if len(word) <= MAX_WORD]


def parts(identifier: str) -> tuple[str, ...]:
    """Return the parts of an identifier, lower case, unstemmed: `HTTPServer_v2` gives http, server, v, 2."""
    return tuple(part.lower() for part in _PART.findall(identifier))


def squeezed(identifier: str) -> str:
    """Return an identifier without case and underscores, in which `getUser`, `get_user` and `GET_USER` are equal."""
    return identifier.replace("_", "").lower()


def is_identifier_like(word: str) -> bool:
    """Return whether a word is written as only code is: with an underscore or an inner capital."""
    return bool(_MIXED.search(word.strip("_"))) or (word.startswith("_") and len(word) > 1)


@lru_cache(maxsize=50_000)
def terms(word: str) -> tuple[str, ...]:
    """Return the terms of one word: its stemmed parts, and before them the whole when there are several parts.

    The cache is what makes indexing fast: a large repository has millions of words and few different ones.
    """
    if _PLAIN.fullmatch(word):
        return (_term(word),)
    found = parts(word)
    if len(found) == 1:
        return (_term(found[0]),)
    return (squeezed(word), *(_term(part) for part in found)) if found else ()


def analyzed(text: str) -> str:
    """Return a text as its terms with spaces between, ready for the index."""
    out: list[str] = []
    for word in _WORD.findall(text):
        if len(word) <= MAX_WORD:
            out.extend(terms(word))
    return " ".join(out)


def content_words(text: str) -> list[str]:
    """Return the words of a question that name something: stop words dropped, but all of them if all are."""
    found = words(text)
    kept = [word for word in found if word.lower() not in STOP_WORDS]
    return kept or found


@lru_cache(maxsize=50_000)
def _term(part: str) -> str:
    """Return the term of a part; most of the different words of a repository are put together of few parts."""
    return stem(SHORT_FORMS.get(part, part))
