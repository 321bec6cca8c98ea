"""How an index stands to the files on disk: by stat, and by hashing the few whose stat changed. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from graph.files import list_files
from graph.git import Worktree, blob_id, head_commit
from graph.index_plan import Known, Plan, known_files, plan_for
from graph.reading import FileUnreadableError, read_file
from graph.settings import IndexSettings
from graph.store import Store

__all__ = ["NOT_INDEXED", "Comparison", "Freshness", "built_state", "compare"]

NOT_INDEXED = "not indexed"
"""The reason given where there never was an index."""
_SECONDS_A_FILE = 0.03
"""Reading, extracting and resolving one file, measured on Django; generous by half."""
_SECONDS_A_DEPENDENT = 0.01
_CONFIRMED_FILES = 200
"""Up to this many files whose stat changed are hashed to tell a change from a touch."""


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


class Comparison(Struct, frozen=True):
    """What a look at the disk found, and about how many seconds it takes to catch up."""

    freshness: Freshness
    cost_s: float

    @property
    def is_exact(self) -> bool:
        """Nothing is to be done, not even to note another commit of the same files."""
        return self.freshness.is_fresh and self.freshness.commit == self.freshness.built_commit


def built_state(store: Store) -> tuple[str, bool]:
    """Return the commit that the graph was built from, and whether a sync has ever been completed."""
    row = store.read().execute("SELECT built_commit, versions FROM project WHERE id = ?", (store.project_id,))
    commit, versions = row.fetchone() or ("", "")
    return str(commit), bool(versions)


def compare(store: Store, worktree: Worktree | None, settings: IndexSettings) -> Comparison:
    """Look at the disk; on Django 0.1 CPU s.

    Raises:
        RootError: the files cannot be listed any more.

    """
    known = known_files(store.read(), store.project_id)
    plan = plan_for(list_files(store.root, worktree, settings), known)
    freshness = Freshness(
        commit=head_commit(store.root) if worktree is not None else "",
        built_commit=built_state(store)[0],
        changed_files=len(plan.gone) + len(plan.settled) + _really_changed(plan, known, store.root, settings),
    )
    return Comparison(freshness, _cost(store, plan, known))


def _really_changed(plan: Plan, known: Mapping[str, Known], root: Path, settings: IndexSettings) -> int:
    if len(plan.read) > _CONFIRMED_FILES:
        return len(plan.read)
    return sum(not _is_same(known.get(listed.path), root, settings.max_file_bytes) for listed in plan.read)


def _is_same(row: Known | None, root: Path, max_bytes: int) -> bool:
    if row is None:
        return False
    try:
        return blob_id(read_file(root, row.path, max_bytes)) == row.blob
    except FileUnreadableError:
        return False


def _cost(store: Store, plan: Plan, known: Mapping[str, Known]) -> float:
    """Estimate the seconds of an incremental sync."""
    paths = [listed.path for listed in (*plan.read, *plan.settled)] + [row.path for row in plan.gone]
    connection = store.read()
    dependents = 0
    for path in paths[:1000]:
        found = connection.execute("SELECT count(*) FROM dependency WHERE on_path = ?", (path,)).fetchone()
        dependents += int(found[0])
    return (len(plan.read) + sum(path in known for path in paths)) * _SECONDS_A_FILE + dependents * _SECONDS_A_DEPENDENT
