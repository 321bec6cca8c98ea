"""What is said when nothing in the repository answers: what was searched and what came nearest, not a guess."""

from __future__ import annotations

from graph.citations import cited_text
from graph.search.analyzer import content_words
from serve.ask.retrieval import Question, Retrieved

__all__ = ["PREFIX", "refusal"]

PREFIX = "Roteiro: "
_WORDS_SHOWN = 8


def refusal(question: Question, found: Retrieved) -> str:
    """Return the sentences of a refusal, beginning with `Roteiro: `."""
    asked = ", ".join(dict.fromkeys(content_words(question.text)[:_WORDS_SHOWN]))
    sentence = f"{PREFIX}nothing in this repository seems to answer that. Searched code and docs for: {asked}."
    if not found.hits:
        return f"{sentence} No symbol, section or file holds any of these words."
    near = found.hits[0]
    place = cited_text(near.path, max(near.start_line, 1), max(near.end_line, 1))
    return f"{sentence} The nearest is `{near.qualname}` in {place}, which holds too little of it."
