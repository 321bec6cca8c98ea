"""Pages of a list: a cursor is the number of items before the page, and the last page has none."""

from __future__ import annotations

from graph.errors import ArgumentError

__all__ = ["below", "next_cursor", "page_offset"]


def page_offset(cursor: str) -> int:
    """Return where a page starts; a cursor is the number of items before it.

    Raises:
        ArgumentError: it is not a cursor that an answer gave.
    """
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise ArgumentError(
            "cursor", f"`cursor` is {cursor!r}; give the one that the last answer printed, or leave it out."
        )
    return int(cursor)


def next_cursor(offset: int, shown: int, total: int) -> str:
    """Return what to send for the next page; empty on the last."""
    return str(offset + shown) if offset + shown < total else ""


def below(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition on `f.path` for a file or a folder, with its values; no condition for an empty path."""
    written = path.strip().removeprefix("./").rstrip("/")
    if written in {"", "."}:
        return "", ()
    escaped = written.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return " AND (f.path = ? OR f.path LIKE ? ESCAPE '!')", (written, f"{escaped}/%")
