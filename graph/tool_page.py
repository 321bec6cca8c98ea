"""Answers as compact text for a model or a terminal: the one place where an answer is cut to size.

A renderer says what it would print as a `Page`: a head, items, and how to go on after any number of them. `fit` prints
as many items as the limit holds. The rule that must stay true: no text is longer than its limit in bytes, and a reader
always learns what is missing and how to ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from graph.lookup import Symbol

__all__ = ["BACKWARDS", "Page", "counted", "cursor_sentence", "cut", "fit", "noted", "where"]

BACKWARDS = {
    "calls": "is called by",
    "contains": "is in",
    "imports": "is imported by",
    "inherits": "is the base of",
    "implements": "is implemented by",
    "overrides": "is overridden by",
    "references": "is used by",
    "tests": "is tested by",
    "documents": "is documented by",
    "mentions": "is mentioned by",
}
"""How an edge reads from its end."""


class Page(Struct, frozen=True, kw_only=True):
    """An answer in parts, before it is cut to size."""

    head: str
    items: Sequence[str] = ()
    foot: str = ""
    go_on: Callable[[int], str] = lambda shown: ""  # noqa: ARG005 (the shape of every `go_on`)
    """What to say after the first `shown` items; empty when nothing is left out."""
    separator: str = "\n"


def fit(page: Page, limit_bytes: int, status: str = "") -> str:
    """Return the page as text of at most `limit_bytes` bytes of UTF-8, with the status as its last line."""
    head = cut(page.head, limit_bytes // 2)
    shown = _most_that_fit(page, limit_bytes - _size(head, page.foot, status))
    body = page.separator.join(page.items[:shown])
    if page.items and not shown:
        # Not even one item fits whole: its beginning is worth more than nothing, and paging goes on behind it.
        shown = 1
        body = cut(page.items[0], max(0, limit_bytes - _size(head, page.foot, status, page.go_on(shown)) - 1))
    parts = (head, body, page.go_on(shown), page.foot, status)
    return cut("\n".join(part for part in parts if part), limit_bytes)


def _most_that_fit(page: Page, room: int) -> int:
    """Return how many items fit, with the sentence that says how to go on after them."""
    used, ends = 0, [0]
    for item in page.items:
        used += len(item.encode()) + len(page.separator)
        ends.append(used)
    return next((shown for shown in range(len(page.items), 0, -1) if ends[shown] + _size(page.go_on(shown)) <= room), 0)


def cut(text: str, limit_bytes: int) -> str:
    """Return `text`, or its beginning with a mark where it has more than `limit_bytes` bytes of UTF-8."""
    encoded = text.encode()
    if len(encoded) <= limit_bytes:
        return text
    mark = "… (cut)"
    kept = encoded[: max(0, limit_bytes - len(mark.encode()))].decode(errors="ignore")
    return kept + mark if limit_bytes >= len(mark.encode()) else kept


def where(symbol: Symbol) -> str:
    """Return `path:start-end kind qualname`; `path:start` and `path#qualname` are both keys that tools take."""
    if symbol.kind == "file":
        return f"{symbol.path} file"
    again = f" ({symbol.key.rpartition('~')[2]}. definition)" if "~" in symbol.key.rpartition("#")[2] else ""
    return f"{symbol.path}:{symbol.start_line}-{symbol.end_line} {symbol.kind} {symbol.qualname}{again}"


def cursor_sentence(offset: int, total: int, noun: str) -> Callable[[int], str]:
    """Return the `go_on` of a list with a cursor: how many are left, and what to send for them."""

    def go_on(shown: int) -> str:
        left = total - offset - shown
        return f"{left} more {noun} of {total}: cursor={offset + shown}" if left > 0 else ""

    return go_on


def noted(notes: Sequence[str]) -> str:
    """Return remarks, one a line."""
    return "\n".join(f"Note: {note}" for note in notes)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _size(*parts: str) -> int:
    """Return the bytes of the parts that are there, a line break behind each."""
    return sum(len(part.encode()) + 1 for part in parts if part)
