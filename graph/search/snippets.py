"""What a hit shows of itself: the lines that hold most of the question, and the first sentence of its doc."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from graph.search.analyzer import terms, words
from graph.search.indexing import read_file
from graph.search.lexical import Candidate
from graph.search.ranking import Term

__all__ = ["best_lines", "first_sentence", "snippets"]

_LOOKED_AT = 2_000
"""Lines of one symbol; longer ones are data or generated."""
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def snippets(
    connection: sqlite3.Connection, found: Sequence[Candidate], query: Sequence[Term]
) -> dict[str, tuple[tuple[int, str], ...]]:
    """Return for the key of each candidate its one to three best lines, as they were when it was indexed."""
    texts: dict[int, list[str]] = {}
    for candidate in found:
        if candidate.file not in texts:
            kept = read_file(connection, candidate.file)
            texts[candidate.file] = kept[0].split("\n") if kept else []
    return {c.key: best_lines(texts[c.file], c.start_line, c.end_line, query) for c in found}


def best_lines(
    lines: Sequence[str], start_line: int, end_line: int, query: Sequence[Term], count: int = 3
) -> tuple[tuple[int, str], ...]:
    """Return up to `count` lines of a span, those with most of the question, in their order in the file."""
    weights = {term.text: term.weight for term in query}
    scored: list[tuple[float, int]] = []
    for number in range(max(start_line, 1), min(end_line, len(lines), start_line + _LOOKED_AT) + 1):
        held = {term for word in words(lines[number - 1]) for term in terms(word)}
        worth = sum(weights.get(term, 0.0) for term in held)
        if worth:
            scored.append((-worth, number))
    best = sorted(number for _, number in sorted(scored)[:count])
    return tuple((number, lines[number - 1].strip()[:200]) for number in best)


def first_sentence(doc: str) -> str:
    """Return the first sentence of the first paragraph, on one line, at most 200 characters."""
    paragraph = " ".join(re.split(r"\n\s*\n", doc.strip())[0].split())
    found = _SENTENCE.match(paragraph)
    return (found[1] if found else paragraph)[:200]
