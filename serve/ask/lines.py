"""Which lines of a symbol are worth a place in the evidence. Pure; knows source text and the terms of a question.

What fits is shown whole. Of the rest: the head, the first line of the doc comment, and the code that holds most of the
question with the lines around it. Prose of a long doc comment counts less than code: it says what, and the question is
where and how.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from graph.search.analyzer import terms, words
from graph.search.ranking import Term

__all__ = ["kept_lines"]

_PROSE_SHARE = 0.3
_NEIGHBOUR_SHARE = 0.5
_HEAD_LINES = 8
_QUOTES = ('"""', "'''")
_BARE = re.compile(r"[\s\W]*")


def kept_lines(source: Sequence[str], query: Sequence[Term], room: int) -> list[int]:
    """Return the indexes of the lines to show within `room` characters, in order, at least one."""
    if sum(len(line) + 1 for line in source) <= room:
        return list(range(len(source)))
    prose = set(_prose(source))
    weights = {term.text: term.weight for term in query}
    own = [_worth(line, weights) * (_PROSE_SHARE if index in prose else 1.0) for index, line in enumerate(source)]
    spread = [score + _NEIGHBOUR_SHARE * max(_around(own, index)) for index, score in enumerate(own)]
    head = _head(source, prose)
    best = sorted(set(range(len(source))) - set(head), key=lambda index: (-spread[index], index))
    kept: set[int] = set()
    used = 0
    for index in [*head, *best]:
        cost = len(source[index]) + 1
        if _BARE.fullmatch(source[index]) and index not in head:
            continue
        if used + cost > room:
            break
        kept.add(index)
        used += cost
    return sorted(_closed(kept or {0}, source, room - used))


def _worth(line: str, weights: Mapping[str, float]) -> float:
    held = {term for word in words(line) for term in terms(word)}
    return sum(weights.get(term, 0.0) for term in held)


def _around(scores: Sequence[float], index: int) -> tuple[float, float]:
    before = scores[index - 1] if index else 0.0
    after = scores[index + 1] if index + 1 < len(scores) else 0.0
    return before, after


def _head(source: Sequence[str], prose: set[int]) -> list[int]:
    """Return the lines of the signature, and the first line of prose that says something."""
    last = 0
    for index, line in enumerate(source[:_HEAD_LINES]):
        if line.rstrip().endswith((":", "{", "=>", ");")) and not line.lstrip().startswith("@"):
            last = index
            break
    said = next((index for index in sorted(prose) if not _BARE.fullmatch(source[index])), None)
    return [*range(last + 1), *([said] if said is not None and said > last else [])]


def _prose(source: Sequence[str]) -> Iterator[int]:
    """Yield the lines of doc comments: between triple quotes, in block comments, after line comment marks."""
    closing = ""
    for index, line in enumerate(source):
        stripped = line.strip()
        if closing:
            yield index
            closing = "" if closing in stripped else closing
        elif stripped.lstrip("rRbBuUfF").startswith(_QUOTES):
            yield index
            quote = stripped.lstrip("rRbBuUfF")[:3]
            closing = quote if stripped.count(quote) < 2 else ""
        elif stripped.startswith("/*"):
            yield index
            closing = "" if "*/" in stripped else "*/"
        elif stripped.startswith(("#", "//", "* ")):
            yield index


def _closed(kept: set[int], source: Sequence[str], left: int) -> set[int]:
    """Fill gaps of one line while there is room: a mark for a gap costs as much as most lines."""
    filled = set(kept)
    for index in sorted(kept):
        if index + 2 in kept and index + 1 not in kept and len(source[index + 1]) < left + 8:
            filled.add(index + 1)
            left -= max(0, len(source[index + 1]) - 8)
    return filled
