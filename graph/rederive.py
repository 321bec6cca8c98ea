"""Whether a store says what the files say: everything is derived once more and compared row by row.

The expensive half of `verify`: it costs a cold sync. What it finds is a fault of ours (an incremental sync that missed
something), or damage that keeps a database readable. The cure is the same, `roteiro sync --rebuild`.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from graph.git import Worktree
from graph.places import Places
from graph.progress import silent
from graph.search.embedding import embedding_name
from graph.settings import IndexSettings
from graph.store import Store, snapshot

__all__ = ["differences"]

_SHOWN_CHARACTERS = 200


def differences(store: Store, worktree: Worktree | None, settings: IndexSettings) -> list[str]:
    """Return how a store differs from a build from nothing, a sentence for each table; empty when it does not.

    A store that is older than the files differs too, so bring it up to date first.

    Raises:
        RootError, GrammarError: as a sync.

    """
    from graph.index import sync  # loads the pipeline

    with tempfile.TemporaryDirectory(prefix="roteiro-verify-") as folder:
        place = Path(folder)
        fresh = Store.open(place / "graph.db", project=store.project, root=store.root, create=True)
        try:
            sync(fresh, Places(place, place / "blobs", place / "home"), worktree, settings, silent)
            return list(_compared(Counter(_comparable(store)), Counter(_comparable(fresh))))
        finally:
            fresh.close()


def _comparable(store: Store) -> list[tuple[object, ...]]:
    """Return the rows that can be derived here: vectors outlive the package that they were made with."""
    return [row for row in snapshot(store) if row[0] != "search_vector" or embedding_name()]


def _compared(kept: Counter[tuple[object, ...]], derived: Counter[tuple[object, ...]]) -> Iterator[str]:
    superfluous, missing = kept - derived, derived - kept
    for table in sorted({str(row[0]) for row in (*superfluous, *missing)}):
        wrong = sorted((row for row in superfluous if row[0] == table), key=repr)
        absent = sorted((row for row in missing if row[0] == table), key=repr)
        example = repr((wrong or absent)[0][1:])[:_SHOWN_CHARACTERS]
        counts = f"{len(wrong)} rows that the files do not give, {len(absent)} that are missing"
        yield f"{table}: {counts}, such as {example}"
