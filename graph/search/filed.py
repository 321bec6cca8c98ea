"""Hits by file: for `by:file`, the best symbol of each, with the weight of what else the file holds.

A file with four good symbols is a better answer to "which files have to do with this?" than one with a single good one.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from graph.search.ranking import Ranked

__all__ = ["one_a_file"]

_NEXT = 3
_NEXT_SHARE = 0.25
"""Of each of the next three symbols: measured on changes and the files that they touched."""


def one_a_file(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the best hit of each file with the score of the file, best first."""
    files: dict[int, list[Ranked]] = {}
    for hit in ranked:
        files.setdefault(hit.candidate.file, []).append(hit)
    merged = [
        replace(
            hits[0],
            score=hits[0].score + _NEXT_SHARE * sum(hit.score for hit in hits[1 : 1 + _NEXT]),
            why=(*hits[0].why, *([f"{len(hits) - 1} more in this file"] if len(hits) > 1 else [])),
        )
        for hits in files.values()
    ]
    return sorted(merged, key=lambda hit: (-hit.score, hit.candidate.key))
