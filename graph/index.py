"""The pipeline: changed files -> facts -> nodes -> edges -> search, in one transaction.

Whoever reads meanwhile sees the graph as it was; Ctrl-C or a crash leaves it as it was, and what was extracted until
then stays in the cache of facts. The rule that must stay true: after any sequence of changes the rows equal those of a
build from nothing (`graph.store.snapshot`). A file is resolved again when its own bytes changed, or when a path that
its resolution looked at appeared, disappeared or changed what others can see of it.
"""

from __future__ import annotations

import gc
import sqlite3
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from graph.extract.facts import EXTRACT_VERSION
from graph.facts_cache import FactsCache
from graph.files import Listed, list_files
from graph.git import Worktree, blob_id, head_commit
from graph.index_frames import Done, Job
from graph.index_handed import settle, take_back
from graph.index_plan import Known, Plan, known_files, plan_for, refreshed, remembered, settled_as, task_for
from graph.index_pool import work_on
from graph.index_signals import changed_signals, remade_packages
from graph.index_source import FileSource
from graph.index_waking import dependents, names_altered, put_parts
from graph.index_work import CONTENT_VERSION
from graph.index_write import (
    EdgeWriter,
    clear_project,
    forget_resolution,
    put_file,
    put_nodes,
    put_stat,
    remove_files,
)
from graph.lock import held
from graph.places import Places, prepare
from graph.progress import Phase, Progress, ProgressListener, SyncReport
from graph.reading import FileUnreadableError, read_file
from graph.resolve.resolver import Resolver
from graph.resolve.source import RESOLVE_VERSION
from graph.search.embedding import embedder, embedding_name
from graph.search.indexing import SEARCH_VERSION, remove, update
from graph.search.vectors import due, put
from graph.settings import IndexSettings
from graph.store import Store

__all__ = ["LOCK_WAIT_S", "sync"]

LOCK_WAIT_S = 3600.0
"""A cold sync of the largest repositories ends long before."""
_RESOLVE_ALL_SHARE = 0.1
"""Past this share of all files it is cheaper to load every key at once than to ask for them one by one."""
_VERSIONS = f"extract={EXTRACT_VERSION} content={CONTENT_VERSION} resolve={RESOLVE_VERSION} search={SEARCH_VERSION}"


def sync(
    store: Store,
    places: Places,
    worktree: Worktree | None,
    settings: IndexSettings,
    listen: ProgressListener,
    *,
    rebuild: bool = False,
    wait_s: float = LOCK_WAIT_S,
) -> SyncReport:
    """Bring a store up to the files of its root and return what was done.

    Raises:
        RootError: the files cannot be listed.
        GrammarError: a grammar is missing.
        StoreError: another process is still indexing after `wait_s`, or the store cannot be written.

    """
    start = time.monotonic()
    prepare(places)
    with held(places.lock, wait_s=wait_s, on_wait=lambda: listen(Progress(Phase.WAITING, path=str(places.lock)))):
        listen(Progress(Phase.LISTING))
        commit = head_commit(store.root) if worktree is not None else ""
        listing = list_files(store.root, worktree, settings)
        cache = FactsCache(places.facts)
        try:
            with _rarer_collections(), store.write() as connection:
                run = _Sync(store, places, connection, cache, settings, listen)
                run.run(listing, commit, rebuild=rebuild)
            if run.did_much:
                store.shrink()
                cache.prune()
        finally:
            cache.close()
        return run.report(start, commit, str(store.path), places.elsewhere)


@contextmanager
def _rarer_collections() -> Generator[None]:
    """Look for cycles hardly ever: facts and values are trees, and looking at them again and again costs time."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Sync:
    """One run; lives inside the transaction."""

    def __init__(
        self,
        store: Store,
        places: Places,
        connection: sqlite3.Connection,
        cache: FactsCache,
        settings: IndexSettings,
        listen: ProgressListener,
    ) -> None:
        self._root = store.root
        self._project = store.project_id
        self._places = places
        self._connection = connection
        self._cache = cache
        self._settings = settings
        self._listen = listen
        self._known: dict[str, Known] = {}
        self._touched: set[int] = set()
        """Files whose nodes or bytes changed: to be resolved and searched anew."""
        self._bereft: set[int] = set()
        """Files with edges into nodes that are gone, or in a folder that became a package or stopped being one."""
        self._altered: dict[str, frozenset[int]] = {}
        """Paths of which it is known behind which names there is something else now."""
        self._removed = 0
        self._resolved = 0
        self._dangling = 0

    @property
    def did_much(self) -> bool:
        """Worth tidying up after."""
        return len(self._touched) + self._removed > 200

    def run(self, listing: tuple[Listed, ...], commit: str, *, rebuild: bool) -> None:
        versions = self._versions()
        if rebuild or _part(versions, "search") != SEARCH_VERSION:
            self._forget_search()
        if rebuild:
            clear_project(self._connection, self._project)
        rework = rebuild or versions.partition(" resolve")[0] != _VERSIONS.partition(" resolve")[0]
        self._known = known_files(self._connection, self._project)
        plan = plan_for(listing, self._known, rework=rework)
        self._settle(plan)
        self._extract(
            plan, Job(str(self._root), str(self._places.facts), self._settings.max_file_bytes, rebuild), rework
        )
        before, known = self._known, refreshed(self._connection, self._project, self._known, plan)
        self._known = known
        remade = remade_packages(before, known)
        self._bereft |= _inside(known, remade)
        if remade:
            self._altered.clear()  # then a path is also a signal of what its folder is
        self._resolve(known, changed_signals(before, known), everything=_part(versions, "resolve") != RESOLVE_VERSION)
        self._index_text(known, everything=_part(versions, "search") != SEARCH_VERSION)
        self._index_meaning()
        self._sign(commit)

    def report(self, start: float, commit: str, store: str, elsewhere: str) -> SyncReport:
        status = [row.status for row in self._known.values()]
        return SyncReport(
            files=len(status),
            indexed=status.count("indexed"),
            skipped=status.count("skipped"),
            changed=len(self._touched),
            removed=self._removed,
            resolved=self._resolved,
            dangling_edges=self._dangling,
            seconds=round(time.monotonic() - start, 3),
            commit=commit,
            store=store,
            elsewhere=elsewhere,
        )

    def _versions(self) -> str:
        row = self._connection.execute("SELECT versions FROM project WHERE id = ?", (self._project,)).fetchone()
        return str(row[0])

    def _settle(self, plan: Plan) -> None:
        """Take out what is gone, and write the rows of files that are not read."""
        lost = {row.id: row for row in plan.gone}
        for listed in plan.settled:
            row = self._known.get(listed.path)
            if row is not None and row.blob:
                lost[row.id] = row
        self._removed = len(plan.gone)
        remove(self._connection, self._project, [row.id for row in lost.values() if row.status == "indexed"])
        self._bereft |= remove_files(self._connection, lost)
        for listed in plan.settled:
            status, reason = settled_as(listed)
            put_file(self._connection, self._project, Done(listed.path, status, reason=reason), listed.stat)

    def _extract(self, plan: Plan, job: Job, rework: bool) -> None:
        tasks = [
            (task_for(listed, self._known.get(listed.path), rework=rework), listed.stat.size) for listed in plan.read
        ]
        stats = {listed.path: listed.stat for listed in plan.read}
        now_ns = time.time_ns()
        count = 0
        for some in work_on(tasks, job, self._settings.workers):
            self._cache.put((done.blob, done.language, done.facts) for done in some if done.facts)
            for done in some:
                stat = remembered(stats[done.path], now_ns)
                if done.status == "same":
                    put_stat(self._connection, self._known[done.path].id, stat)
                else:
                    self._write(done, put_file(self._connection, self._project, done, stat))
            count += len(some)
            self._listen(Progress(Phase.EXTRACTING, count, len(tasks), some[-1].path if some else ""))

    def _write(self, done: Done, file_id: int) -> None:
        before = self._known.get(done.path)
        if before is not None and before.status == "indexed" != done.status:
            remove(self._connection, self._project, [file_id])
        self._bereft |= put_nodes(self._connection, self._project, file_id, done)
        names = names_altered(before, done, put_parts(self._connection, file_id, done.parts))
        if names is not None:
            self._altered[done.path] = names
        self._touched.add(file_id)

    def _resolve(self, known: Mapping[str, Known], given: Iterable[str], *, everything: bool) -> None:
        """Resolve again what must be, and nothing else."""
        indexed = {row.id: row for row in known.values() if row.status == "indexed"}
        due = (
            self._touched
            | self._bereft
            | (set(indexed) if everything else dependents(self._connection, given, self._altered))
        )
        rows = sorted((indexed[file_id] for file_id in due & indexed.keys()), key=lambda row: row.path)
        if rows or self._touched or self._removed:
            take_back(self._connection, self._project)
            forget_resolution(self._connection, self._touched | {row.id for row in rows})
            self._resolve_rows(rows, known, indexed)
            settle(self._connection, self._project)

    def _resolve_rows(self, rows: list[Known], known: Mapping[str, Known], indexed: Mapping[int, Known]) -> None:
        if not rows:
            return
        source = FileSource(self._root, self._cache, known, self._settings.max_file_bytes)
        resolver = Resolver(source)
        writer = EdgeWriter(self._connection, self._project, all_at_once=len(rows) > _RESOLVE_ALL_SHARE * len(indexed))
        for count, row in enumerate(rows, 1):
            resolved = resolver.resolve(row.path)
            calls = ((call.src_key, call.name, call.line) for call in resolved.unresolved)
            writer.put(row.id, resolved.edges, calls, resolved.depends_on, resolved.handed, resolved.asked)
            if count % 32 == 0 or count == len(rows):
                self._listen(Progress(Phase.RESOLVING, count, len(rows), row.path))
        resolver.close()
        self._resolved = len(rows)
        self._dangling = writer.dangling

    def _index_text(self, known: Mapping[str, Known], *, everything: bool) -> None:
        rows = sorted(
            (row for row in known.values() if row.status == "indexed" and (everything or row.id in self._touched)),
            key=lambda row: row.path,
        )
        blobs = {row.path: row.blob for row in rows}
        for first in range(0, len(rows), 32):
            some = rows[first : first + 32]
            update(self._connection, self._project, [row.id for row in some], lambda path: self._bytes(path, blobs))
            self._listen(Progress(Phase.SEARCH, first + len(some), len(rows), some[-1].path))

    def _index_meaning(self) -> None:
        """Give vectors to the files that have none of the installed kind; without that package leave all as it is."""
        name = embedding_name()
        file_ids = due(self._connection, self._project, name) if name else []
        using = embedder() if file_ids else None
        if using is None:
            return
        for first in range(0, len(file_ids), 32):
            put(self._connection, file_ids[first : first + 32], using)
            self._listen(Progress(Phase.SEARCH, min(first + 32, len(file_ids)), len(file_ids)))

    def _bytes(self, path: str, blobs: Mapping[str, str]) -> bytes:
        """Return the bytes that the nodes were made from; a file that changed since is left to the next sync."""
        try:
            data = read_file(self._root, path, self._settings.max_file_bytes)
        except FileUnreadableError:
            data = None
        if data is not None and blob_id(data) == blobs[path]:
            return data
        self._connection.execute(
            "UPDATE file SET mtime_ns = 0, blob = '' WHERE project = ? AND path = ?", (self._project, path)
        )
        raise FileUnreadableError(f"{path} changed while it was indexed")

    def _forget_search(self) -> None:
        """Empty the text index: other projects' too, which will be told by their versions."""
        self._connection.execute("INSERT INTO search_text(search_text) VALUES ('delete-all')")
        self._connection.execute("DELETE FROM search_document")
        self._connection.execute("DELETE FROM search_file")
        self._connection.execute("DELETE FROM search_vector")
        self._connection.execute("UPDATE project SET versions = '' WHERE id != ?", (self._project,))

    def _sign(self, commit: str) -> None:
        self._connection.execute(
            "UPDATE project SET built_commit = ?, built_at = ?, versions = ? WHERE id = ?",
            (commit, datetime.now(UTC).isoformat(timespec="seconds"), _VERSIONS, self._project),
        )


def _inside(known: Mapping[str, Known], folders: set[str]) -> set[int]:
    """Return the ids of the files below these folders."""
    if not folders:
        return set()
    prefixes = tuple(folders)
    return {row.id for path, row in known.items() if path.startswith(prefixes)}


def _part(versions: str, name: str) -> int:
    """Return one number of a `versions` string, 0 when it does not have it."""
    for pair in versions.split():
        key, _, number = pair.partition("=")
        if key == name:
            return int(number)
    return 0
