"""A repository as a command uses it: opened once, brought up to date when it is first asked, closed at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from roteiro.config import Config
from roteiro.progress import Show, showing
from roteiro.terminal import say

if TYPE_CHECKING:
    from graph.progress import Progress, ProgressListener
    from graph.repository import Repository, SyncReport

__all__ = ["Workspace"]

_ACTIVITIES = {
    "waiting": "waiting for another process that indexes this repository",
    "listing": "listing files",
    "extracting": "reading files",
    "resolving": "resolving calls",
    "search": "indexing text",
}


class Workspace:
    """A context manager around an open repository and the settings that hold for it."""

    def __init__(self, repository: Repository, config: Config) -> None:
        self.repository = repository
        self.config = config

    def ready(self) -> Repository:
        """Return the repository with an index that says what the files say; builds or refreshes it first.

        Raises:
            RootError, GrammarError, StoreError: it cannot be indexed.

        """
        if not self.repository.is_indexed:
            say(f"indexing {self.repository.root} (the first time)")
            self.sync()
        elif not self.repository.refresh().is_fresh:
            self.sync()
        return self.repository

    def sync(self, *, rebuild: bool = False) -> SyncReport:
        """Bring the index up to date, showing progress; with `rebuild` from nothing."""
        with showing() as show:
            report = self.repository.sync(_listener(show), rebuild=rebuild)
        if note := self.search_note():
            say(note)
        return report

    def search_note(self) -> str:
        """Return why search goes by words alone, and what to do; empty when it goes by meaning too."""
        from graph.search.meaning import meaning_note

        store = self.repository.store
        return meaning_note(store.read(), store.project_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.repository.close()


def _listener(show: Show) -> ProgressListener:
    def listen(progress: Progress) -> None:
        show(_ACTIVITIES.get(progress.phase, progress.phase), progress.done, progress.total)

    return listen
