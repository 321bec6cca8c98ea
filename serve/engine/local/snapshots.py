"""Saved states of evaluated prefixes, in memory, oldest out first. Exact: restored only under the same chunks.

What a hybrid or recurrent model cannot do (go back in its live sequence) this does, and it keeps the shared preamble
when another conversation takes the context. A state larger than the whole budget is not kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

__all__ = ["Snapshot", "Snapshots"]


class Snapshot(Struct, frozen=True):
    """The state after `tokens`, which were evaluated in chunks that ended at `ends`."""

    tokens: tuple[int, ...]
    ends: tuple[int, ...]
    state: bytes


class Snapshots:
    """At most `budget_bytes` of states."""

    def __init__(self, budget_bytes: int) -> None:
        self._budget_bytes = budget_bytes
        self._kept: list[Snapshot] = []  # the least recently used first

    def find(self, tokens: Sequence[int], ends: Sequence[int]) -> Snapshot | None:
        """Return the longest snapshot that is a whole number of the first chunks of `tokens`, never all of them."""
        best: Snapshot | None = None
        for one in self._kept:
            size = len(one.tokens)
            if size < len(tokens) and one.ends == tuple(ends[: len(one.ends)]) and one.tokens == tuple(tokens[:size]):
                best = one if best is None or size > len(best.tokens) else best
        if best is not None:
            self._kept.remove(best)
            self._kept.append(best)
        return best

    def holds(self, tokens: Sequence[int], ends: Sequence[int]) -> bool:
        """Say whether exactly this prefix is kept."""
        wanted = (tuple(tokens), tuple(ends))
        return any((one.tokens, one.ends) == wanted for one in self._kept)

    def put(self, tokens: Sequence[int], ends: Sequence[int], state: bytes) -> None:
        """Keep a state, at the cost of the least recently used ones."""
        if not state or len(state) > self._budget_bytes:
            return
        self._kept.append(Snapshot(tuple(tokens), tuple(ends), state))
        while sum(len(one.state) for one in self._kept) > self._budget_bytes:
            del self._kept[0]
