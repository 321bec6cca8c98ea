"""`/metrics`: what was asked and answered, what the prefix cache did, and how quick the event loop is.

Everything is read when it is asked for; nothing is kept but sums. No label holds anything of a request but its model
and how it ended.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Iterable
from typing import Protocol, runtime_checkable

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from serve.engine.base import Engine
from serve.engine.cache_stats import CacheStats
from serve.events import Event, Failed, Finished
from serve.slots import Slots

__all__ = ["LoopLag", "Measured", "Tally", "metrics_routes"]

_LAG_EVERY_S = 0.1
_LAG_SAMPLES = 600
"""A minute of them."""
_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@runtime_checkable
class _HasCache(Protocol):
    def stats(self) -> CacheStats:
        """Return what the prefix cache did."""
        ...


class Tally:
    """Sums over the answers of one model."""

    def __init__(self) -> None:
        self.ended: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()

    async def counted(self, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        """Yield the events of an answer, and count its end."""
        try:
            async for event in events:
                self._note(event)
                yield event
        finally:
            await events.aclose()

    def _note(self, event: Event) -> None:
        if isinstance(event, Failed):
            self.ended[f"failed_{event.status}"] += 1
        if isinstance(event, Finished):
            self.ended[event.reason.value] += 1
            usage = event.usage
            for kind, count in (
                ("prompt", usage.prompt_tokens),
                ("cached", usage.cached_tokens),
                ("cache_creation", usage.cache_creation_tokens),
                ("completion", usage.completion_tokens),
                ("reasoning", usage.reasoning_tokens),
            ):
                self.tokens[kind] += count


class LoopLag:
    """How much later than asked the event loop wakes: what a stalled loop does to every stream."""

    def __init__(self) -> None:
        self._samples: deque[float] = deque(maxlen=_LAG_SAMPLES)

    async def measure(self) -> None:
        """Sample until cancelled."""
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(_LAG_EVERY_S)
            self._samples.append(max(0.0, time.perf_counter() - begun - _LAG_EVERY_S))

    def p99_s(self) -> float:
        """Return the 99th percentile of the last minute; 0 before the first sample."""
        ordered = sorted(self._samples)
        return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)] if ordered else 0.0


class Measured(Struct, frozen=True):
    """One model and what is counted of it."""

    name: str
    engine: Engine
    slots: Slots
    tally: Tally


class Source(Protocol):
    """What can be measured."""

    lag: LoopLag

    def measured(self) -> Iterable[Measured]:
        """Return the models of now."""
        ...


def metrics_routes(source: Source) -> list[HTTPRouteHandler]:
    """Return the handlers of this module."""
    registry = CollectorRegistry()
    registry.register(_Collector(source))

    @get("/metrics", sync_to_thread=False)
    def metrics() -> Response[bytes]:
        return Response(generate_latest(registry), headers={"content-type": _CONTENT_TYPE, "cache-control": "no-store"})

    return [metrics]


class _Collector(Collector):
    """Reads everything anew for each scrape."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def collect(self) -> Iterable[Metric]:
        """Return the families of metrics."""
        lag = GaugeMetricFamily("roteiro_event_loop_lag_p99_seconds", "Lag of the event loop over the last minute")
        lag.add_metric([], self._source.lag.p99_s())
        models = tuple(self._source.measured())
        return [lag, *_answers(models), *_cache(models)]


def _answers(models: tuple[Measured, ...]) -> Iterable[Metric]:
    ended = CounterMetricFamily("roteiro_answers", "Answers by how they ended", labels=["model", "end"])
    tokens = CounterMetricFamily(
        "roteiro_tokens", "Tokens by kind; cached ones are prompt tokens too", labels=["model", "kind"]
    )
    places = GaugeMetricFamily("roteiro_requests", "Requests that run and that wait", labels=["model", "state"])
    for one in models:
        for end, count in sorted(one.tally.ended.items()):
            ended.add_metric([one.name, end], count)
        for kind, count in sorted(one.tally.tokens.items()):
            tokens.add_metric([one.name, kind], count)
        places.add_metric([one.name, "running"], one.slots.running)
        places.add_metric([one.name, "waiting"], one.slots.waiting)
    return [ended, tokens, places]


_CACHE_COUNTERS = {
    "hits": "Prompts of which a part was there",
    "misses": "Prompts of which nothing was there",
    "disk_hits": "States that were read from the disk",
    "evictions": "States that gave way to others",
    "refused": "States larger than the whole budget",
    "restores": "States that were put in place",
}


def _cache(models: tuple[Measured, ...]) -> Iterable[Metric]:
    counters = {
        name: CounterMetricFamily(f"roteiro_prefix_cache_{name}", text, labels=["model"])
        for name, text in _CACHE_COUNTERS.items()
    }
    spent = CounterMetricFamily("roteiro_prefix_cache_restore_seconds", "Time spent restoring states", labels=["model"])
    held = GaugeMetricFamily("roteiro_prefix_cache_bytes", "Bytes of states", labels=["model", "place"])
    for one in models:
        if not isinstance(one.engine, _HasCache):
            continue
        stats = one.engine.stats()
        for name, family in counters.items():
            family.add_metric([one.name], float(getattr(stats, name)))
        spent.add_metric([one.name], stats.restore_ms / 1000)
        held.add_metric([one.name, "memory"], stats.bytes_held)
        held.add_metric([one.name, "disk"], stats.disk_bytes)
    return [*counters.values(), spent, held]
