"""The step that the server takes before the model speaks: search, and the evidence made of the best hits.

A model that never calls a tool is grounded by this alone.
"""

from __future__ import annotations

import json
import time

from msgspec import Struct

from graph.repository import Repository
from graph.search.search import query_terms
from graph.tools import call_tool
from serve.ask.evidence import CHARACTERS_A_TOKEN, Shown, choose, excerpts, quoted
from serve.ask.relating import Related, related
from serve.ask.relations import Relation, relation_in
from serve.ask.retrieval import Question, Retrieved, retrieve
from serve.events import Step

__all__ = ["Primed", "prime"]

_REFRESH_S = 1.0
_NOTHING = Retrieved(hits=(), total=0, confidence=0.0, queries=())
_SURE = 9.0
"""The confidence of what was not searched for: an overview is about any repository."""


class Primed(Struct, frozen=True, kw_only=True):
    """What was found, as text for the prompt, as places that may be cited, and as a step for people."""

    text: str = ""
    shown: tuple[Shown, ...] = ()
    found: Retrieved = _NOTHING
    confidence: float = _SURE
    step: Step = Step(number=1, tool="search", arguments="{}", summary="not asked", is_primed=True)


def prime(repository: Repository, question: Question, budget_tokens: int, items: int) -> Primed:
    """Return the evidence for a question, the index brought up to date first where that is quick. Blocks.

    Raises:
        StoreError: there is no index, or it cannot be used.

    """
    began = time.monotonic()
    repository.refresh(_REFRESH_S)
    if question.is_about_everything:
        return _overview(repository, budget_tokens, began)
    relation = relation_in(question.text)
    of_graph = related(repository, relation, question, budget_tokens) if relation is not None else None
    if relation is not None and of_graph is not None:
        return _relation(relation, of_graph, began)
    found = retrieve(repository, question)
    query = query_terms(repository.store.read(), question.text)
    pieces = excerpts(
        choose(found.hits, items, wants_tests="test" in question.text.lower()),
        query,
        repository.read_lines,
        budget_tokens,
    )
    text = quoted([piece.text for piece in reversed(pieces)]) if pieces else ""  # the best one nearest the question
    step = Step(
        number=1,
        tool="search",
        arguments=json.dumps({"query": question.text[:500]}),
        summary=_summary(found, len(pieces)),
        result=text,
        ms=round((time.monotonic() - began) * 1000),
        is_primed=True,
    )
    return Primed(
        text=text,
        shown=tuple(piece.shown for piece in pieces),
        found=found,
        confidence=found.confidence if pieces else 0.0,
        step=step,
    )


def _relation(relation: Relation, found: Related, began: float) -> Primed:
    text = quoted(found.texts)
    step = Step(
        number=1,
        tool=relation.direction,
        arguments=json.dumps({"key": found.key}),
        summary=found.summary,
        result=text,
        ms=round((time.monotonic() - began) * 1000),
        is_primed=True,
    )
    return Primed(text=text, shown=found.shown, step=step)


def _overview(repository: Repository, budget_tokens: int, began: float) -> Primed:
    answer = call_tool(repository, "overview", {}, limit_bytes=int(budget_tokens * CHARACTERS_A_TOKEN))
    text = quoted([answer.text])
    step = Step(
        number=1,
        tool="overview",
        arguments="{}",
        summary=answer.text.split("\n", 1)[0][:160],
        result=text,
        ms=round((time.monotonic() - began) * 1000),
        is_primed=True,
    )
    return Primed(text=text, step=step)


def _summary(found: Retrieved, shown: int) -> str:
    places = "place" if found.total == 1 else "places"
    return f"{found.total} {places} match; the best {shown} shown"
