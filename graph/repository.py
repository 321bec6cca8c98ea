"""A repository as the rest of the house sees it: its root, its store, whether it is fresh, and the text of its files.

Reads are safe from any thread. Nothing of the repository is run, and no file outside its root is ever read.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from graph.contents import text_of
from graph.errors import PathError, RootError, StoreCorruptError, StoreError
from graph.freshness import NOT_INDEXED, Freshness, built_state, compare
from graph.git import Worktree, find_worktree, head_commit
from graph.places import Places, places_for, prepare
from graph.progress import ProgressListener, SyncReport, silent
from graph.reading import FileUnreadableError, is_inside, read_file
from graph.reindexing import Reindexing
from graph.secrets import is_secret
from graph.settings import IndexSettings
from graph.store import Store, delete_database

__all__ = ["Freshness", "Repository", "SyncReport"]

_RESTED_S = 1.0
"""A running process looks at the disk again after this long at the earliest: on Django a look costs 0.1 CPU s."""


class Repository:
    """A folder that is, or can be, indexed. Use as a context manager, or `close` it."""

    def __init__(
        self, root: Path, worktree: Worktree | None, places: Places, settings: IndexSettings, project: str
    ) -> None:
        self.root = root
        self.worktree = worktree
        self.places = places
        self.settings = settings
        self.project = project
        self._store: Store | None = None
        self._was_indexed = False
        """There was an index in the life of this object: where it is gone, somebody deleted it."""
        self._reindexing = Reindexing(self.sync)
        self._guard = threading.Lock()
        """Held to open and close the store, shortly."""
        self._syncing = threading.Lock()
        """Held by the thread that syncs."""
        self._last: tuple[float, Freshness] | None = None
        """When the disk was last looked at, and what was found."""

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        settings: IndexSettings | None = None,
        project: str = "default",
        cache_home: Path | None = None,
    ) -> Repository:
        """Return the repository that holds a folder: the top of its git work tree, or the folder itself.

        Nothing is created before the first `sync`. `cache_home` stands in for the user's cache folder.

        Raises:
            RootError: there is no such folder, or git refuses it.

        """
        folder = _existing(Path(root).expanduser())
        worktree = find_worktree(folder)
        top = worktree.top if worktree is not None else folder
        return cls(top, worktree, places_for(top, worktree, cache_home), settings or IndexSettings(), project)

    @property
    def store(self) -> Store:
        """The store as it is on disk now: one that was deleted or replaced meanwhile is not read from any more.

        Raises:
            StoreError: nothing has been indexed yet, or the store cannot be used (see `Store.open`).

        """
        return self._opened(create=False)

    @property
    def is_indexed(self) -> bool:
        """A sync has been completed. Raises as `store` does when there is a store that cannot be used."""
        if not self.places.database.exists():
            return False
        is_built = built_state(self.store)[1]
        self._was_indexed = self._was_indexed or is_built
        return is_built

    def sync(self, progress: ProgressListener | None = None, *, rebuild: bool = False) -> SyncReport:
        """Bring the index up to the files on disk; with `rebuild` from nothing, replacing a damaged store.

        Readers in other threads see the graph as it was until this returns, and never wait for it.

        Raises:
            RootError, GrammarError, StoreError: see `graph.index.sync`.

        """
        with self._syncing:
            return self._synced(progress or silent, rebuild=rebuild)

    def freshness(self) -> Freshness:
        """Look at the disk, without reading more than the files whose stat changed."""
        if self.is_indexed:
            return compare(self.store, self.worktree, self.settings).freshness
        commit = head_commit(self.root) if self.worktree is not None else ""
        return Freshness(commit=commit, built_commit="", changed_files=0, is_indexed=False, reason=NOT_INDEXED)

    def refresh(self, budget_s: float = 1.0, *, rested_s: float = _RESTED_S) -> Freshness:
        """Bring the index up to date when that takes less than the budget; else say how far behind it is.

        Looks at the disk only when the last look is older than `rested_s`. Never waits for a sync that is running, in
        this process or another. An index that was never there is not built; one that was deleted under this process
        is built again in the background, and waited for within the budget.
        """
        if self._was_indexed and not self.is_indexed:
            self._last = None
            self._reindexing.wait(budget_s)
            if not self.is_indexed:
                why = self._reindexing.failure or "its store was deleted, and is being built again; ask again soon"
                return replace(self.freshness(), reason=why)
        last = self._last
        if last is not None and last[1].is_fresh and time.monotonic() - last[0] < rested_s:
            return last[1]
        if not self._syncing.acquire(blocking=False):
            return replace(self.freshness(), reason="a sync is running")
        try:
            found = self._refreshed(budget_s)
            self._last = (time.monotonic(), found)
            return found
        finally:
            self._syncing.release()

    def read_bytes(self, path: str) -> bytes:
        """Return the bytes of a listed file as they are on disk now, at most `max_file_bytes`.

        Raises:
            PathError: it is outside the root, behind a link, not listed, left out, or unreadable.

        """
        self._admit(path)
        try:
            return read_file(self.root, path, self.settings.max_file_bytes)
        except FileUnreadableError as error:
            raise PathError(f"{path} cannot be read: {error}.") from None

    def read_lines(self, path: str, start: int = 1, end: int | None = None) -> str:
        """Return lines `start` to `end` (1-based, inclusive, clipped to the file) with their line ends.

        Raises:
            PathError: as `read_bytes`, or the file is not text.

        """
        data = self.read_bytes(path)
        if b"\0" in data[:8000]:
            raise PathError(f"{path} is not text.")
        lines = text_of(data).data.decode().split("\n")
        chosen = lines[max(start, 1) - 1 : len(lines) if end is None else max(end, 0)]
        text = "\n".join(chosen)
        return text + "\n" if chosen and max(start, 1) - 1 + len(chosen) < len(lines) else text

    def verify(self, *, deep: bool = False) -> list[str]:
        """Return what is wrong with the store in sentences; `deep` also derives everything once more and compares.

        Raises:
            RootError, GrammarError, StoreError: as `sync`.

        """
        found = self.store.verify()
        if found or not deep:
            return found
        from graph.rederive import differences  # loads what makes temporary folders

        return differences(self.store, self.worktree, self.settings)

    def close(self) -> None:
        """Close the store."""
        self._reindexing.stop()
        self._close_store()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close_store(self) -> None:
        with self._guard:
            if self._store is not None:
                self._store.close()
                self._store = None

    def _opened(self, *, create: bool) -> Store:
        with self._guard:
            # Not closed: other threads may be reading by its connections, which end with their last reader.
            if self._store is None or not self._store.is_current:
                self._store = None
                self._store = Store.open(self.places.database, project=self.project, root=self.root, create=create)
            return self._store

    def _synced(self, listen: ProgressListener, *, rebuild: bool, wait_s: float | None = None) -> SyncReport:
        prepare(self.places)
        try:
            return self._run_sync(listen, rebuild=rebuild, wait_s=wait_s)
        except StoreCorruptError:
            if not rebuild:
                raise
            self._close_store()
            delete_database(self.places.database)
            return self._run_sync(listen, rebuild=True, wait_s=wait_s)

    def _run_sync(self, listen: ProgressListener, *, rebuild: bool, wait_s: float | None) -> SyncReport:
        from graph.index import LOCK_WAIT_S, sync  # loads the pipeline, which readers do without

        store = self._opened(create=True)
        if rebuild and store.is_damaged():
            raise StoreCorruptError(f"the store {store.path} is damaged.")
        self._last = None
        patience = LOCK_WAIT_S if wait_s is None else wait_s
        report = sync(store, self.places, self.worktree, self.settings, listen, rebuild=rebuild, wait_s=patience)
        self._was_indexed = True
        return report

    def _refreshed(self, budget_s: float) -> Freshness:
        if not self.is_indexed:
            return self.freshness()
        found = compare(self.store, self.worktree, self.settings)
        if found.is_exact:
            return found.freshness
        if found.cost_s > budget_s:
            reason = f"about {found.cost_s:.0f} s of work, more than the {budget_s:g} s allowed; run `roteiro sync`"
            return replace(found.freshness, reason=reason)
        try:
            report = self._synced(silent, rebuild=False, wait_s=0.0)
        except StoreError as error:
            return replace(found.freshness, reason=str(error))
        return Freshness(commit=report.commit, built_commit=report.commit, changed_files=0)

    def _admit(self, path: str) -> None:
        """Raise unless a path is one that the index lists, and lists as readable."""
        if not is_inside(path):
            raise PathError(f"{path!r} is not a path below {self.root}. Give it relative to the root, with `/`.")
        if is_secret(path):
            raise PathError(f"{path} may hold a secret by its name, so it is never read.")
        store = self.store
        row = (
            store.read()
            .execute("SELECT status, reason FROM file WHERE project = ? AND path = ?", (store.project_id, path))
            .fetchone()
        )
        if row is None:
            raise PathError(
                f"{path} is not in the index of {self.root}. Use `search` to find paths, or run `roteiro sync`."
            )
        if row[0] == "skipped":
            raise PathError(f"{path} was left out of the index: {row[1]}.")


def _existing(folder: Path) -> Path:
    if not folder.exists():
        raise RootError(f"there is no folder {folder}. Give the folder of a repository with --root.")
    if not folder.is_dir():
        raise RootError(f"{folder} is a file. Give the folder that holds it with --root.")
    return folder.resolve()
