"""What the page shows of a repository: what it is, how fresh its index is, hits of a search, the lines of a file.

Every method may read disk or database, so the routes call them in a thread.
"""

from __future__ import annotations

from msgspec import Struct

from graph.errors import ArgumentError, StoreError
from graph.repository import Repository
from graph.search.meaning import meaning_note
from graph.tools import call_tool

__all__ = ["PAGE_LINES", "FilePage", "RepositoryStatus", "RepositoryView"]

PAGE_LINES = 1_000
"""Lines of a file on one page: a screen reader and a phone still cope with it."""


class RepositoryStatus(Struct, frozen=True, kw_only=True):
    """What stands in the head of the page."""

    name: str
    root: str
    commit: str
    is_indexed: bool
    changed_files: int
    """Files that changed since the index was built."""
    reason: str
    search_note: str = ""
    """Why search goes by words alone, and what to do; empty when it goes by meaning too."""


class FilePage(Struct, frozen=True, kw_only=True):
    """Some lines of a file, and which of them are meant."""

    path: str
    first_line: int
    lines: tuple[str, ...]
    line_count: int
    marked: tuple[int, int] | None
    """First and last line of the span that was asked for."""

    @property
    def last_line(self) -> int:
        """The last line on this page."""
        return self.first_line + len(self.lines) - 1


class RepositoryView:
    """Reads a repository for the page."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def status(self) -> RepositoryStatus:
        """Return what is served and whether its index is up to date; looks at the disk."""
        root = self._repository.root
        try:
            fresh = self._repository.freshness()
        except StoreError as error:
            return RepositoryStatus(
                name=root.name, root=str(root), commit="", is_indexed=False, changed_files=0, reason=str(error)
            )
        return RepositoryStatus(
            name=root.name,
            root=str(root),
            commit=fresh.commit,
            is_indexed=fresh.is_indexed,
            changed_files=fresh.changed_files,
            reason=fresh.reason,
            search_note=self._search_note() if fresh.is_indexed else "",
        )

    def _search_note(self) -> str:
        store = self._repository.store
        return meaning_note(store.read(), store.project_id)

    def search(self, query: str, limit: str, cursor: str) -> Struct:
        """Return a page of hits, after bringing the index up to date if that is quick; raises GraphError."""
        self._repository.refresh()
        arguments = {"query": query, "limit": limit or None, "cursor": cursor or None}
        return call_tool(self._repository, "search", arguments).result

    def page(self, path: str, lines: str, from_line: str = "") -> FilePage:
        """Return the page of a file that holds the lines asked for (`10-20`, `10`), else the line `from_line`.

        Raises:
            PathError: the file is not in the index.
            ArgumentError: the lines are no range, or not in the file.
        """
        if not self._repository.is_indexed:
            self._repository.refresh()  # builds again what was deleted while the server runs
        text = self._repository.read_lines(path).removesuffix("\n")
        # The index counts lines by "\n" alone; splitlines would count form feeds and separators as well.
        all_lines = text.split("\n")
        marked = _marked(lines, len(all_lines))
        shown = marked or _marked(from_line, len(all_lines)) or (1, 1)
        first = (shown[0] - 1) // PAGE_LINES * PAGE_LINES + 1
        return FilePage(
            path=path,
            first_line=first,
            lines=tuple(all_lines[first - 1 : first - 1 + PAGE_LINES]),
            line_count=len(all_lines),
            marked=marked,
        )


def _marked(written: str, line_count: int) -> tuple[int, int] | None:
    if not written:
        return None
    start, _, end = written.partition("-")
    numbers = (start, end or start)
    if all(number.isascii() and number.isdecimal() and len(number) <= 9 for number in numbers):
        first, last = int(numbers[0]), int(numbers[1])
        if 1 <= first <= last and first <= line_count:
            return first, min(last, line_count)
    raise ArgumentError(
        "lines", f"lines is {written[:40]!r}; this file has the lines 1 to {line_count}, so give a range such as 10-20."
    )
