"""Which places an answer rests on, decided by the server: small models cite nothing, or wrongly.

What was shown to the model is weighed by how the answer speaks of it: its name, a quotation (six tokens in a row, or
two names in backticks that no other shown place holds), shared identifiers, and its rank in the search. Pure, but for
the index that says what exists.

A citation is `verified` when the place exists, the model was shown it, and the answer supports it by name or quotation.
A path or an address in the same sentence must stand in the place too: what came from elsewhere, such as a planted
text, does not verify an innocent place.
Nothing here makes a citation verified because it would look better.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from graph.citations import exists, parse_citations, symbol_at
from graph.lookup import GraphReader
from serve.ask.evidence import MAX_CITED_LINES, Shown
from serve.ask.members import members_shown
from serve.events import Citation

__all__ = ["MAX_CITATIONS", "NamesChecked", "attribute", "check_names", "named_place"]

MAX_CITATIONS = 3
"""More is not an answer, it is a list."""
_QUOTE_TOKENS = 6
_QUOTED_NAMES = 2
_RANK_WEIGHTS = (0.6, 0.4, 0.3)
_NAME_WEIGHT = 2.0
_OPENING_WEIGHT = 1.0
"""Of a name in the first sentence, which is the answer itself; what comes after explains it."""
_GIVEN_SHARE = 0.25
_QUOTE_WEIGHT = 1.0
_OVERLAP_WEIGHT = 1.0
_KEPT_SHARE = 0.7
"""A further citation needs this share of the best one's weight: what the answer mentions in passing is no source."""

_WORDS_OF_LANGUAGES = frozenset(
    {*keyword.kwlist, "null", "undefined", "true", "false", "this", "self", "cls", "super", "const", "let", "function"}
)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[A-Za-z_]\w+")
_LITERAL = re.compile(r"(?<![\w./])(?:[a-z][a-z+.-]*://[^\s`\"'<>)]+|(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)*)")
"""An address, or a path that starts at a root: what a wrong answer would send a person to."""
_TICKED = re.compile(r"`([^`\n]{1,200})`")
_NAME_SHAPE = re.compile(r"@?([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)(?:\(.*\))?$", re.DOTALL)


class _Weighed(Struct, frozen=True):
    shown: Shown
    weight: float
    supports: bool


class NamesChecked(Struct, frozen=True, kw_only=True):
    """The names that an answer puts in backticks: those the repository has, and those it has not."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]


def attribute(store: GraphReader, answer: str, shown: Sequence[Shown]) -> tuple[Citation, ...]:
    """Return at most three citations, the weightiest first.

    Places that the answer itself writes as `path:line` come in too, in whatever state they are. When the answer
    supports nothing, the best hit of the question is returned unverified: where to look, and no more than that.
    """
    candidates = _narrowed(store, answer, shown)
    own = _own_names(answer, candidates)
    weighed = sorted(
        (_weigh(answer, place, own.get(index, 0)) for index, place in enumerate(candidates)),
        key=lambda found: (-found.weight, found.shown.rank),
    )
    supported = [found for found in weighed if found.supports]
    border = supported[0].weight * _KEPT_SHARE if supported else 0.0
    kept = _unambiguous(answer, [found for found in supported if found.weight >= border or found.shown.is_given])
    citations = [_citation(store, found.shown, supports=True) for found in _distinct(kept)[:MAX_CITATIONS]]
    if not citations and weighed:
        citations = [_citation(store, min(shown, key=lambda place: place.rank), supports=False)]
    return (*citations, *_written(store, answer, citations, shown))[:MAX_CITATIONS]


def named_place(reply: str, shown: Sequence[Shown]) -> Shown | None:
    """Return the shown place that a reply of one name means; None when it names none of them."""
    return next((place for place in shown if place.name and names(reply, place.name)), None)


def check_names(store: GraphReader, answer: str, shown: Sequence[Shown] = ()) -> NamesChecked:
    """Return which names in backticks the repository holds; code and plain words are passed over.

    A name is known as a symbol, as a file, or as a word of what was shown: parameters, attributes and imports are no
    symbols of the graph.
    """
    words = {word for place in shown for word in _WORD.findall(place.text)}
    known: list[str] = []
    unknown: list[str] = []
    for ticked in dict.fromkeys(_TICKED.findall(answer)):
        found = _NAME_SHAPE.match(ticked.strip())
        if found is None or found[1] in _WORDS_OF_LANGUAGES:
            continue
        name = re.split(r"\.|::|#", found[1])[-1]
        (known if name in words or _is_known(store, name, ticked) else unknown).append(found[1])
    return NamesChecked(known=tuple(dict.fromkeys(known)), unknown=tuple(dict.fromkeys(unknown)))


def names(answer: str, qualname: str) -> bool:
    """Whether an answer names a symbol: its whole name as a word, marked as code where it is a plain word too."""
    simple = re.split(r"\.|::", qualname)[-1]
    if len(simple) < 2:
        return False
    escaped = re.escape(simple)
    if re.fullmatch(r"[a-z]+|[A-Z][a-z]+", simple):  # an English word: `send`, send(), x.send count, "send" does not
        return (
            re.search(rf"`[^`\n]*(?<![\w]){escaped}(?![\w])[^`\n]*`|(?<![\w]){escaped}\(|\.{escaped}\b", answer)
            is not None
        )
    return re.search(rf"(?<![\w]){escaped}(?![\w])", answer) is not None


def quotes(answer: str, text: str) -> bool:
    """Whether six tokens in a row of a text stand in the answer."""
    said = _TOKEN.findall(answer)
    source = _TOKEN.findall(text)
    runs = {tuple(source[i : i + _QUOTE_TOKENS]) for i in range(len(source) - _QUOTE_TOKENS + 1)}
    return any(tuple(said[i : i + _QUOTE_TOKENS]) in runs for i in range(len(said) - _QUOTE_TOKENS + 1))


def _narrowed(store: GraphReader, answer: str, shown: Sequence[Shown]) -> list[Shown]:
    """Return the shown places, and the members of shown classes that the answer names."""
    found: list[Shown] = []
    for place in shown:
        members = [member for member in members_shown(store, place) if names(answer, member.name)]
        found.extend(members or [place])
    return found


def _own_names(answer: str, places: Sequence[Shown]) -> dict[int, int]:
    """Return for places, by index, how many names in backticks only they hold: what an answer took from there."""
    held = [set(_WORD.findall(place.text)) for place in places]
    counts: dict[int, int] = {}
    for name in {word for ticked in _TICKED.findall(answer) for word in _WORD.findall(ticked)[-1:]}:
        holders = [index for index, words in enumerate(held) if name in words]
        if len(holders) == 1:
            counts[holders[0]] = counts.get(holders[0], 0) + 1
    return counts


def _weigh(answer: str, place: Shown, own_names: int) -> _Weighed:
    named = bool(place.name) and names(answer, place.name)
    quoted = quotes(answer, place.text) or own_names >= _QUOTED_NAMES
    rank = _RANK_WEIGHTS[place.rank] if place.rank < len(_RANK_WEIGHTS) else 0.2
    opens = named and names(_first_sentence(answer), place.name)
    weight = (
        rank
        + (0.0 if place.is_given else _OPENING_WEIGHT * opens)
        + _NAME_WEIGHT * named * (_GIVEN_SHARE if place.is_given else 1.0)
        + _QUOTE_WEIGHT * quoted
        + _OVERLAP_WEIGHT * _overlap(answer, place.text)
    )
    return _Weighed(place, weight, (named or quoted) and not _brings_literals(answer, place))


def _brings_literals(answer: str, place: Shown) -> bool:
    """Whether a sentence that names a place says a path or address of which that place shows nothing."""
    held = f"{place.path}\n{place.text}"
    return any(
        literal.rstrip(".") not in held
        for sentence in re.split(r"(?<=[.!?])\s", answer)
        if not place.name or names(sentence, place.name)
        for literal in _LITERAL.findall(sentence)
    )


def _first_sentence(answer: str) -> str:
    return re.split(r"(?<=[.!?:])\s", answer.strip(), maxsplit=1)[0]


def _unambiguous(answer: str, found: Sequence[_Weighed]) -> list[_Weighed]:
    """Of places with one simple name keep those whose class or file the answer says too; if none, the weightiest."""
    kept: list[_Weighed] = []
    for one in found:
        namesakes = [other for other in found if _simple(other.shown) == _simple(one.shown)]
        said = [other for other in namesakes if _says_where(answer, other.shown)]
        if one in (said or namesakes[:1]):
            kept.append(one)
    return kept


def _simple(place: Shown) -> str:
    return re.split(r"\.|::", place.name)[-1] or f"{place.path}:{place.start_line}"


def _says_where(answer: str, place: Shown) -> bool:
    enclosing = re.split(r"\.|::", place.name)[:-1]
    where = [*enclosing, place.path.rsplit("/", 1)[-1]]
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", answer) for word in where if word)


def _overlap(answer: str, text: str) -> float:
    """Return which share of the answer's identifiers stands in a text."""
    said = {word for word in _WORD.findall(answer) if "_" in word or not word.islower()}
    return len(said & set(_WORD.findall(text))) / len(said) if said else 0.0


def _distinct(found: Iterable[_Weighed]) -> list[_Weighed]:
    """Drop what lies inside, or around, a place that is cited already."""
    kept: list[_Weighed] = []
    for one in found:
        if not any(_overlaps(one.shown, other.shown) for other in kept):
            kept.append(one)
    return kept


def _overlaps(one: Shown, other: Shown) -> bool:
    return one.path == other.path and one.start_line <= other.end_line and other.start_line <= one.end_line


def _citation(store: GraphReader, place: Shown, *, supports: bool, was_shown: bool = True) -> Citation:
    there = exists(store, place.path, place.start_line, place.end_line)
    return Citation(
        path=place.path,
        start_line=place.start_line,
        end_line=place.end_line,
        key=place.key,
        name=place.name,
        exists=there,
        shown=was_shown,
        supports=supports,
        verified=there and was_shown and supports,
    )


def _written(store: GraphReader, answer: str, cited: Sequence[Citation], shown: Sequence[Shown]) -> Iterable[Citation]:
    """Yield the places that the answer writes out and that are not cited yet."""
    for written in parse_citations(answer):
        end = min(written.end_line, written.start_line + MAX_CITED_LINES - 1)
        place = Shown(path=written.path, start_line=written.start_line, end_line=end)
        if any(one.path == place.path and one.start_line <= end and place.start_line <= one.end_line for one in cited):
            continue
        around = symbol_at(store, place.path, place.start_line)
        if around is not None:
            place = Shown(
                path=place.path, start_line=place.start_line, end_line=end, key=around.key, name=around.qualname
            )
        yield _citation(store, place, supports=True, was_shown=any(_overlaps(place, other) for other in shown))


def _is_known(store: GraphReader, name: str, ticked: str) -> bool:
    row = (
        store.read()
        .execute(
            "SELECT 1 FROM node WHERE project = ? AND name IN (?, ?) LIMIT 1",
            (store.project_id, name, ticked.strip().rsplit("/", 1)[-1]),
        )
        .fetchone()
    )
    return row is not None
