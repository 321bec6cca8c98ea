"""What is served: warming, names that engines learn late, and what the log holds."""

from __future__ import annotations

import asyncio
import logging

import httpx
from msgspec.structs import replace

from graph.repository import Repository
from serve.errors import EngineError
from serve.http.app import build_app
from tests.serving import DEADLINE_S, scripted, service_of


async def _started(service):
    await service.start()
    async with asyncio.timeout(DEADLINE_S):
        await service._warming


async def test_the_ask_loop_is_warmed_once_the_engine_has_started(tmp_path):
    """The first question then finds the preamble in the cache."""
    service = service_of(scripted(tmp_path, [{"text": "x"}]))
    await _started(service)
    assert service.models["local-model"].ask.warmed == 1
    await service.close()


async def test_a_failed_warming_costs_time_and_nothing_else(tmp_path, caplog):
    """It is logged; questions are answered."""
    service = service_of(scripted(tmp_path, [{"text": "x"}]))

    async def fail() -> None:
        raise EngineError("No room.")

    service.models["local-model"].ask.warm = fail
    await _started(service)
    assert "No room." in caplog.text
    assert service.model_ids == ("local-model",)
    await service.close()


async def test_a_model_is_served_under_the_name_it_has_after_the_start(tmp_path):
    """An upstream without a configured model learns it when it connects."""
    engine = scripted(tmp_path, [{"text": "x"}], model="upstream")
    service = service_of(engine)
    engine.describe = lambda: replace(type(engine).describe(engine), model="qwen")
    await _started(service)
    assert service.model_ids == ("qwen",)
    await service.close()


async def test_the_log_has_a_line_for_each_request_and_no_words_of_it(tmp_path, caplog):
    """Method, path, status, time and id; never a query or a body."""
    service = service_of(scripted(tmp_path, [{"text": "x"}]))
    service.listen_on("127.0.0.1", 8017)
    caplog.set_level(logging.INFO, "serve")
    transport = httpx.ASGITransport(app=build_app(service))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8017") as client:
        answer = await client.post("/v1/responses?secret=1", json={"model": "local-model", "input": "private"})
        await client.get("/health", headers={"host": "evil"})
    assert "POST '/v1/responses' 200 " in caplog.text
    assert answer.headers["x-request-id"] in caplog.text
    assert "GET '/health' 403 " in caplog.text
    assert "private" not in caplog.text
    assert "secret" not in caplog.text


async def test_the_page_says_when_source_leaves_the_machine(tmp_path):
    """With an upstream it names where to."""
    engine = scripted(tmp_path, [{"text": "x"}])
    told = replace(engine.describe(), is_remote=True, detail="work at https://models.example/v1")
    engine.describe = lambda: told
    service = service_of(engine)
    service.listen_on("127.0.0.1", 8017)
    transport = httpx.ASGITransport(app=build_app(service))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8017") as client:
        status = (await client.get("/api/status")).json()
    assert status["model"]["is_remote"] is True
    assert "sent to another machine: work at https://models.example/v1" in status["notice"]


async def test_a_repository_without_an_index_is_said(tmp_path):
    """The page says so, and a search says what to do."""
    (tmp_path / "house").mkdir()
    with Repository.open(tmp_path / "house", cache_home=tmp_path / "cache") as repository:
        service = service_of(None, repository=repository)
        service.listen_on("127.0.0.1", 8017)
        transport = httpx.ASGITransport(app=build_app(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8017") as client:
            status = (await client.get("/api/status")).json()
            search = await client.get("/api/search?q=x")
            file = await client.get("/file/x.py")
    assert status["repository"]["is_indexed"] is False
    assert search.status_code == 503
    assert "roteiro sync" in search.json()["error"]["message"]
    assert (file.status_code, "roteiro sync" in file.text) == (503, True)
