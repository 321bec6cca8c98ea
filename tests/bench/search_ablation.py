"""What each part of search is worth: `python tests/bench/search_ablation.py ROOT=QUERIES.json ...`.

QUERIES.json as for `search.py` beside this file. One part at a time is taken away, and MRR@10 and recall@10 over all
queries are printed. The table of docs/design/search.md was made with this.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from graph.repository import Repository
from graph.search import meaning, ranking
from graph.search import search as searching
from graph.search.search import Hit, search

Patches = list[tuple[Any, str, Any]]


def by_bm25(found: list[Any], *_: object) -> list[ranking.Ranked]:
    """Stand in for the re-ranker."""
    return [ranking.Ranked(c, c.bm25, ()) for c in sorted(found, key=lambda c: (-c.bm25, c.key))]


NO_VECTORS: Patches = [(meaning, "embedder", lambda: None)]
NO_NEIGHBOURS: Patches = [(searching, "lifted", lambda _connection, ranked, _factor: ranked)]
PARTS: dict[str, Patches] = {
    "everything": [],
    "without vectors": NO_VECTORS,
    "vectors re-rank, but bring no candidates": [(meaning, "_LEAST", 9.0)],
    "without neighbours": NO_NEIGHBOURS,
    "without priors": [(searching, "prior", lambda _candidate, **_more: 1.0)],
    "without the share of the qualified name": [(ranking, "QUALIFIED_WEIGHT", 0.0)],
    "without the fit of the name": [(ranking, "FIT_WEIGHT", 0.0)],
    "without coverage squared": [(ranking, "COVERAGE_WEIGHT", 0.0)],
    "without BM25 in the score": [(ranking, "BM25_WEIGHT", 0.0)],
    "without callers' names": [(searching, "caller_names", lambda *_: ())],
    "without joined words": [(searching, "pairwise", lambda _words: [])],
    "stop words kept": [(searching, "content_words", searching.all_words)],
    "without the identifier tier": [
        (searching, "identifier_in", lambda _text: None),
        (searching, "code_name", lambda _text: None),
        (searching, "_spoken_name", lambda _text: ""),
    ],
    "the re-ranker alone (no vectors, no neighbours)": [*NO_VECTORS, *NO_NEIGHBOURS],
    "BM25 alone": [*NO_VECTORS, *NO_NEIGHBOURS, (searching, "rank", by_bm25)],
}


@contextmanager
def without(patches: Patches) -> Iterator[None]:
    """Hold some names of the search at other values."""
    held = [patch.object(owner, name, value) for owner, name, value in patches]
    for one in held:
        one.start()
    try:
        yield
    finally:
        for one in reversed(held):
            one.stop()


def rank_of(hits: tuple[Hit, ...], targets: list[dict[str, Any]]) -> int:
    """Return the rank of the first hit inside a target; 0 when there is none."""

    def is_hit(hit: Hit) -> bool:
        return any(
            hit.path == target["path"] and target.get("start", 0) <= hit.start_line <= target.get("end", 10**9)
            for target in targets
        )

    return next((rank for rank, hit in enumerate(hits, 1) if is_hit(hit)), 0)


def main(sets: dict[str, str]) -> None:
    """Print a row for each part."""
    asked: list[tuple[Callable[[str], tuple[Hit, ...]], dict[str, Any]]] = []
    for root, queries in sets.items():
        repository = Repository.open(root)
        if not repository.is_indexed:
            repository.sync()

        def run(query: str, repository: Repository = repository) -> tuple[Hit, ...]:
            return search(repository.store, query).hits

        asked += [(run, item) for item in json.loads(Path(queries).read_text())]
    for name, patches in PARTS.items():
        with without(patches):
            ranks = [rank_of(run(item["query"]), item["targets"]) for run, item in asked]
        mrr = sum(1 / rank for rank in ranks if rank) / len(ranks)
        print(f"| {name} | {mrr:.3f} / {sum(rank > 0 for rank in ranks) / len(ranks):.3f} |", flush=True)


if __name__ == "__main__":
    main(dict(argument.split("=", 1) for argument in sys.argv[1:]))
