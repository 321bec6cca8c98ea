"""A connection to the store whose errors are those of this house: damage is `StoreCorruptError`, wherever it is met.

SQLite reads a page when it is asked for, so a damaged file opens well and fails in the middle of any query. The rule
that must stay true: nobody else has to wrap a read. What is no sign of damage or of a busy store (a query that was
interrupted, a mistake in a statement) stays what SQLite made of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn, Self

from graph.errors import StoreCorruptError, StoreError

__all__ = ["StoreConnection", "connected", "explained"]

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FORMAT})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY_CODE = 0xFF
# Without a code: Python found bytes that are no text. A table is missing where the page of the schema was overwritten.
_DAMAGE_WORDS = ("could not decode", "no such table", "vtable constructor failed")


class StoreConnection(sqlite3.Connection):
    """Made by `connected`; its cursors explain what goes wrong while they read."""

    path = Path()

    # The base class makes a plain cursor in C for these two, so they are told to use ours.
    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run one statement; its errors, and those of its rows, are explained."""
        return self.cursor(_Cursor).execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """Run one statement for many rows of values."""
        return self.cursor(_Cursor).executemany(sql, parameters)


class _Cursor(sqlite3.Cursor):
    """Explains the errors of every step, not only of the first."""

    def execute(self, sql: str, parameters: Any = (), /) -> Self:
        try:
            super().execute(sql, parameters)
        except sqlite3.DatabaseError as error:
            _explain(error, self.connection)
        return self

    def executemany(self, sql: str, seq_of_parameters: Iterable[Any], /) -> Self:
        try:
            super().executemany(sql, seq_of_parameters)
        except sqlite3.DatabaseError as error:
            _explain(error, self.connection)
        return self

    def fetchone(self) -> Any:
        try:
            return super().fetchone()
        except sqlite3.DatabaseError as error:
            _explain(error, self.connection)

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        try:
            return super().fetchmany(size)
        except sqlite3.DatabaseError as error:
            _explain(error, self.connection)

    def fetchall(self) -> list[Any]:
        try:
            return super().fetchall()
        except sqlite3.DatabaseError as error:
            _explain(error, self.connection)

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except sqlite3.DatabaseError as error:
            _explain(error, self.connection)

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]  # a loop over it costs 0.05 us a row; `__next__` 0.2
        try:
            yield from iter(super().__next__, None)
        except sqlite3.DatabaseError as error:
            _explain(error, self.connection)


def connected(path: Path, *, mode: str, timeout_s: float) -> StoreConnection:
    """Return an open connection in a mode of SQLite: `ro`, `rw`, or `rwc`, which alone creates a missing file.

    Raises:
        StoreError: it cannot be opened.

    """
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=timeout_s,
            isolation_level=None,
            check_same_thread=False,
            factory=StoreConnection,
        )
    except sqlite3.OperationalError as error:
        if not path.exists():
            raise StoreError(f"the store {path} is not there. Run `roteiro sync` to build it.") from error
        raise StoreError(f"the store {path} cannot be opened: {error}.") from error
    connection.path = path
    return connection


def explained(error: sqlite3.DatabaseError, path: Path) -> StoreError:
    """Return the error of this house for one of SQLite's."""
    known = _known(error, path)
    if known is not None:
        return known
    return StoreError(f"the store {path} refused an operation: {error}. If it stays, run `roteiro sync --rebuild`.")


def _explain(error: sqlite3.DatabaseError, connection: sqlite3.Connection) -> NoReturn:
    known = _known(error, connection.path) if isinstance(connection, StoreConnection) else None
    if known is None:
        raise error
    raise known from error


def _known(error: sqlite3.DatabaseError, path: Path) -> StoreError | None:
    """Return what damage or a busy store is called here, None for anything else."""
    told = str(error)
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code in _BUSY:
        return StoreError(f"the store {path} is being written by another process ({told}). Try again when it is done.")
    is_damage = code in _DAMAGED or type(error) is sqlite3.DatabaseError
    if is_damage or any(word in told.lower() for word in _DAMAGE_WORDS):
        return StoreCorruptError(f"the store {path} is damaged ({told}). Run `roteiro sync --rebuild` to replace it.")
    return None
