"""A real server on a free port for tests: scripted answers, and a stand-in for the Ask loop."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

from graph.repository import Repository
from serve.engine.base import Engine
from serve.engine.scripted import ScriptedEngine
from serve.events import Citation, Cited, Event, Finished, Started, Step
from serve.http.app import build_app
from serve.http.server import Server, bind
from serve.http.service import Served, Service
from serve.settings import ServeSettings
from serve.turns import GenerationRequest

__all__ = ["CITED", "Live", "StandInAsk", "live_server", "scripted", "service_of"]

DEADLINE_S = 20.0

CITED = Citation(
    path="shop/orders.py",
    start_line=4,
    end_line=6,
    key="sym:python:shop/orders.py#place",
    name="place",
    shown=True,
    supports=True,
    verified=True,
)


class StandInAsk:
    """Runs no tool: one step, what the engine says, one citation."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.warmed = 0

    async def warm(self) -> None:
        """Remember that it was warmed."""
        self.warmed += 1

    async def run(self, request: GenerationRequest) -> AsyncIterator[Event]:
        """Yield what the Ask loop would."""
        yield Started(request.model, request.mode)
        yield Step(number=1, tool="search", arguments='{"query":"order"}', summary="1 result", result="<b>", ms=3)
        async for event in self._engine.generate(request):
            if isinstance(event, Finished):
                yield Cited((CITED,))
            if not isinstance(event, Started):
                yield event


class Live:
    """A server that answers, and what it is made of."""

    def __init__(self, url: str, service: Service, engine: ScriptedEngine, server: Server) -> None:
        self.url = url
        self.service = service
        self.engine = engine
        self.server = server
        self.thread: threading.Thread | None = None

    def stop(self) -> None:
        """End the server and wait until it has ended."""
        self.server.should_exit = True
        if self.thread is not None:
            self.thread.join(DEADLINE_S)
            assert not self.thread.is_alive()


def scripted(folder: Path, replies: list[dict[str, object]], model: str = "local-model") -> ScriptedEngine:
    """Return an engine that says these replies."""
    path = folder / "script.jsonl"
    path.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return ScriptedEngine(path, model=model)


def service_of(
    engine: ScriptedEngine | None,
    *,
    settings: ServeSettings | None = None,
    repository: Repository | None = None,
    slots: int | None = None,
) -> Service:
    """Return a service for one engine with the stand-in loop, or for none."""
    chosen = settings or ServeSettings()
    served = () if engine is None else (Served(engine, StandInAsk(engine), queue=chosen.queue, slots=slots),)
    root = "" if repository is None else str(repository.root)
    return Service(models=served, repository=repository, settings=chosen, version="1.2.3", root=root or "/repo")


@contextmanager
def live_server(service: Service, engine: ScriptedEngine) -> Iterator[Live]:
    """Serve on a free port while the block runs."""
    app = build_app(service)
    ready = threading.Event()
    with bind("127.0.0.1", 0) as listener:
        service.listen_on("127.0.0.1", listener.getsockname()[1])
        server = Server(app, service, lambda _: ready.set())
        live = Live(service.url, service, engine, server)
        live.thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        live.thread.start()
        assert ready.wait(DEADLINE_S)
        try:
            yield live
        finally:
            live.stop()
