"""A repository as the rest of the house sees it: its root, its store, whether it is fresh, and the text of its files.

Reads are safe from any thread. Nothing of the repository is run, and no file outside its root is ever read.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from graph.contents import text_of
from graph.errors import PathError, RootError, StoreCorruptError, StoreError
from graph.files import list_files
from graph.git import Worktree, blob_id, find_worktree, head_commit
from graph.index_plan import Known, Plan, known_files, plan_for
from graph.places import Places, places_for, prepare
from graph.progress import ProgressListener, SyncReport, silent
from graph.reading import FileUnreadableError, is_inside, read_file
from graph.rederive import differences
from graph.secrets import is_secret
from graph.settings import IndexSettings
from graph.store import Store, delete_database

__all__ = ["Freshness", "Repository", "SyncReport"]

_SECONDS_A_FILE = 0.03
"""Reading, extracting and resolving one file and its share of dependents, measured on Django; generous by half."""
_RESOLVE_SECONDS_A_FILE = 0.006
_CONFIRMED_FILES = 200
"""Up to this many files whose stat changed are hashed to tell a change from a touch."""
_RESTED_S = 1.0
"""A running process looks at the disk again after this long at the earliest: on Django a look costs 0.1 CPU s."""


class Freshness(Struct, frozen=True, kw_only=True):
    """How an index stands to the files on disk."""

    commit: str
    """What is checked out now, empty outside git and before the first commit."""
    built_commit: str
    """What was checked out when the index was built."""
    changed_files: int
    """Files that are new, changed or gone since; 0 means the index is exact."""
    is_indexed: bool = True
    reason: str = ""
    """Why the index was not refreshed; empty when it was, or need not be."""

    @property
    def is_fresh(self) -> bool:
        """The index says what the files say."""
        return self.is_indexed and self.changed_files == 0


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
        self._guard = threading.RLock()
        self._looked_at = 0.0
        self._last: Freshness | None = None

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
        """The store.

        Raises:
            StoreError: nothing has been indexed yet, or the store cannot be used (see `Store.open`).

        """
        with self._guard:
            if self._store is None:
                self._store = Store.open(self.places.database, project=self.project, root=self.root, create=False)
            return self._store

    @property
    def is_indexed(self) -> bool:
        """A sync has been completed. Raises as `store` does when there is a store that cannot be used."""
        if self._store is None and not self.places.database.exists():
            return False
        row = self._project_row()
        return bool(row[1])

    def sync(self, progress: ProgressListener | None = None, *, rebuild: bool = False) -> SyncReport:
        """Bring the index up to the files on disk; with `rebuild` from nothing, replacing a damaged store.

        Raises:
            RootError, GrammarError, StoreError: see `graph.index.sync`.

        """
        return self._synced(progress or silent, rebuild=rebuild)

    def freshness(self) -> Freshness:
        """Look at the disk, without reading more than the files whose stat changed."""
        if not self.is_indexed:
            return Freshness(
                commit=self._commit(), built_commit="", changed_files=0, is_indexed=False, reason="not indexed"
            )
        return self._compared()[0]

    def refresh(self, budget_s: float = 1.0, *, rested_s: float = _RESTED_S) -> Freshness:
        """Bring the index up to date when that takes less than the budget; else say how far behind it is.

        Looks at the disk only when the last look is older than `rested_s`. Never waits for another process that is
        indexing, and never builds an index that is not there.
        """
        with self._guard:
            last = self._last
            if last is not None and last.is_fresh and time.monotonic() - self._looked_at < rested_s:
                return last
            self._last = self._refreshed(budget_s)
            self._looked_at = time.monotonic()
            return self._last

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
        return differences(self.store, self.worktree, self.settings)

    def close(self) -> None:
        """Close the store."""
        with self._guard:
            if self._store is not None:
                self._store.close()
                self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _synced(self, listen: ProgressListener, *, rebuild: bool, wait_s: float | None = None) -> SyncReport:
        with self._guard:
            prepare(self.places)
            try:
                return self._run_sync(listen, rebuild=rebuild, wait_s=wait_s)
            except StoreCorruptError:
                if not rebuild:
                    raise
                self.close()
                delete_database(self.places.database)
                return self._run_sync(listen, rebuild=True, wait_s=wait_s)

    def _run_sync(self, listen: ProgressListener, *, rebuild: bool, wait_s: float | None) -> SyncReport:
        from graph.index import LOCK_WAIT_S, sync  # loads the pipeline, which readers do without

        if self._store is None:
            self._store = Store.open(self.places.database, project=self.project, root=self.root, create=True)
        self._last = None
        patience = LOCK_WAIT_S if wait_s is None else wait_s
        return sync(self._store, self.places, self.worktree, self.settings, listen, rebuild=rebuild, wait_s=patience)

    def _project_row(self) -> tuple[str, str]:
        store = self.store
        row = store.read().execute("SELECT built_commit, versions FROM project WHERE id = ?", (store.project_id,))
        commit, versions = row.fetchone() or ("", "")
        return str(commit), str(versions)

    def _commit(self) -> str:
        return head_commit(self.root) if self.worktree is not None else ""

    def _compared(self) -> tuple[Freshness, Plan, dict[str, Known]]:
        store = self.store
        known = known_files(store.read(), store.project_id)
        plan = plan_for(list_files(self.root, self.worktree, self.settings), known)
        changed = len(plan.gone) + len(plan.settled) + self._really_changed(plan, known)
        commit = self._commit()
        built = self._project_row()[0]
        return Freshness(commit=commit, built_commit=built, changed_files=changed), plan, known

    def _really_changed(self, plan: Plan, known: dict[str, Known]) -> int:
        if len(plan.read) > _CONFIRMED_FILES:
            return len(plan.read)
        return sum(not self._is_same(known.get(listed.path)) for listed in plan.read)

    def _is_same(self, row: Known | None) -> bool:
        if row is None:
            return False
        try:
            return blob_id(read_file(self.root, row.path, self.settings.max_file_bytes)) == row.blob
        except FileUnreadableError:
            return False

    def _refreshed(self, budget_s: float) -> Freshness:
        if not self.is_indexed:
            return self.freshness()
        found, plan, known = self._compared()
        if found.changed_files == 0 and found.commit == found.built_commit:
            return found
        cost = self._cost(plan, known)
        if cost > budget_s:
            reason = f"about {cost:.0f} s of work, more than the {budget_s:g} s allowed here; run `roteiro sync`"
            return replace(found, reason=reason)
        try:
            report = self._synced(silent, rebuild=False, wait_s=0.0)
        except StoreError as error:
            return replace(found, reason=str(error))
        return Freshness(commit=report.commit, built_commit=report.commit, changed_files=0)

    def _cost(self, plan: Plan, known: dict[str, Known]) -> float:
        """Estimate the seconds of an incremental sync."""
        paths = [listed.path for listed in (*plan.read, *plan.settled)] + [row.path for row in plan.gone]
        store = self.store
        dependents: int = sum(
            store.read().execute("SELECT count(*) FROM dependency WHERE on_path = ?", (path,)).fetchone()[0]
            for path in paths[:1000]
        )
        work = len(plan.read) + len([path for path in paths if path in known])
        return work * _SECONDS_A_FILE + dependents * _RESOLVE_SECONDS_A_FILE

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
