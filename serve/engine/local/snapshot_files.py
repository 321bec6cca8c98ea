"""Snapshots as files, so that the first request after a restart is warm. One folder, 0700: states hold the prompts.

A file is written beside, flushed to the disk and renamed, so that a name is always a whole file; its header says what
it is, and a hash covers all of it. A file that is anything else is removed, and the prompt evaluated instead. Nothing
here fails a request: a disk that is full or read-only only means no snapshot.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import struct
import threading
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

__all__ = ["SnapshotFiles", "StoredState"]

_log = logging.getLogger(__name__)
_MAGIC = b"ROTEIRO\0"
_VERSION = 1
_HEADER = struct.Struct("<8sII24sQQ32s")  # magic, version, base?, key, ends, state bytes, hash of all that follows
_SUFFIX = ".state"
_UNFINISHED = ".tmp"
_MOST_ENDS = 100_000


class StoredState(Struct, frozen=True):
    """What a file holds."""

    state: bytes
    is_base: bool


class _Noted(Struct, frozen=True):
    """What will be a file. It is hashed and copied by the writer: an answer waits for its first word meanwhile."""

    path: Path
    key: bytes
    ends: bytes
    state: bytes
    is_base: bool

    def header(self) -> bytes:
        """Return what comes before the ends and the state."""
        digest = blake2b(self.ends, digest_size=32)
        digest.update(self.state)
        sizes = (len(self.ends) // 8, len(self.state))
        return _HEADER.pack(_MAGIC, _VERSION, self.is_base, self.key, *sizes, digest.digest())


class SnapshotFiles:
    """At most `budget_bytes` in a folder, the least recently used removed first. For one thread."""

    def __init__(self, folder: Path, budget_bytes: int) -> None:
        self._folder = folder
        self._budget_bytes = budget_bytes
        self._pending: list[_Noted] = []
        self._jobs: queue.SimpleQueue[list[_Noted] | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._is_told = False
        self._problems: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.size_bytes = 0

    def read(self, key: bytes, ends: Sequence[int]) -> StoredState | None:
        """Return the state of a key; None without one. A file that is not what its name says is removed."""
        path = self._path(key)
        try:
            # A pipe of that name would be waited for without O_NONBLOCK; read so, it is empty.
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(descriptor, "rb") as file:
                # Room for what is asked for is made before it is read: never ask for more than there is.
                data = file.read(min(os.fstat(descriptor).st_size, self._budget_bytes) + 1)
        except OSError:
            return None
        found = _decoded(data, key, tuple(ends))
        with contextlib.suppress(OSError):
            if found is None:
                path.unlink()
                _log.warning("the snapshot %s was damaged or foreign, and is removed", path.name)
            else:
                os.utime(path)
        return found

    def write(self, key: bytes, ends: Sequence[int], state: bytes, *, is_base: bool) -> None:
        """Note a state for the next `flush`."""
        packed, path = struct.pack(f"<{len(ends)}Q", *ends), self._path(key)
        if _HEADER.size + len(packed) + len(state) <= self._budget_bytes and not path.exists():
            self._pending.append(_Noted(path, key, packed, state, is_base))

    def flush(self) -> None:
        """Write what was noted, in a thread of its own: the disk may be slow, and an answer may be waited for."""
        if not self._pending:
            return
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_all, name="snapshots", daemon=True)
            self._writer.start()
        self._jobs.put(self._pending)
        self._pending = []

    def close(self) -> None:
        """Wait until what was noted is on the disk."""
        self.flush()
        if self._writer is not None:
            self._jobs.put(None)
            self._writer.join()
            self._writer = None

    def problem(self) -> str:
        """Return why nothing could be written, once until something can be again; empty when there is nothing."""
        try:
            return self._problems.get_nowait()
        except queue.Empty:
            return ""

    def _write_all(self) -> None:
        with contextlib.suppress(OSError):
            self._remove_unfinished()
        while (jobs := self._jobs.get()) is not None:
            try:
                for noted in jobs:
                    self._write(noted)
                self._is_told = False
            except OSError as error:
                self._tell(error)
            with contextlib.suppress(OSError):
                self._shrink()

    def _tell(self, error: OSError) -> None:
        """Note a problem for whoever asks; a full disk is one problem, not one a request."""
        if not self._is_told:
            self._is_told = True
            self._problems.put(
                f"No state of prompts is kept in {self._folder}: {error.strerror}. Answers are not affected, but the"
                f" first one after a restart is slow. Make room there, or set prefix_cache_disk_mb = 0."
            )

    def _remove_unfinished(self) -> None:
        """Remove what processes left half-written that are no more."""
        for path in self._folder.glob(f"*{_UNFINISHED}"):
            writer = path.name.removesuffix(_UNFINISHED).rpartition(".")[2]
            if not writer.isdecimal() or int(writer) == os.getpid() or not _is_running(int(writer)):
                path.unlink(missing_ok=True)

    def _write(self, noted: _Noted) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        beside = noted.path.with_suffix(f".{os.getpid()}{_UNFINISHED}")
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.writelines((noted.header(), noted.ends, noted.state))
                file.flush()
                os.fsync(file.fileno())
            beside.rename(noted.path)
            folder = os.open(self._folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
        except OSError:
            beside.unlink(missing_ok=True)
            raise

    def _shrink(self) -> None:
        """Remove the least recently used files until the rest fits, what many requests share last."""
        found = [(path, path.stat()) for path in self._folder.glob(f"*{_SUFFIX}")]
        total = sum(stat.st_size for _, stat in found)
        for path, stat in sorted(found, key=lambda one: (_is_base(one[0]), one[1].st_mtime_ns)):
            if total <= self._budget_bytes:
                break
            path.unlink(missing_ok=True)
            total -= stat.st_size
        self.size_bytes = total

    def _path(self, key: bytes) -> Path:
        return self._folder / f"{key.hex()}{_SUFFIX}"


def _decoded(data: bytes, key: bytes, ends: tuple[int, ...]) -> StoredState | None:
    """Return what a file holds when it is whole, ours, and of this prefix."""
    if len(data) < _HEADER.size:
        return None
    magic, version, is_base, named, count, size, digest = _HEADER.unpack_from(data)
    body = memoryview(data)[_HEADER.size :]
    is_ours = (magic, version, named) == (_MAGIC, _VERSION, key) and count == len(ends) <= _MOST_ENDS
    if not is_ours or len(body) != 8 * count + size:
        return None
    if struct.unpack_from(f"<{count}Q", body) != ends or blake2b(body, digest_size=32).digest() != digest:
        return None
    return StoredState(bytes(body[8 * count :]), bool(is_base))


def _is_base(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(13)[12:13] == b"\x01"
    except OSError:
        return False


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
