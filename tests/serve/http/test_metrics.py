"""`/metrics` tells what was answered, by model and end, and what waits."""

import asyncio
import contextlib

import httpx

from serve.engine.cache_stats import CacheStats
from serve.events import Failed, Finished, FinishReason, Usage
from serve.http.metrics import LoopLag, Tally
from tests.serving import live_server, scripted, service_of


def test_answers_are_counted_by_how_they_ended(tmp_path):
    """With their tokens; and the cache of an engine that has one."""
    engine = scripted(tmp_path, [{"text": "Hello."}] * 2)
    engine.stats = lambda: CacheStats(hits=3, restore_ms=1500.0, bytes_held=7)
    service = service_of(engine)
    body = {"model": "local-model", "messages": [{"role": "user", "content": "Hi"}]}
    with live_server(service, engine) as live, httpx.Client(base_url=live.url) as client:
        assert client.post("/general/v1/chat/completions", json=body).status_code == 200
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    assert 'roteiro_answers_total{end="stop",model="local-model"} 1.0' in lines
    assert 'roteiro_requests{model="local-model",state="waiting"} 0.0' in lines
    assert 'roteiro_prefix_cache_hits_total{model="local-model"} 3.0' in lines
    assert 'roteiro_prefix_cache_restore_seconds_total{model="local-model"} 1.5' in lines
    assert 'roteiro_prefix_cache_bytes{model="local-model",place="memory"} 7.0' in lines
    assert any(line.startswith("roteiro_event_loop_lag_p99_seconds ") for line in lines)


async def test_tokens_and_failures_are_summed():
    """Each kind by itself."""
    usage = Usage(prompt_tokens=5, completion_tokens=3, cached_tokens=2)
    ends = (Finished(reason=FinishReason.LENGTH, usage=usage), Failed(status=503, kind="k", message="m"))

    async def events():
        for end in ends:
            yield end

    tally = Tally()
    assert [event async for event in tally.counted(events())] == list(ends)
    assert (tally.tokens["prompt"], tally.tokens["cached"], tally.tokens["completion"]) == (5, 2, 3)
    assert dict(tally.ended) == {"length": 1, "failed_503": 1}


async def test_lag_is_measured():
    """As seconds."""
    lag = LoopLag()
    assert lag.p99_s() == 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.5):
            await lag.measure()
    assert len(lag._samples) >= 1
    assert lag.p99_s() >= 0


def test_model_is_unloaded_by_name(tmp_path):
    """An engine without memory of its own says so; an unknown name is 404."""
    engine = scripted(tmp_path, [{"text": "Hello."}])
    with live_server(service_of(engine), engine) as live, httpx.Client(base_url=live.url) as client:
        assert client.post("/v1/models/unload", json={"model": "local-model"}).status_code == 501

        async def unload():
            return True

        engine.unload = unload
        answer = client.post("/v1/models/unload", json={"model": "local-model"})
        assert answer.json() == {"id": "local-model", "object": "model", "unloaded": True}
        assert client.post("/v1/models/unload", json={"model": "none"}).status_code == 404
        assert client.post("/v1/models/unload", json={}).status_code == 400
