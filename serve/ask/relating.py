"""Evidence for a question about an edge: the symbol that is asked about, and who calls it or what it calls.

The graph knows the answer; the model has only to say it. Every symbol of the list may be cited: the enclosers of the
call sites, and the definition. The rule that must stay true: nothing is listed as a call that the graph does not hold,
and what could be meant by name alone says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from graph.citations import cited_text
from graph.errors import PathError
from graph.query import Call, Calls, callees, callers
from graph.repository import Repository
from graph.search.search import Hit, query_terms, search
from graph.visible import visible
from serve.ask.evidence import CHARACTERS_A_TOKEN, MAX_CITED_LINES, NARROW_KINDS, Shown, excerpts
from serve.ask.relations import PRONOUNS, Relation
from serve.ask.retrieval import EXACT_SCORE, Question, retrieve

__all__ = ["Related", "related"]

_DEFINITION_SHARE = 0.35
_MOST_CALLS = 20
_MOST_SYMBOLS = 2
"""A name of several symbols is answered for two of them; the list says which is which."""
_SITE_CHARACTERS = 120


class Related(Struct, frozen=True, kw_only=True):
    """What the graph says: pieces of text, the best nearest the end, the places in them, and a line for people."""

    texts: tuple[str, ...]
    shown: tuple[Shown, ...]
    key: str
    summary: str


def related(repository: Repository, relation: Relation, question: Question, budget_tokens: int) -> Related | None:
    """Return the evidence for a relation; None where no symbol has that name, or a plain word has no such edge."""
    symbols = _symbols(repository, relation, question)
    lists = [_calls(repository, relation, symbol) for symbol in symbols]
    is_meant = relation.is_marked or any(symbol.kind in _CALLED for symbol in symbols)
    if not symbols or not (is_meant or any(one.total for one in lists)):
        return None
    kept = [(hit, found) for hit, found in zip(symbols, lists, strict=True) if found.total] or [(symbols[0], lists[0])]
    texts: list[str] = []
    shown: list[Shown] = []
    for hit, found in reversed(kept):
        definition = excerpts(
            [hit],
            query_terms(repository.store.read(), hit.name),
            repository.read_lines,
            int(budget_tokens * _DEFINITION_SHARE / len(kept)),
        )
        texts += [piece.text for piece in definition]
        room = budget_tokens * CHARACTERS_A_TOKEN / len(kept) - sum(len(piece.text) for piece in definition)
        text, places = _listed(repository, found, int(room))
        texts.append(text)
        given = relation.direction == "callers"
        shown += [*places, *(replace(piece.shown, is_given=given) for piece in definition)]
    total = sum(found.total for _, found in kept)
    summary = f"{total} {relation.direction if total != 1 else relation.direction[:-1]} of {kept[0][0].qualname}"
    return Related(texts=tuple(texts), shown=_ranked(shown), key=kept[0][0].key, summary=summary)


def _symbols(repository: Repository, relation: Relation, question: Question) -> list[Hit]:
    """Return the symbols of exactly that name, code before tests; of a pronoun, what the question before found."""
    if relation.name.lower() in PRONOUNS:
        found = retrieve(repository, Question(text=question.previous)).hits[:1] if question.previous else ()
        return [hit for hit in found if hit.kind not in _NO_SYMBOLS]
    page = search(repository.store, relation.name, limit=12)
    exact = [hit for hit in page.hits if hit.score >= EXACT_SCORE and hit.kind not in _NO_SYMBOLS]
    simple = relation.name.replace("::", ".").rsplit(".", 1)[-1].rsplit("#", 1)[-1]
    same = [hit for hit in exact if hit.name == simple] or (exact if relation.is_marked else [])
    sources = [hit for hit in same if not hit.is_test] or same
    callable_ = [hit for hit in sources if hit.kind != "variable"] or sources
    owned = [hit for hit in callable_ if relation.owner and _is_of(hit, relation.owner)]
    return (owned or callable_)[:_MOST_SYMBOLS]


def _is_of(hit: Hit, owner: str) -> bool:
    """Whether a symbol is a member of a class of that name, or stands in a file or folder of that name."""
    enclosing = hit.qualname.removesuffix(hit.name).rstrip(".").split(".")
    return (
        owner.rsplit(".", 1)[-1] in enclosing or f"/{hit.path}".endswith(f"/{owner}") or f"/{owner}/" in f"/{hit.path}"
    )


_CALLED = frozenset({"function", "method"})
_NO_SYMBOLS = frozenset({"file", "module", "section", "adr", "marker"})


def _calls(repository: Repository, relation: Relation, symbol: Hit) -> Calls:
    ask = callers if relation.direction == "callers" else callees
    found = ask(repository.store, symbol.key, limit=_MOST_CALLS)
    if found.total or not found.candidates:
        return found
    return ask(repository.store, symbol.key, limit=_MOST_CALLS, include_inferred=True)


def _listed(repository: Repository, found: Calls, room: int) -> tuple[str, list[Shown]]:
    """Return the list as text within `room` characters, and its places; what is left out is counted."""
    lines = [_headline(found)]
    shown: list[Shown] = []
    used = len(lines[0])
    for call in found.calls:
        line = _line(repository, call, found)
        used += len(line) + 1
        if shown and used > room:
            break
        lines.append(line)
        shown.append(_place(call, line))
    if len(shown) < found.total:
        lines.append(f"- and {found.total - len(shown)} more")
    lines += [f"Note: {note}" for note in found.notes if used + len(note) < room]
    return "\n".join(lines), shown


def _headline(found: Calls) -> str:
    place = cited_text(found.of.path, max(found.of.start_line, 1), found.of.end_line)
    name = visible(f"`{found.of.qualname}` ({found.of.kind} in {place})")
    if not found.total:
        says = "is called by nothing" if found.direction == "callers" else "calls nothing that is defined"
        return f"{name} {says} in the indexed files."
    if all(call.provenance == "inferred" for call in found.calls):
        return f"No call is known for sure for {name}. By name alone these could be meant:"
    verb = "is called by" if found.direction == "callers" else "calls"
    return f"{name} {verb}:"


def _line(repository: Repository, call: Call, found: Calls) -> str:
    name = f"{call.kind} `{call.qualname}`" if call.kind != "file" else "module-level code"
    site = f", line {', '.join(map(str, call.lines[:3]))}" if call.lines else ""
    where = "" if found.direction == "callers" else f" of {call.site_path}"
    place = f"{call.path}:{max(call.start_line, 1)}-{call.end_line}"
    return visible(f"- {name} in {place}{site}{where}{_code(repository, call)}")


def _code(repository: Repository, call: Call) -> str:
    if not call.lines:
        return ""
    try:
        return f": {repository.read_lines(call.site_path, call.lines[0], call.lines[0]).strip()[:_SITE_CHARACTERS]}"
    except PathError:  # changed or gone since it was indexed: the place alone will do
        return ""


def _place(call: Call, text: str) -> Shown:
    start, end = max(call.start_line, 1), max(call.end_line, 1)
    if call.kind not in NARROW_KINDS and end - start >= MAX_CITED_LINES and call.lines:
        start, end = call.lines[0], call.lines[0]
        if call.site_path != call.path:
            start, end = max(call.start_line, 1), max(call.start_line, 1) + MAX_CITED_LINES - 1
    return Shown(path=call.path, start_line=start, end_line=end, key=call.key, name=call.qualname, text=text)


def _ranked(shown: Sequence[Shown]) -> tuple[Shown, ...]:
    """Return the places numbered, each once: in the order of the graph, the definition last."""
    unique = {(place.path, place.start_line, place.end_line): place for place in reversed(shown)}
    return tuple(replace(place, rank=rank) for rank, place in enumerate(reversed(unique.values())))
