"""Evidence: a few rich excerpts of code within a budget, chosen before the model speaks.

Few and rich, because a small model picks badly among many thin ones. Of a symbol that does not fit, the lines that hold
most of the question are kept, with what stands around them. The text never contains the question, so that another
question on the same evidence shares its prefix.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from graph.errors import PathError
from graph.search.ranking import Term
from graph.search.search import Hit
from graph.visible import visible
from serve.ask.lines import kept_lines
from serve.ask.orders import without_orders
from serve.ask.retrieval import EXACT_SCORE

__all__ = ["CHARACTERS_A_TOKEN", "MAX_CITED_LINES", "NARROW_KINDS", "Excerpt", "Shown", "choose", "excerpts", "quoted"]

CHARACTERS_A_TOKEN = 3.3
"""Measured with the default model's tokenizer over Python and TypeScript source."""

_SHARES = (0.5, 0.3, 0.2)
_CLOSE = 0.75
"""A hit with less of the best one's score (names aside) only leads astray: with it the evidence of 63 questions shrinks
from 3 items to 2.2 and loses two targets."""
_GAP = "    ..."
NARROW_KINDS = frozenset({"function", "method", "variable", "section"})
"""Kinds that are cited whole, however long: one symbol is one place. A class of 400 lines is a list of places."""
MAX_CITED_LINES = 40

ReadLines = Callable[[str, int, int], str]


class Shown(Struct, frozen=True, kw_only=True):
    """A place that the model was shown: what a citation may point to."""

    path: str
    start_line: int
    end_line: int
    key: str = ""
    name: str = ""
    """The qualified name; empty for lines of a file."""
    text: str = ""
    """What was shown of it."""
    lines: tuple[int, ...] = ()
    """The lines that were shown, where only some were."""
    rank: int = 0
    """0 for the best hit of the question; what a tool of the model's own choice gave comes after the evidence."""
    is_given: bool = False
    """The question names it and asks for something else: that the answer names it too proves little."""


class Excerpt(Struct, frozen=True, kw_only=True):
    """One piece of evidence: the text for the prompt, and the place it shows."""

    text: str
    shown: Shown


def choose(hits: Sequence[Hit], count: int, *, wants_tests: bool) -> list[Hit]:
    """Return the hits that become evidence: symbols before whole files, code before tests, nothing twice, none far."""
    symbols = [hit for hit in hits if hit.kind not in {"file", "module"}] or list(hits)
    if not wants_tests:
        symbols = [hit for hit in symbols if not hit.is_test] or symbols
    lists = [hit for hit in symbols[1:] if _is_list(hit)]  # a long class in second place crowds a method out
    border = _CLOSE * max((hit.score for hit in symbols if hit.score < EXACT_SCORE), default=0.0)
    chosen: list[Hit] = []
    for hit in [*(hit for hit in symbols if hit not in lists), *lists]:
        if len(chosen) == count:
            break
        if chosen and hit.score < border:
            continue
        if not any(_repeats(hit, other) for other in chosen):
            chosen.append(hit)
    return chosen


def excerpts(
    hits: Sequence[Hit], query: Sequence[Term], read_lines: ReadLines, budget_tokens: int
) -> tuple[Excerpt, ...]:
    """Return the excerpts of hits within the budget, the first the largest; what one leaves, the next may use."""
    budget = budget_tokens * CHARACTERS_A_TOKEN
    shares = _SHARES[: len(hits)] if len(hits) <= len(_SHARES) else tuple(1 / len(hits) for _ in hits)
    total = sum(shares)
    found: list[Excerpt] = []
    left = 0.0
    for rank, (hit, share) in enumerate(zip(hits, shares, strict=True)):
        room = budget * share / total + left
        excerpt = _excerpt(rank, hit, query, read_lines, int(room))
        if excerpt is not None:
            found.append(excerpt)
            left = max(0.0, room - len(excerpt.text))
    return tuple(found)


def quoted(texts: Sequence[str]) -> str:
    """Return texts of the repository between delimiters that nothing inside them can close, orders left out."""
    body = (
        "\n".join(without_orders("\n\n".join(texts).split("\n")))
        .replace("<evidence", "<\u200bevidence")
        .replace("</evidence", "<\u200b/evidence")
    )
    return f"<evidence>\n{body}\n</evidence>"


def _excerpt(rank: int, hit: Hit, query: Sequence[Term], read_lines: ReadLines, room: int) -> Excerpt | None:
    start = max(hit.start_line, 1)
    try:
        source = without_orders(read_lines(hit.path, start, max(hit.end_line, 1)).splitlines())
    except PathError:  # gone or secret since it was indexed: the next hit serves
        return None
    if not source:
        return None
    head = visible(f"[{rank + 1}] {hit.kind} `{hit.name}`{_of(hit)} in {hit.path}:{hit.start_line}-{hit.end_line}")
    kept = kept_lines(source, query, room - len(head) - 1)
    body = "\n".join(_with_gaps(textwrap.dedent("\n".join(source)).splitlines(), kept))
    first, last = _cited_span(hit, kept)
    shown = Shown(
        path=hit.path,
        start_line=first,
        end_line=last,
        key=hit.key,
        name=hit.qualname,
        text=body,
        lines=tuple(start + index for index in kept),
        rank=rank,
    )
    return Excerpt(text=f"{head}\n{body}", shown=shown)


def _of(hit: Hit) -> str:
    """Say what a symbol is in, after its name: a small model repeats the first name that it reads."""
    enclosing = hit.qualname.removesuffix(hit.name).rstrip(".")
    return f" of {enclosing}" if enclosing else ""


def _with_gaps(lines: Sequence[str], kept: Sequence[int]) -> Iterator[str]:
    previous = -1
    for index in kept:
        if index > previous + 1:
            yield _GAP
        yield lines[index] if index < len(lines) else ""
        previous = index
    if previous < len(lines) - 1:
        yield _GAP


def _cited_span(hit: Hit, kept: Sequence[int]) -> tuple[int, int]:
    """Return the whole symbol, or of a long class the stretch of at most 40 lines that shows most."""
    start = max(hit.start_line, 1)
    if hit.kind in NARROW_KINDS or hit.end_line - start < MAX_CITED_LINES:
        return start, hit.end_line
    first = max(kept, key=lambda index: sum(index <= other < index + MAX_CITED_LINES for other in kept))
    inside = [index for index in kept if first <= index < first + MAX_CITED_LINES]
    return start + first, start + inside[-1]


def _is_list(hit: Hit) -> bool:
    """Whether a hit is so long a container that an excerpt of it says little."""
    return hit.kind not in NARROW_KINDS and hit.end_line - hit.start_line >= MAX_CITED_LINES


def _repeats(hit: Hit, chosen: Hit) -> bool:
    """Whether a hit holds a chosen one, or lies inside one that is shown; a method beside its class is worth it."""
    if hit.path != chosen.path:
        return False
    holds = hit.start_line <= chosen.start_line and chosen.end_line <= hit.end_line
    inside = chosen.start_line <= hit.start_line and hit.end_line <= chosen.end_line
    return holds or (inside and chosen.kind in NARROW_KINDS)
