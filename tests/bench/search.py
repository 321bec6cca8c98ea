"""How good and how fast search is: `python tests/bench/search.py ROOT QUERIES.json`.

QUERIES.json is a list of {"query", "targets": [{"path", "name", "start", "end"}]}. A hit is a target's path with a line
inside it. Printed as one line of JSON: MRR@10, recall@10, top-1, milliseconds.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from graph.repository import Repository
from graph.search.search import Hit, search


def is_hit(hit: Hit, target: dict[str, object]) -> bool:
    """Whether a hit lies in a target."""
    start, end = target.get("start"), target.get("end")
    if hit.path != target["path"]:
        return False
    return start <= hit.start_line <= end if isinstance(start, int) and isinstance(end, int) else True


def main(root: str, queries: str) -> None:
    """Run every query once and print the figures."""
    items = json.loads(Path(queries).read_text())
    ranks: list[int] = []
    times: list[float] = []
    with Repository.open(root) as repository:
        if not repository.is_indexed:
            repository.sync()
        search(repository.store, "warm")
        for item in items:
            began = time.perf_counter()
            hits = search(repository.store, item["query"]).hits
            times.append((time.perf_counter() - began) * 1000)
            ranks.append(
                next((rank for rank, hit in enumerate(hits, 1) if any(is_hit(hit, t) for t in item["targets"])), 0)
            )
    count = len(ranks) or 1
    figures = {
        "n": len(ranks),
        "mrr@10": round(sum(1 / rank for rank in ranks if rank) / count, 3),
        "recall@10": round(sum(rank > 0 for rank in ranks) / count, 3),
        "top1": round(sum(rank == 1 for rank in ranks) / count, 3),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(sorted(times)[int(len(times) * 0.95)], 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:3])
