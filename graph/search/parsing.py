"""A query as typed, taken apart: words, quoted phrases, `-term`, and filters (`path: kind: lang: test: by:`).

Pure. Text that is not meant as a filter (`std::vector`, `http://host`, `10:30`) stays text; a filter that is not known
is refused by name, never ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from graph.errors import ArgumentError
from graph.model import NodeKind

__all__ = ["MAX_QUERY", "Filters", "ParsedQuery", "filter_kinds", "parse", "plain"]

MAX_QUERY = 2_000
"""Characters that are searched with. A longer query is a pasted file; its head says what it is about."""
MAX_PASTED = 20_000
"""Characters that are looked through for places: the frame that matters stands at the end of a trace."""

_TOKEN = re.compile(r'-?"[^"]*"|\S+')
_FILTER = re.compile(r"(-?)([a-z]{2,}):(?![:/\s])(\S+)")
_PASTED = re.compile(r'\n\s*\S|File "[^"]+", line \d')
"""Several lines, or a frame of a trace: nobody types filters there, and its quotes are not ours."""
_KNOWN = ("path", "kind", "lang", "test", "by")
_LANGUAGES = {"py": "python", "ts": "typescript", "js": "javascript", "md": "markdown"}


class Filters(Struct, frozen=True, kw_only=True):
    """What a hit must be. Several values of one filter mean any of them; different filters must all hold."""

    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    is_test: bool | None = None
    by_file: bool = False
    """One hit for each file, its best."""

    @property
    def wants_docs(self) -> bool:
        """Sections are asked for, so they are places like any other."""
        return "section" in self.kinds


class ParsedQuery(Struct, frozen=True, kw_only=True):
    """The parts of a query. `text` is what is left for ranking when filters and excluded terms are taken out."""

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = Filters()
    pasted: str = ""
    """The whole of it, for the places that it names."""
    is_cut: bool = False


def plain(text: str) -> ParsedQuery:
    """Return a text as a query of words alone, whatever it holds: for questions, which have no filter syntax."""
    cleaned = _clean(text)
    return ParsedQuery(text=cleaned[:MAX_QUERY], pasted=cleaned[:MAX_PASTED], is_cut=len(cleaned) > MAX_QUERY)


def parse(query: str) -> ParsedQuery:
    """Return the parts of a query.

    Raises:
        ArgumentError: a filter is unknown or its value is not one it takes.

    """
    if _PASTED.search(query):
        return plain(query)
    cleaned = _clean(query)
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    values: dict[str, list[str]] = {}
    for token in _TOKEN.findall(cleaned[:MAX_QUERY]):
        found = _FILTER.fullmatch(token)
        if found and not found[3].isdigit():
            name = _filter_name(token, found[1], found[2])
            values.setdefault(name, []).append(found[3].strip('"'))
        elif token.startswith('-"') or re.fullmatch(r"-[^\W\d]\w*", token):
            excluded.append(token[1:].strip('"'))
        elif len(token) > 2 and token[0] == token[-1] == '"':
            phrases.append(token[1:-1])
            words.append(token[1:-1])
        else:
            words.append(token)
    return ParsedQuery(
        text=" ".join(words),
        phrases=tuple(phrase for phrase in phrases if phrase.strip()),
        excluded=tuple(term for term in excluded if term.strip()),
        filters=_filters(values),
        pasted=cleaned[:MAX_PASTED],
        is_cut=len(cleaned) > MAX_QUERY,
    )


def filter_kinds(value: str) -> tuple[str, ...]:
    """Return the node kinds that a `kind:` filter names; raises ArgumentError listing the kinds."""
    kind = value.lower().rstrip("s") if value.lower() not in {"class", "classes"} else "class"
    if kind == "doc":
        return _DOC_KINDS
    if kind not in set(NodeKind):
        known = ", ".join(NodeKind)
        raise ArgumentError("kind", f"There is no kind {value!r}. The kinds are: {known}; doc means sections and ADRs.")
    return (kind,)


_DOC_KINDS = ("section", "adr")


def _clean(text: str) -> str:
    """Control characters separate words like blanks do (SQLite would end the text at a NUL); lone surrogates go."""
    return re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]+", " ", text).strip()


def _filter_name(token: str, minus: str, name: str) -> str:
    if name not in _KNOWN:
        known = ", ".join(f"{known}:" for known in _KNOWN)
        raise ArgumentError(
            "query",
            f'{name}: in {token!r} is not a filter. The filters are: {known}; put the text in "quotes" to find it.',
        )
    if minus and name != "path":
        raise ArgumentError("query", f"{token!r}: only path: can be negated. Write {name}: with what you do want.")
    return minus + name


def _filters(values: dict[str, list[str]]) -> Filters:
    def each(name: str, convert: Callable[[str], str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(convert(value) for value in values.get(name, ())))

    for value in values.get("by", ()):
        if value.lower() not in {"file", "symbol"}:
            raise ArgumentError("query", f"by:{value} is not understood. Write by:file for one hit a file.")

    test: bool | None = None
    for value in values.get("test", ()):
        if value.lower() not in _TEST_VALUES:
            raise ArgumentError("query", f"test:{value} is not understood. Write test:yes (only tests) or test:no.")
        test = _TEST_VALUES[value.lower()]
    return Filters(
        paths=each("path", _path),
        not_paths=each("-path", _path),
        kinds=tuple(dict.fromkeys(kind for value in values.get("kind", ()) for kind in filter_kinds(value))),
        languages=each("lang", lambda value: _LANGUAGES.get(value.lower(), value.lower())),
        is_test=test,
        by_file="file" in {value.lower() for value in values.get("by", ())},
    )


_TEST_VALUES = {"yes": True, "only": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def _path(value: str) -> str:
    return value.replace("\\", "/").removeprefix("./").strip("/")
