"""What a sync has to do: the files as they are on disk against the files as the store knows them. Pure but for a read.

A file whose stat is the known one is not read. Equal stats can hide a change only within the tick of the file system's
clock, so a stat that was taken in the same tick as the last write is not remembered (`remembered`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from msgspec import Struct

from graph.files import FileStat, Listed
from graph.index_frames import Task
from graph.languages import language_of

__all__ = ["Known", "Plan", "is_read", "known_files", "plan_for", "refreshed", "remembered", "settled_as", "task_for"]

_FINE_TICK_NS = 20_000_000
"""Linux stamps files with the time of the last timer tick, at most 10 ms ago."""
_COARSE_TICK_NS = 2_000_000_000
"""FAT counts two seconds, older HFS+ and NFS one."""

_FEW_ROWS = 400
"""Up to so many rows are read one by one; a statement costs about as much as six rows of a long answer."""

_SELECT = "SELECT id, path, language, blob, size, mtime_ns, ctime_ns, inode, status, reason, interface FROM file WHERE "
_CONFIGURATION_SUFFIXES = (".json", ".toml", ".cfg", ".mod", ".work", ".yaml", ".yml", ".jsonc")
_CONFIGURATION_BYTES = 262_144
"""Files that may tell a resolver how names are looked up (`tsconfig.json`, `go.mod`); larger ones are data."""


class Known(Struct, frozen=True, gc=False):
    """A row of the `file` table."""

    id: int
    path: str
    language: str
    blob: str
    stat: FileStat
    status: str
    reason: str
    interface: str


class Plan(Struct, frozen=True):
    """The three kinds of work, each sorted by path."""

    read: tuple[Listed, ...]
    """To be read: new, or changed by their stat."""
    settled: tuple[Listed, ...]
    """Without reading: to be skipped, or of no language; new or changed."""
    gone: tuple[Known, ...]

    @property
    def is_empty(self) -> bool:
        """Nothing differs."""
        return not (self.read or self.settled or self.gone)


def known_files(connection: sqlite3.Connection, project_id: int) -> dict[str, Known]:
    """Return the rows of the `file` table by path."""
    return _rows(connection, "project = ?", (project_id,))


def _rows(connection: sqlite3.Connection, where: str, values: tuple[int | str, ...]) -> dict[str, Known]:
    rows = connection.execute(_SELECT + where, values)
    return {
        path: Known(file_id, path, language, blob, FileStat(size, mtime_ns, ctime_ns, inode), status, reason, interface)
        for file_id, path, language, blob, size, mtime_ns, ctime_ns, inode, status, reason, interface in rows
    }


def refreshed(
    connection: sqlite3.Connection, project_id: int, known: Mapping[str, Known], plan: Plan
) -> dict[str, Known]:
    """Return the rows of the `file` table after the work of a plan; those of other files are the very same objects."""
    moved = [listed.path for listed in (*plan.read, *plan.settled)]
    if len(moved) > _FEW_ROWS:
        return known_files(connection, project_id)
    gone = {row.path for row in plan.gone}
    found = {path: row for path, row in known.items() if path not in gone} if gone else dict(known)
    for path in moved:
        found.update(_rows(connection, "project = ? AND path = ?", (project_id, path)))
    return found


def plan_for(listing: Iterable[Listed], known: Mapping[str, Known], *, rework: bool = False) -> Plan:
    """Return what differs; with `rework` every file that can be read counts as changed."""
    read: list[Listed] = []
    settled: list[Listed] = []
    seen: set[str] = set()
    for listed in listing:
        seen.add(listed.path)
        row = known.get(listed.path)
        if row is not None and not rework and row.stat == listed.stat and _is_settled(row, listed):
            continue
        if is_read(listed):
            if rework or row is None or row.stat != listed.stat or not _was_read(row):
                read.append(listed)
        elif row is None or row.stat.size != listed.stat.size or (row.status, row.reason) != settled_as(listed):
            settled.append(listed)
    gone = tuple(row for path, row in sorted(known.items()) if path not in seen)
    return Plan(tuple(read), tuple(settled), gone)


def is_read(listed: Listed) -> bool:
    """Say whether the bytes of a file matter: it has a language, may have one, or may configure a resolver."""
    if listed.skip:
        return False
    name = listed.path.rpartition("/")[2]
    if language_of(listed.path) is not None or "." not in name[1:]:
        return True
    return name.endswith(_CONFIGURATION_SUFFIXES) and listed.stat.size <= _CONFIGURATION_BYTES


def settled_as(listed: Listed) -> tuple[str, str]:
    """Return the status and reason of a file that is not read."""
    return ("skipped", listed.skip) if listed.skip else ("other", "")


def task_for(listed: Listed, known: Known | None, *, rework: bool) -> Task:
    """Return the work on a file; an unchanged blob need not be worked on again unless everything is."""
    if known is None or rework or not _was_read(known):
        return Task(listed.path)
    return Task(listed.path, known.blob, known.language)


def remembered(stat: FileStat, now_ns: int) -> FileStat:
    """Return the stat to keep: one that will not compare equal when the file may still change within its clock tick."""
    newest = max(stat.mtime_ns, stat.ctime_ns)
    tick = _COARSE_TICK_NS if newest % 1_000_000_000 == 0 else _FINE_TICK_NS
    return stat if now_ns - newest > tick else FileStat(stat.size, 0, stat.ctime_ns, stat.inode)


def _is_settled(row: Known, listed: Listed) -> bool:
    """Say whether nothing but the bytes of a file could change what became of it; nearly all files end here."""
    return row.reason == listed.skip if listed.skip else row.status == "indexed" and bool(row.blob)


def _was_read(row: Known) -> bool:
    return bool(row.blob)
