"""The SQLite store of one worktree: open, migrate, read, write.

Files can always be read again, so the store is never repaired: a damaged one is rebuilt, and one written by a newer
Roteiro is left as it is. Readers never wait for a writer (WAL): a sync is one transaction, so what they see is either
the graph before it or the graph after it. What is in the tables is in `graph.schema`; whether it is consistent is asked
in `graph.store_verify`.
"""

from __future__ import annotations

import shlex
import sqlite3
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graph.errors import GraphError, StoreCorruptError, StoreError, StoreNewerError
from graph.schema import MIGRATIONS, SCHEMA_VERSION
from graph.store_connection import connected, explained
from graph.store_verify import problems, snapshot

__all__ = ["Store", "delete_database", "explained", "snapshot"]

_BUSY_MS = 30_000
"""A writer may wait this long for another one; a cold sync of a large repository holds the lock about as long."""
_WAL_POLL_S = 0.01
_WRITER_CACHE_KIB = 32 * 1024


class Store:
    """A store and its connections: one for each reading thread, one for the writer."""

    def __init__(self, path: Path, project: str, root: Path) -> None:
        self.path = path
        self.root = root
        self.project = project
        self.project_id = 0
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._readers: dict[threading.Thread, tuple[sqlite3.Connection, int]] = {}
        self._writer: sqlite3.Connection | None = None
        self._inode = 0

    @classmethod
    def open(cls, path: Path, *, project: str = "default", root: Path, create: bool) -> Store:
        """Return the store at a path, migrated to this version.

        Raises:
            StoreError: it does not exist and `create` is false, or it cannot be opened.
            StoreCorruptError: it is damaged, or belongs to another folder.
            StoreNewerError: a newer Roteiro wrote it; the file is untouched.

        """
        if not create and not path.exists():
            raise StoreError(f"{root} is not indexed yet. Run `roteiro sync --root {root}`.")
        store = cls(path, project, root)
        try:
            store.project_id = _known_project(path, project, root)
            if not store.project_id:
                with store.write() as connection:
                    store.project_id = _project_row(connection, project, root)
            store._inode = _inode(path)
        except BaseException:
            store.close()
            raise
        return store

    @property
    def is_current(self) -> bool:
        """Whether the file at the path is still the one that was opened: another process may delete or replace it."""
        return _inode(self.path) == self._inode

    def read(self) -> sqlite3.Connection:
        """Return this thread's connection: query only, rows are tuples. Valid until `close`.

        A database that another process replaced is opened anew. Damage is told by whatever meets it.

        Raises:
            StoreError: the database is gone, or cannot be opened.

        """
        thread = threading.current_thread()
        inode = _inode(self.path)
        known = self._readers.get(thread)
        if known is not None and known[1] == inode:
            return known[0]
        with self._guard:
            self._forget_dead_readers()
            if known is not None:
                known[0].close()
            connection = self._connect("rw")
            connection.execute("PRAGMA query_only = 1")
            self._readers[thread] = (connection, inode)
        return connection

    @contextmanager
    def write(self) -> Generator[sqlite3.Connection]:
        """Give the writing connection inside one transaction: committed at the end, rolled back by any exception.

        Raises:
            StoreError: another process has been writing for longer than the busy timeout.
            StoreCorruptError: the database is damaged.

        """
        with self._writing:
            try:
                connection = self._writing_connection()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    with suppress(sqlite3.Error):  # the first error is the one to tell
                        connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                raise explained(error, self.path) from error

    def shrink(self) -> None:
        """Fold the write-ahead log into the database and give its space back, as far as no reader is in the way."""
        with self._writing, suppress(sqlite3.OperationalError):
            self._writing_connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def verify(self) -> list[str]:
        """Return what is wrong with the store in sentences; empty when nothing is."""
        try:
            return problems(self.read(), self.project_id)
        except GraphError as error:
            return [str(error)]

    def is_damaged(self) -> bool:
        """Say whether the file itself is damaged, whatever its rows say."""
        try:
            return bool(self.read().execute("PRAGMA integrity_check(1)").fetchone() != ("ok",))
        except StoreCorruptError:
            return True

    def close(self) -> None:
        """Close every connection; a store can be closed twice."""
        with self._guard:
            for connection, _ in self._readers.values():
                connection.close()
            self._readers.clear()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _writing_connection(self) -> sqlite3.Connection:
        if self._writer is None:
            connection = self._connect("rwc")
            try:
                _prepare_to_write(connection)
            except BaseException:
                connection.close()
                raise
            self._writer = connection
        return self._writer

    def _connect(self, mode: str) -> sqlite3.Connection:
        connection = connected(self.path, mode=mode, timeout_s=_BUSY_MS / 1000)
        connection.execute("PRAGMA trusted_schema = 0")
        return connection

    def _forget_dead_readers(self) -> None:
        for thread in [thread for thread in self._readers if not thread.is_alive()]:
            self._readers.pop(thread)[0].close()


def delete_database(path: Path) -> None:
    """Delete a database with its log files; missing ones are fine."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _known_project(path: Path, project: str, root: Path) -> int:
    """Return the id of a project by reading alone; 0 when the store must be written first (new, or to be migrated).

    So a reader never waits for a running sync, and not a byte of a newer store changes.
    """
    if not path.exists() or path.stat().st_size == 0:
        return 0
    connection = connected(path, mode="ro", timeout_s=_BUSY_MS / 1000)
    try:
        version = _version(connection)
        if version > SCHEMA_VERSION:
            raise StoreNewerError(
                f"the store {path} was written by a newer Roteiro (version {version}, this one knows "
                f"{SCHEMA_VERSION}). It is untouched. Update Roteiro, or move it away and run `roteiro sync`.",
                cure=f"mv {shlex.quote(str(path))} {shlex.quote(f'{path}.newer')}",
            )
        if version < SCHEMA_VERSION:
            return 0
        row = connection.execute("SELECT id FROM project WHERE name = ? AND root = ?", (project, str(root)))
        return int((row.fetchone() or (0,))[0])
    finally:
        connection.close()


def _prepare_to_write(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
    connection.execute("PRAGMA foreign_keys = 1")
    connection.execute("PRAGMA synchronous = NORMAL")
    _enter_wal(connection)
    _migrate(connection)


def _enter_wal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; SQLite does not wait here when another process does the same, so we do."""
    give_up = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except StoreError as error:
            if isinstance(error, StoreCorruptError) or time.monotonic() > give_up:
                raise
            time.sleep(_WAL_POLL_S)
        else:
            return


def _migrate(connection: sqlite3.Connection) -> None:
    if _version(connection) >= SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again inside the transaction: another process may have migrated meanwhile.
        for number in range(_version(connection), SCHEMA_VERSION):
            for statement in _statements(MIGRATIONS[number]):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script: `executescript` would commit the transaction that protects a migration."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _project_row(connection: sqlite3.Connection, project: str, root: Path) -> int:
    connection.execute("INSERT OR IGNORE INTO project(name, root) VALUES (?, ?)", (project, str(root)))
    connection.execute("UPDATE project SET root = ? WHERE name = ? AND root != ?", (str(root), project, str(root)))
    return int(connection.execute("SELECT id FROM project WHERE name = ?", (project,)).fetchone()[0])


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
