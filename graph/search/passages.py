"""How near the nearest few lines of a hit are to a question: a long function answers by one of its parts.

Slower than the vector of the whole, so only for the hits that Ask chooses its evidence from.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph.search.analyzer import content_words
from graph.search.embedding import embedder
from graph.search.indexing import read_file
from graph.search.search import Hit, SearchStore

__all__ = ["passage_likeness"]

_LINES = 6
_STEP = 3
_LOOKED_AT = 120
"""Lines of one symbol."""


def passage_likeness(store: SearchStore, hits: Sequence[Hit], text: str) -> dict[str, float]:
    """Return for the key of each hit the cosine of its nearest lines, at least 0; nothing without vectors."""
    using = embedder()
    if using is None:
        return {}
    asked = using.embed(" ".join(content_words(text)))
    files: dict[str, list[str]] = {}
    found: dict[str, float] = {}
    for hit in hits:
        if hit.path not in files:
            files[hit.path] = _lines(store, hit.path)
        start = max(hit.start_line, 1) - 1
        lines = files[hit.path][start : min(hit.end_line, start + _LOOKED_AT)]
        windows = (" ".join(lines[at : at + _LINES]) for at in range(0, len(lines), _STEP))
        found[hit.key] = max((float(using.embed(window) @ asked) for window in windows), default=0.0)
    return {key: max(value, 0.0) for key, value in found.items()}


def _lines(store: SearchStore, path: str) -> list[str]:
    row = (
        store.read().execute("SELECT id FROM file WHERE project = ? AND path = ?", (store.project_id, path)).fetchone()
    )
    kept = read_file(store.read(), row[0]) if row is not None else None
    return kept[0].split("\n") if kept is not None else []
