"""Saved states of evaluated prefixes: a trie over the hashes of chunks, in memory, and on disk behind it.

A key is the hash of the key before it and of one chunk's tokens, so that a key stands for the whole path of chunks:
equal keys are equal prefixes under equal chunks, of the same model in the same build. Memory is counted in the bytes
the states really have; the least recently used goes first, and what many requests share (`is_base`) last.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

from msgspec import Struct

from serve.engine.cache_stats import CacheStats
from serve.engine.local.snapshot_files import SnapshotFiles

__all__ = ["Snapshot", "Snapshots", "chunk_keys"]


class Snapshot(Struct, frozen=True):
    """The state after the first `size_tokens` of a prompt, evaluated in chunks that ended at `ends`."""

    ends: tuple[int, ...]
    state: bytes
    is_base: bool = False
    is_exact: bool = True

    @property
    def size_tokens(self) -> int:
        """How many tokens it holds."""
        return self.ends[-1]


def chunk_keys(root: bytes, tokens: Sequence[int], ends: Sequence[int]) -> list[bytes]:
    """Return the key of the prefix up to each end; the ends beyond the tokens have none."""
    keys: list[bytes] = []
    key, start = root, 0
    for end in ends:
        if end > len(tokens):
            break
        chunk = tokens[start:end]
        key = blake2b(key + struct.pack(f"<{len(chunk)}i", *chunk), digest_size=24).digest()
        keys.append(key)
        start = end
    return keys


class Snapshots:
    """At most `budget_bytes` of states in memory; `files` keeps them over a restart."""

    def __init__(self, root: bytes, budget_bytes: int, files: SnapshotFiles | None = None) -> None:
        self._roots = {True: root, False: root + b"fast"}
        self._budget_bytes = budget_bytes
        self._files = files
        self._kept: OrderedDict[bytes, Snapshot] = OrderedDict()  # the least recently used first
        self.stats = CacheStats()

    def find(
        self, tokens: Sequence[int], ends: Sequence[int], longer_than: int = 0, *, is_exact: bool = True
    ) -> Snapshot | None:
        """Return the longest snapshot of a whole number of the first chunks, never of all `tokens`.

        Those that were not evaluated in the chunks they are kept under (`is_exact` false) are found apart.
        """
        keys = chunk_keys(self._roots[is_exact], tokens, ends)
        for end, key in zip(reversed(ends[: len(keys)]), reversed(keys), strict=True):
            if not longer_than < end < len(tokens):
                continue
            found = self._kept.get(key) or self._from_disk(key, tuple(ends[: ends.index(end) + 1]), is_exact=is_exact)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        return None

    def holds(self, tokens: Sequence[int], ends: Sequence[int], *, is_exact: bool = True) -> bool:
        """Say whether exactly this prefix is kept in memory."""
        keys = chunk_keys(self._roots[is_exact], tokens, ends)
        return bool(keys) and keys[-1] in self._kept

    def put(
        self,
        tokens: Sequence[int],
        ends: Sequence[int],
        state: bytes,
        *,
        is_base: bool = False,
        is_exact: bool = True,
    ) -> bool:
        """Keep a state, at the cost of others; False when it is larger than all the room there is."""
        if not state or len(state) > self._budget_bytes:
            self.stats.refused += bool(state)
            return False
        key = chunk_keys(self._roots[is_exact], tokens, ends)[-1]
        self._keep(key, Snapshot(tuple(ends), state, is_base, is_exact))
        if self._files is not None:
            self._files.write(key, ends, state, is_base=is_base)
        return True

    def close(self) -> None:
        """Let what is being written be finished."""
        if self._files is not None:
            self._files.close()

    def flush(self) -> None:
        """Write what was kept since the last time, beside the next request."""
        if self._files is not None:
            self._files.flush()
            self.stats.disk_bytes = self._files.size_bytes

    def problem(self) -> str:
        """Return why the disk keeps nothing, once; empty when there is nothing to say."""
        return self._files.problem() if self._files is not None else ""

    def _from_disk(self, key: bytes, ends: tuple[int, ...], *, is_exact: bool) -> Snapshot | None:
        read = self._files.read(key, ends) if self._files is not None else None
        if read is None or len(read.state) > self._budget_bytes:
            return None
        self.stats.disk_hits += 1
        self._keep(key, Snapshot(ends, read.state, read.is_base, is_exact))
        return self._kept[key]

    def _keep(self, key: bytes, snapshot: Snapshot) -> None:
        replaced = self._kept.pop(key, None)
        self.stats.bytes_held += len(snapshot.state) - (len(replaced.state) if replaced else 0)
        self._kept[key] = snapshot
        while self.stats.bytes_held > self._budget_bytes:
            others = [other for other in self._kept if other != key]
            victim = next((other for other in others if not self._kept[other].is_base), others[0])
            self.stats.bytes_held -= len(self._kept.pop(victim).state)
            self.stats.evictions += 1
        self.stats.entries = len(self._kept)
