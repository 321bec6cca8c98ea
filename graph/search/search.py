"""A question in words or an identifier in; ranked symbols, files and sections out.

Two ways lead to a hit. A query that is written like one identifier goes to the names first. Every query, an identifier
too, goes to the text index and the re-ranker. The note of a page says what a reader would otherwise wonder about: why
it is empty, what was cut, how far the ranking reaches.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import msgspec
from msgspec import Struct

from graph.errors import ArgumentError
from graph.search.analyzer import content_words, is_identifier_like, squeezed, terms
from graph.search.analyzer import words as all_words
from graph.search.filed import one_a_file
from graph.search.identifiers import by_name, identifier_in
from graph.search.lexical import (
    Candidate,
    Scope,
    caller_names,
    candidates,
    document_counts,
    documents_in,
    matching_ids,
    scope_of,
)
from graph.search.located import at_places
from graph.search.meaning import by_meaning
from graph.search.neighbours import lifted
from graph.search.parsing import ParsedQuery, filter_kinds, parse, plain
from graph.search.pasted import code_name, frames_in, message_runs
from graph.search.phrases import keep_literal
from graph.search.priors import is_test, prior
from graph.search.quoting import quoted_shares
from graph.search.ranking import Evidence, Ranked, Term, rank
from graph.search.snippets import first_sentence, snippets
from graph.search.vocabulary import STOP_WORDS

__all__ = ["Hit", "SearchPage", "SearchStore", "query_terms", "search", "search_many"]

RANKED = 200
"""Documents by BM25 that are ordered by their features. Deeper ones hold a single common word of the question."""
MAX_LIMIT = 100
_MAX_WORDS = 32
_CALLERS = 30
_QUOTED = 0.3
"""The share of a pasted message from which a place counts that BM25 did not bring."""
_LONGEST_NAME = 6
"""Words: `register template filter` may be a name with blanks in it, a longer query is a sentence."""


class SearchStore(Protocol):
    """What search needs of `graph.store.Store`."""

    @property
    def project_id(self) -> int:
        """The project whose rows are searched."""
        ...

    def read(self) -> sqlite3.Connection:
        """Return a connection to read with."""
        ...


class Hit(Struct, frozen=True, kw_only=True):
    """One ranked place."""

    path: str
    start_line: int
    end_line: int
    key: str
    name: str
    qualname: str
    kind: str
    is_test: bool
    """A test, or anything else in a file of tests."""
    signature: str
    doc: str
    """The first sentence of its doc comment."""
    lines: tuple[tuple[int, str], ...]
    """The one to three lines that hold most of the question, (number, text)."""
    why: str
    """The fields that matched, the weightiest first: `name, doc`."""
    score: float
    word_score: float = 0.0
    """The part of the score that words gave, without what vectors add."""
    likely: float = 1.0
    """How likely its kind of place is meant at all: 1 for code, less for tests, examples, files."""
    coverage: float = 1.0
    """The share of the query, rare words weighing more, that the hit holds anywhere; 1 for a hit by its name."""


class SearchPage(Struct, frozen=True, kw_only=True):
    """Some hits of a query, how many documents match in all, and how to go on."""

    hits: tuple[Hit, ...]
    total: int
    cursor: str | None = None
    note: str = ""
    """Empty when there is nothing to explain."""
    unknown_share: float = 0.0
    """The share of the query, rare words weighing more, that stands nowhere in the index."""


def search(
    store: SearchStore,
    query: str,
    *,
    kind: str | None = None,
    path: str | None = None,
    limit: int = 10,
    cursor: str | None = None,
) -> SearchPage:
    """Return a page of hits. The query may hold filters, `"quoted phrases"` and `-excluded` terms.

    Raises:
        ArgumentError: an unknown filter or kind, a limit out of range, a cursor that is none.

    """
    parsed = _with_arguments(parse(query), kind, path)
    ranked, total, note = _ranked(store, parsed)
    return _page(store, parsed, ranked, total, note, limit, cursor)


def search_many(store: SearchStore, queries: Sequence[str], *, limit: int = 10) -> SearchPage:
    """Return the first page of several plain texts (a question and its rewrites), each hit at its best score.

    Nothing in the texts is a filter. Empty texts are passed over.
    """
    best: dict[str, Ranked] = {}
    totals: list[int] = []
    notes: list[str] = []
    for query in queries:
        ranked, total, note = _ranked(store, plain(query))
        totals.append(total)
        notes.append(note)
        for hit in ranked:
            if hit.candidate.key not in best or best[hit.candidate.key].score < hit.score:
                best[hit.candidate.key] = hit
    merged = sorted(best.values(), key=lambda hit: (-hit.score, hit.candidate.key))
    text = plain(" ".join(queries))
    note = "" if merged else next((note for note in notes if note), "")
    return _page(store, text, merged, max(totals, default=0), note, limit, None)


def query_terms(connection: sqlite3.Connection, text: str) -> tuple[Term, ...]:
    """Return the terms of a text with their weights: the rarer in this repository, the heavier (Robertson's idf)."""
    words = content_words(text)[:_MAX_WORDS]
    meant: dict[str, float] = {}
    bonus: dict[str, float] = {}
    for word in words:
        first, *others = terms(word) or ("",)
        for term in others or (first,):
            meant[term] = 1.0
        if others:
            bonus[first] = 1.0 if is_identifier_like(word) else 0.5
    for left, right in pairwise(words):
        bonus.setdefault(squeezed(left + right), 0.5)
    if 2 < len(words) <= _LONGEST_NAME:
        bonus.setdefault(squeezed("".join(words)), 1.0)
    meant.pop("", None)
    compounds = _compounds(text)
    counts, documents = document_counts(connection, [*meant, *bonus, *compounds])
    for compound, left in compounds.items():
        if counts[compound]:  # the code writes it as one word, so its first half says little by itself
            meant[compound] = 1.0
            bonus[left] = 0.5 * meant.pop(left, 0.0)
    kept = [Term(term, factor * _idf(counts[term], documents)) for term, factor in meant.items()]
    extra = [
        Term(term, factor * _idf(counts[term], documents), is_bonus=True)
        for term, factor in bonus.items()
        if counts[term] and term not in meant
    ]
    return (*kept, *extra)


def _compounds(text: str) -> dict[str, str]:
    """Return a word and a small word after it as one term, with the term of the first: `log in`, `time out`."""
    said = all_words(text)[: 2 * _MAX_WORDS]
    return {
        compound: terms(left)[-1]
        for left, right in pairwise(said)
        if right.lower() in _PARTICLES and left.lower() not in STOP_WORDS and terms(left)
        for root in {left.lower(), terms(left)[-1]}
        for compound in terms(squeezed(root + right))
    }


_PARTICLES = frozenset({"in", "out", "up", "off", "on", "down", "over", "back"})


def _idf(count: int, documents: int) -> float:
    return math.log(1 + (documents - count + 0.5) / (max(count, 1) + 0.5))


def _with_arguments(parsed: ParsedQuery, kind: str | None, path: str | None) -> ParsedQuery:
    filters = parsed.filters
    if kind:
        filters = msgspec.structs.replace(filters, kinds=filter_kinds(kind))
    if path:
        filters = msgspec.structs.replace(filters, paths=(path.strip("/"),))
    return msgspec.structs.replace(parsed, filters=filters)


def _ranked(store: SearchStore, parsed: ParsedQuery) -> tuple[list[Ranked], int, str]:
    connection = store.read()
    scope = scope_of(connection, store.project_id, parsed.filters)
    wants_tests = parsed.filters.is_test is True or "test" in parsed.text.lower()
    query = query_terms(connection, parsed.text)
    by_text, total = _by_text(connection, parsed, query, scope, wants_tests=wants_tests)
    first = at_places(connection, store.project_id, frames_in(parsed.pasted), scope)
    identifier = identifier_in(parsed.text) or code_name(parsed.text)
    if identifier is not None and not first:
        is_word = len(query) == 1 and total > 0
        first = by_name(connection, identifier, scope, is_word=is_word, wants_tests=wants_tests)
    elif not first and (spoken := _spoken_name(parsed.text)):
        first = by_name(connection, spoken, scope, is_word=True, wants_tests=wants_tests)
    seen = {hit.candidate.key for hit in first}
    texts = [hit for hit in by_text if hit.candidate.key not in seen]
    total = max(total, len(first) + len(texts))
    ranked = keep_literal(connection, [*first, *texts], parsed)
    if len(ranked) < len(first) + len(texts):
        total = min(total, len(ranked))
    if parsed.filters.by_file:
        ranked = one_a_file(ranked)
        total = len(ranked)
    return ranked, total, _note(connection, parsed, query, scope, total)


def _spoken_name(text: str) -> str:
    """Return a few words as the one name that they may be, `session store`; empty for one word and for sentences."""
    said = text.split()
    is_name = 1 < len(said) <= _LONGEST_NAME and all(word.isidentifier() for word in said)
    return "".join(said) if is_name else ""


def _by_text(
    connection: sqlite3.Connection, parsed: ParsedQuery, query: Sequence[Term], scope: Scope, *, wants_tests: bool
) -> tuple[list[Ranked], int]:
    if not query:
        return [], 0
    match = " OR ".join(f'"{term.text}"' for term in query)
    phrases = [" ".join(term for word in content_words(phrase) for term in terms(word)) for phrase in parsed.phrases]
    for phrase in filter(None, phrases):
        match = f"({match}) AND " + " AND ".join(f'"{term}"' for term in phrase.split())
    found, total = candidates(connection, match, scope, RANKED)
    quoted = quoted_shares(connection, message_runs(parsed.text))
    found += _fresh(connection, [document for document, share in quoted.items() if share >= _QUOTED], found, scope)
    near, likeness = by_meaning(connection, parsed, scope, found)
    found += near
    evidence = Evidence(
        in_body={term.text: matching_ids(connection, "body", term.text) for term in query},
        callers={candidate.node: caller_names(connection, candidate.node, _CALLERS) for candidate in found},
        likeness=likeness,
        quoted=quoted,
    )
    wants_docs = parsed.filters.wants_docs

    def factor(candidate: Candidate) -> float:
        return prior(candidate, wants_tests=wants_tests, wants_docs=wants_docs)

    return lifted(connection, rank(found, query, evidence, factor), factor), total + len(near)


def _fresh(
    connection: sqlite3.Connection, documents: Sequence[int], found: Sequence[Candidate], scope: Scope
) -> list[Candidate]:
    known = {candidate.document for candidate in found}
    return documents_in(connection, [document for document in documents if document not in known], scope)


def _note(connection: sqlite3.Connection, parsed: ParsedQuery, query: Sequence[Term], scope: Scope, total: int) -> str:
    if parsed.is_cut:
        return "Only the first 2,000 characters of the query were searched."
    if total:
        return (
            f"The best {RANKED} of {total} matches are ranked; narrow the query for others." if total > RANKED else ""
        )
    if not query:
        return "The query holds no word to search for. Ask with a few words or a name."
    if scope.matches_no_file:
        return "No indexed file matches the path filter."
    if connection.execute("SELECT 1 FROM search_document LIMIT 1").fetchone() is None:
        return "Nothing is indexed: no file of this repository is in a language that Roteiro reads."
    unknown = [word for word in dict.fromkeys(content_words(parsed.text)) if not _is_known(connection, word)]
    told = f" Not in the index at all: {', '.join(unknown[:8])}." if unknown else ""
    is_bound = scope.is_narrow or parsed.phrases or parsed.excluded
    return f"Nothing matches.{told}{' Filters, phrases and excluded terms all hold at once.' if is_bound else ''}"


def _is_known(connection: sqlite3.Connection, word: str) -> bool:
    """Say whether a word as it was written is in the index, in whatever form."""
    return any(document_counts(connection, [term])[0][term] for term in terms(word))


def _page(
    store: SearchStore,
    parsed: ParsedQuery,
    ranked: Sequence[Ranked],
    total: int,
    note: str,
    limit: int,
    cursor: str | None,
) -> SearchPage:
    if not 1 <= limit <= MAX_LIMIT:
        raise ArgumentError("limit", f"limit is {limit}; it may be 1 to {MAX_LIMIT}. Go on with `cursor` for more.")
    start = _offset(cursor)
    shown = ranked[start : start + limit]
    rest = start + limit < len(ranked)
    query = query_terms(store.read(), parsed.text)
    lines = snippets(store.read(), [hit.candidate for hit in shown], query)
    return SearchPage(
        hits=tuple(_hit(hit, lines[hit.candidate.key]) for hit in shown),
        total=total,
        cursor=str(start + limit) if rest else None,
        note=note,
        unknown_share=round(_unknown_share(store.read(), query), 4),
    )


def _unknown_share(connection: sqlite3.Connection, query: Sequence[Term]) -> float:
    meant = [term for term in query if not term.is_bonus]
    counts, _ = document_counts(connection, [term.text for term in meant])
    total = sum(term.weight for term in meant)
    return sum(term.weight for term in meant if not counts[term.text]) / total if total else 1.0


def _offset(cursor: str | None) -> int:
    """Return where a page starts: a cursor is the number of hits before it, as everywhere in the table of tools."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise ArgumentError(
            "cursor", f"`cursor` is {cursor!r}; give the one that the last answer printed, or leave it out."
        )
    return int(cursor)


def _hit(ranked: Ranked, lines: tuple[tuple[int, str], ...]) -> Hit:
    found = ranked.candidate
    return Hit(
        path=found.path,
        start_line=found.start_line,
        end_line=found.end_line,
        key=found.key,
        name=found.name,
        qualname=found.qualname,
        kind=found.kind,
        is_test=is_test(found),
        signature=found.signature,
        doc=first_sentence(found.doc),
        lines=lines,
        why=", ".join(ranked.why),
        score=round(ranked.score, 4),
        word_score=round(ranked.score if ranked.word_score is None else ranked.word_score, 4),
        likely=prior(found, wants_tests=False),
        coverage=round(ranked.coverage, 4),
    )
