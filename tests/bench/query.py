"""Warm latency of the read side in one process: callers, callees, search, context and path over real symbols.

    python tests/bench/query.py ROOT [--samples 300]

The symbols are spread evenly over all functions, methods and classes in the order of their keys, and the ten with the
most callers are added. `query` is the query alone, `tool` the whole way with text, freshness and source lines.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from graph.errors import GraphError
from graph.overview import describe_repository
from graph.query import callees, callers
from graph.repository import Repository
from graph.search.search import search
from graph.tools import call_tool


def measured(function: Callable[[str], object], values: Sequence[str]) -> list[tuple[float, float]]:
    """Return the milliseconds of each call, on the clock and of CPU; one round warms the caches."""
    for value in values[: len(values) // 3 + 1]:
        with suppress(GraphError):
            function(value)
    times: list[tuple[float, float]] = []
    for value in values:
        begun, begun_cpu = time.perf_counter(), time.thread_time()
        try:
            function(value)
        except GraphError as error:  # a refused key is an answer too, but a bench must not count it in silence
            print(f"  refused {value}: {error}")
        times.append(((time.perf_counter() - begun) * 1000, (time.thread_time() - begun_cpu) * 1000))
    return times


def show(name: str, times: Sequence[tuple[float, float]]) -> None:
    """Print a line of figures; on a noisy machine the CPU is the one to compare."""
    wall, cpu = (sorted(column) for column in zip(*times, strict=True))
    at_95 = min(len(wall) - 1, int(len(wall) * 0.95))
    print(
        f"{name:<16} p50 {statistics.median(wall):7.2f}  p95 {wall[at_95]:7.2f}  worst {wall[-1]:7.2f} ms   "
        f"CPU p50 {statistics.median(cpu):7.2f}  p95 {cpu[at_95]:7.2f} ms"
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--samples", type=int, default=300)
    options = parser.parse_args()
    with Repository.open(options.root) as repository:
        if not repository.is_indexed:
            repository.sync()
        store = repository.store
        rows = store.read().execute(
            "SELECT key, qualname, doc FROM node WHERE project = ? AND kind IN ('function', 'method', 'class') "
            "ORDER BY key",
            (store.project_id,),
        )
        everything = rows.fetchall()
        step = max(1, len(everything) // options.samples)
        sample = everything[::step][: options.samples]
        keys = [key for key, _, _ in sample] + [hot.key for hot in describe_repository(store).hotspots]
        names = [qualname.rsplit(".", 1)[-1] for _, qualname, _ in sample]
        sentences = [" ".join(doc.split()[:12]) for _, _, doc in sample if doc] or ["where is it"]
        print(f"{len(everything)} callable symbols, {len(keys)} sampled")
        show("query callers", measured(lambda key: callers(store, key), keys))
        show("query callees", measured(lambda key: callees(store, key), keys))
        show("search name", measured(lambda query: search(store, query), names))
        show("search sentence", measured(lambda query: search(store, query), sentences))
        for tool in ("callers", "context", "explain", "impact"):
            show(f"tool {tool}", measured(lambda key, tool=tool: call_tool(repository, tool, {"key": key}), keys))
        pairs = {key: keys[(index * 7 + 3) % len(keys)] for index, key in enumerate(keys)}
        show("tool path", measured(lambda key: call_tool(repository, "path", {"from": key, "to": pairs[key]}), keys))
        for tool, arguments in (
            ("overview", {}),
            ("outline", {"path": "."}),
            ("list_kind", {"kind": "method"}),
            ("debt", {}),
            ("changes", {"base": "HEAD"}),
            ("impact", {"base": "HEAD"}),
        ):
            if "base" not in arguments or repository.worktree is not None:
                name = " ".join([tool, *(f"{key}={value}" for key, value in arguments.items())])
                show(f"tool {name}", measured(lambda _, t=tool, a=arguments: call_tool(repository, t, a), [""] * 3))


if __name__ == "__main__":
    main()
