"""The cache of extracted facts, by (blob id, language, EXTRACT_VERSION): shared by branches and worktrees.

Everything in it can be made again from the files, so damage is never an error: a row that cannot be decoded is a miss,
a file that cannot be opened is replaced, and where even that fails the cache lives in memory for this run.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from graph.extract.facts import EXTRACT_VERSION, Facts
from graph.store import delete_database

__all__ = ["FactsCache", "decoded", "encoded"]

_TABLE = """
CREATE TABLE IF NOT EXISTS facts (
  blob BLOB NOT NULL, language TEXT NOT NULL, version INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (blob, language, version)
)
"""
_MAX_BYTES = 512 * 1024 * 1024
"""Past this the oldest half goes: some 15 times what one state of Django takes."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Facts)


def encoded(facts: Facts) -> bytes:
    """Return facts as they are kept: msgpack, lightly compressed (a fifth of the size for 5 % of extraction time)."""
    return zlib.compress(_encoder.encode(facts), 1)


def decoded(data: bytes) -> Facts | None:
    """Return the facts of a kept row, None when it is damaged (zlib's checksum covers every byte)."""
    try:
        return _decoder.decode(zlib.decompress(data))
    except (zlib.error, msgspec.MsgspecError):
        return None


class FactsCache:
    """One connection to the cache; not to be shared by threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = self._open()

    def get(self, blob: str, language: str) -> Facts | None:
        """Return the facts of a blob, None when they are not here in this version."""
        with suppress(sqlite3.DatabaseError):
            row = self._connection.execute(
                "SELECT data FROM facts WHERE blob = ? AND language = ? AND version = ?",
                (bytes.fromhex(blob), language, EXTRACT_VERSION),
            ).fetchone()
            return decoded(row[0]) if row is not None else None
        return None

    def put(self, rows: Iterable[tuple[str, str, bytes]]) -> None:
        """Keep (blob, language, encoded facts); a full disk or another writer only costs the next run its time."""
        values = [(bytes.fromhex(blob), language, EXTRACT_VERSION, data) for blob, language, data in rows]
        with suppress(sqlite3.DatabaseError):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", values)
            finally:
                self._connection.execute("COMMIT")

    def prune(self) -> None:
        """Forget other versions' rows, and the oldest half when the file has grown too large."""
        with suppress(sqlite3.DatabaseError, OSError):
            self._connection.execute("DELETE FROM facts WHERE version != ?", (EXTRACT_VERSION,))
            if self._path.exists() and self._path.stat().st_size > _MAX_BYTES:
                self._connection.execute(
                    "DELETE FROM facts WHERE rowid < "
                    "(SELECT rowid FROM facts ORDER BY rowid LIMIT 1 OFFSET (SELECT count(*) / 2 FROM facts))"
                )
                self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _open(self) -> sqlite3.Connection:
        for _ in range(2):
            try:
                return _connected(str(self._path))
            except sqlite3.DatabaseError:
                with suppress(OSError):
                    delete_database(self._path)
        return _connected(":memory:")


def _connected(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=10, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # a lost cache is made again; zlib notices a torn row
        connection.execute(_TABLE)
    except BaseException:
        connection.close()
        raise
    return connection
