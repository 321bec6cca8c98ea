"""What the server serves: models with their queues, a repository, and the streams that are open. Built by the caller.

Holds no route. The one place where a request is sent to the Ask loop or to the plain engine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Protocol

from graph.repository import Repository
from serve.engine.base import Engine
from serve.errors import EngineError, ServeError, UnsupportedError
from serve.events import Event, Failed
from serve.http.metrics import LoopLag, Measured, Tally
from serve.http.run import Run
from serve.settings import ServeSettings
from serve.slots import Slots
from serve.turns import GenerationRequest, Mode
from serve.web.repository import RepositoryView

__all__ = ["Asker", "Served", "Service"]

_log = logging.getLogger(__name__)


class Asker(Protocol):
    """The Ask loop."""

    def run(self, request: GenerationRequest) -> AsyncIterator[Event]:
        """Yield the events of an answer from the graph."""
        ...

    async def warm(self) -> None:
        """Prefill what all questions share."""
        ...


class Served:
    """One model: its engine, its Ask loop (None without a repository) and its queue."""

    def __init__(self, engine: Engine, ask: Asker | None, *, queue: int = 16, slots: int | None = None) -> None:
        self.engine = engine
        self.ask = ask
        self.info = engine.describe()
        self.tally = Tally()
        self.slots = Slots(slots or self.info.slots, queue)

    def answer(self, request: GenerationRequest) -> AsyncIterator[Event]:
        """Return the events of a request from the door that its mode names; raises UnsupportedError without one."""
        if request.mode is Mode.GENERAL:
            return self.engine.generate(request)
        if self.ask is None:
            raise UnsupportedError(
                "There is no repository to ask about here. Send `tools`, or use the base URL /general/v1."
            )
        return self.ask.run(request)


class Service:
    """Everything that the routes need. `models` may be empty: search and the file view work without."""

    def __init__(
        self,
        *,
        models: tuple[Served, ...],
        repository: Repository | None,
        settings: ServeSettings,
        version: str,
        project: str = "default",
        root: str = "",
        log_prompts: bool = False,
    ) -> None:
        self.models = {served.info.model: served for served in models}
        self.view = None if repository is None else RepositoryView(repository)
        self.settings = settings
        self.version = version
        self.project = project
        self.root = root
        self._log_prompts = log_prompts
        self.url = ""
        self.hosts: frozenset[str] = frozenset()
        """The values of the Host header that are ours; set when the address is known."""
        self._runs: set[Run] = set()
        self.lag = LoopLag()
        self._warming: asyncio.Task[None] | None = None
        self._lagging: asyncio.Task[None] | None = None

    @property
    def model_ids(self) -> tuple[str, ...]:
        """The ids that clients may ask for; raises EngineError when there is none."""
        if not self.models:
            raise EngineError(
                "No model is loaded here. Install one with `roteiro model pull`, or name a server with --upstream URL, "
                "and start again. Search works without.",
                code="no_model",
            )
        return tuple(self.models)

    def listen_on(self, host: str, port: int) -> None:
        """Set the address, and with it the Host headers that are ours."""
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{port}"
        names = {name, "localhost", "127.0.0.1"} if host in {"127.0.0.1", "localhost"} else {name}
        hosts = [f"{name}:{port}" for name in names]
        if port == 80:
            hosts += names
        self.hosts = frozenset([*hosts, *(host.lower() for host in self.settings.allowed_hosts)])

    def run(self, request: GenerationRequest) -> Run:
        """Queue a request and return its run; raises QueueFullError."""
        served = self.models[request.model]
        if self._log_prompts and request.messages:
            # Only when the person asked for it: a prompt may hold source and secrets.
            _log.info("request %s asks %r", request.id, request.messages[-1].content)
        ticket = served.slots.enter()
        events = served.tally.counted(ticket.events(lambda: served.answer(request)))
        run = Run(events, request.id, self._runs.discard)
        # Cancelled before its first step, a generator never reaches its own `finally`: leave once more, from outside.
        run.task.add_done_callback(lambda _: ticket.leave())
        self._runs.add(run)
        return run

    async def start(self) -> None:
        """Make every engine ready; raises EngineError with what to do. Then warm the Ask loops, without waiting."""
        started: dict[str, Served] = {}
        for served in self.models.values():
            await served.engine.start()
            # Some engines learn only now what their model is called.
            served.info = served.engine.describe()
            started[served.info.model] = served
        self.models = started
        self._warming = asyncio.create_task(self._warm())
        self._lagging = asyncio.create_task(self.lag.measure())

    def measured(self) -> list[Measured]:
        """Return the models of now, for `/metrics`."""
        return [Measured(name, one.engine, one.slots, one.tally) for name, one in self.models.items()]

    async def _warm(self) -> None:
        for served in self.models.values():
            if served.ask is not None:
                try:
                    async with served.slots.enter().turn():
                        await served.ask.warm()
                except ServeError as error:
                    # The first question then reads the preamble itself: slower, and nothing else.
                    _log.warning("warming %s failed: %s", served.info.model, error.message)

    async def close(self) -> None:
        """End every engine."""
        for task in (self._warming, self._lagging):
            if task is not None:
                task.cancel()
        for served in self.models.values():
            await served.engine.close()

    def end_streams(self) -> None:
        """Send every open answer a last event: the server is going away."""
        failure = Failed(
            status=503,
            kind="server_error",
            message="The server was stopped before the answer was whole. Ask again when it runs.",
            code="server_stopped",
        )
        for run in tuple(self._runs):
            run.abort(failure)
