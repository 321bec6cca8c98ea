"""A GGUF model behind the `Engine` protocol: one worker, which is replaced when it dies."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import msgspec

from serve.engine.base import EngineInfo
from serve.engine.cache_stats import CacheStats
from serve.engine.failures import failed
from serve.engine.local.gguf import check_file
from serve.engine.local.kv import types_of
from serve.engine.local.link import Link
from serve.engine.local.machine import physical_cores, slots_of
from serve.engine.local.occupancy import Occupancy
from serve.engine.local.protocol import (
    FAULT,
    AskCancel,
    AskCount,
    AskGenerate,
    AskLoad,
    AskWarm,
    Counted,
    Done,
    Emitted,
    FromWorker,
    Ready,
    Refused,
    Warmed,
)
from serve.engine.residency import Residency
from serve.errors import EngineError, ServeError
from serve.events import Event, Failed, Finished, Heartbeat
from serve.settings import EngineSettings
from serve.turns import GenerationRequest

__all__ = ["LocalEngine"]

_log = logging.getLogger(__name__)

_HEARTBEAT_S = 5.0
"""Clients and proxies give up on silence; the shortest idle timer measured was 15 s."""
_LONGEST_BACK_OFF_S = 30.0
_LOST = "engine_lost"
_SERVE = AskGenerate | AskWarm | AskCount


class LocalEngine:
    """Runs one GGUF file. `start` it once, `close` it at the end. What comes beyond its slots waits in the worker."""

    def __init__(  # noqa: PLR0913 - what a person may set, by keyword
        self,
        model_path: Path,
        model: str,
        settings: EngineSettings | None = None,
        *,
        tool_prompt_tokens: int = 2_048,
        tool_prompt_tokens_hard: int = 8_192,
        cache_folder: Path | None = None,
        residency: Residency | None = None,
        is_lazy: bool = False,
        in_thread: bool = False,
    ) -> None:
        self._settings = settings or EngineSettings()
        self._path = model_path
        self._model = model
        self._load = AskLoad(
            path=str(model_path.absolute()),
            model=model,
            settings=self._settings,
            soft_tool_tokens=tool_prompt_tokens,
            hard_tool_tokens=tool_prompt_tokens_hard,
            snapshot_folder=str(cache_folder.absolute()) if cache_folder else "",
        )
        self._in_thread = in_thread
        self._residency = residency or Residency()
        self._is_lazy = is_lazy
        self._slots = self._settings.slots or slots_of(physical_cores())
        self._ids = itertools.count(1)
        self._link: Link | None = None
        self._starting = asyncio.Lock()
        self._occupancy = Occupancy(self._settings.idle_unload_minutes * 60, self._unload_idle)
        self._ready: Ready | None = None
        self._rate = 0.0
        self._stats = CacheStats()
        self._crashes = 0
        self._not_before = 0.0
        self._is_closed = False

    def describe(self) -> EngineInfo:
        """Return what this engine is; window and rate are known once it started."""
        ready = self._ready
        return EngineInfo(
            model=self._model,
            kind="local",
            window_tokens=ready.window_tokens if ready else None,
            prefill_tokens_per_s=self._rate or None,
            detail=f"{self._path.name}: {ready.detail}" if ready else str(self._path),
            slots=self._slots,
        )

    def stats(self) -> CacheStats:
        """Return what the prefix cache did up to the last answer."""
        return self._stats

    @property
    def worker_pid(self) -> int | None:
        """The process that holds the model, for `status` and for tests."""
        return self._link.pid if self._link else None

    async def start(self) -> None:
        """Load the model.

        Raises:
            EngineError: llama-cpp-python is not installed, or the model cannot be loaded; says what to do.
        """
        if importlib.util.find_spec("llama_cpp") is None:
            raise EngineError(
                "The local engine is not installed. Run `pip install 'roteiro[local]'` or `make serve` (needs a C++"
                " compiler), or use a server that runs already: `--upstream URL`."
            )
        types_of(self._settings)
        await asyncio.to_thread(check_file, self._path)
        if self._is_lazy:  # loaded by the first request that names it
            return
        async with self._in_use():
            await self._worker()

    async def count(self, request: GenerationRequest) -> int:
        """Return the prompt tokens of a request; answered beside a running generation."""
        identifier = self._next_id()
        reply = await self._ask_once(AskCount(identifier, msgspec.json.encode(request)))
        return reply.tokens if isinstance(reply, Counted) else 0

    async def warm(self, request: GenerationRequest) -> None:
        """Evaluate the preamble of a request; a model not in memory stays where it is."""
        if self._is_lazy and not self.is_loaded:
            return
        reply = await self._ask_once(AskWarm(self._next_id(), msgspec.json.encode(request)))
        if isinstance(reply, Warmed):
            self._rate = reply.prefill_tokens_per_s or self._rate
            self._stats = reply.stats

    async def generate(self, request: GenerationRequest) -> AsyncIterator[Event]:
        """Yield the events of an answer; closing the iterator stops it within a second."""
        async with self._in_use(), aclosing(self._answer(request)) as events:
            async for event in events:
                yield event

    @property
    def size_bytes(self) -> int:
        """What the model takes in memory, about: its file."""
        return self._path.stat().st_size if self._path.is_file() else 0

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._link is not None and self._link.is_alive

    async def unload(self) -> bool:
        """Wait for running answers, then free the model's memory; the next request loads it again.

        False when it was not loaded.
        """
        with self._occupancy.closed_door():
            while self.is_loaded:
                if self._occupancy.users:
                    await self._occupancy.change()
                    continue
                async with self._starting:
                    link, self._link = self._link, None
                    if link is not None:
                        await link.close()
                return link is not None
        return False

    @asynccontextmanager
    async def _in_use(self) -> AsyncGenerator[None]:
        """Keep the model loaded while the block runs, and for a while after."""
        async with self._occupancy.using():
            self._residency.touch(self)
            yield

    def _unload_idle(self) -> None:
        if not self._occupancy.users and self._link is not None and not self._is_closed:
            _log.info("%s was not used for a while; its memory is freed until the next request", self._model)
            self._unloading = asyncio.create_task(self.unload())

    async def close(self) -> None:
        """End the worker and free its memory."""
        self._is_closed = True
        self._occupancy.close()
        if self._link is not None:
            await self._link.close()

    async def _answer(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """Yield an answer; a worker that was gone before it began is replaced, once, and nobody has to ask again."""
        for is_last in (False, True):
            try:
                link = await self._worker()
            except EngineError as error:
                yield failed(error)
                return
            has_begun = False
            async with aclosing(self._told(link, request)) as events:
                async for event in events:
                    if isinstance(event, Failed) and event.code == _LOST and not has_begun and not is_last:
                        break
                    has_begun = has_begun or not isinstance(event, Heartbeat)
                    yield event
                else:
                    return

    async def _told(self, link: Link, request: GenerationRequest) -> AsyncGenerator[Event]:
        """Yield what one worker makes of a request."""
        identifier = self._next_id()
        replies = link.ask(identifier, AskGenerate(identifier, msgspec.json.encode(request)))
        is_over = False
        try:
            last = Heartbeat()
            finished: Finished | None = None  # told after Done: a reader may stop at it, and Done's figures were lost
            while not is_over:
                reply = await _next(replies)
                match reply:
                    case None:
                        yield last
                    case Emitted():
                        for event in reply.events:
                            last = event if isinstance(event, Heartbeat) else last
                            if isinstance(event, Finished):
                                finished = event
                            else:
                                yield event
                    case _:
                        is_over = True
                        failure = self._end(link, reply)
                        if (end := finished or failure) is not None:
                            yield end
        finally:
            link.forget(identifier)
            if not is_over:
                link.tell(AskCancel(identifier))

    def _end(self, link: Link, reply: FromWorker | _Gone) -> Failed | None:
        """Take note of how a generation ended; return its last event unless the worker sent that."""
        match reply:
            case Done():
                self._rate = reply.prefill_tokens_per_s or self._rate
                self._stats = reply.stats
                self._crashes = 0
                for note in reply.notes:
                    _log.debug("%s", note) if note.startswith("prefix cache") else _log.warning("%s", note)
                return None
            case Refused():
                if reply.code == FAULT:
                    _log.error("%s %s", reply.message, link.last_words())
                return _failed(reply)
            case _:
                return failed(self._lost(link))

    async def _ask_once(self, message: _SERVE) -> Counted | Warmed:
        """Send a message that has one reply, and return it; raises what the worker refused it with."""
        async with self._in_use():
            return await self._asked(message)

    async def _asked(self, message: _SERVE) -> Counted | Warmed:
        link = await self._worker()
        replies = link.ask(message.id, message)
        is_answered = False
        try:
            reply = await replies.get()
            is_answered = True
        finally:
            link.forget(message.id)
            if not is_answered:
                link.tell(AskCancel(message.id))
        match reply:
            case Counted() | Warmed():
                return reply
            case Refused():
                raise _error(reply)
            case _:
                raise self._lost(link)

    async def _worker(self) -> Link:
        """Return the live worker, after starting one if need be: at once after the first crash, later after more.

        Raises:
            EngineError: the engine is closed, or the model cannot be loaded.
        """
        async with self._starting:
            if self._is_closed:
                raise EngineError("This engine was closed. Start the server again.")
            if self._link is not None and self._link.is_alive:
                return self._link
            if self._link is not None:
                await self._link.close()
            await asyncio.sleep(max(0.0, self._not_before - asyncio.get_running_loop().time()))
            async with self._residency.room(self):
                self._ready = await self._opened(link := Link(in_thread=self._in_thread))
                self._rate = self._ready.prefill_tokens_per_s
                self._link = link
            return link

    async def _opened(self, link: Link) -> Ready:
        try:
            async with asyncio.timeout(self._settings.start_timeout_s):
                return await link.open(self._load)
        except TimeoutError as error:
            raise EngineError(
                f"{self._path} was not loaded within {self._settings.start_timeout_s:.0f} s."
                f" Set start_timeout_s higher, or choose a smaller model."
            ) from error

    def _lost(self, link: Link) -> EngineError:
        """Note that a worker died, once, and return the error of those it leaves behind."""
        if link is self._link and not self._is_closed:
            self._link = None
            self._crashes += 1
            _log.error("the process that runs %s ended: %s", self._model, link.last_words() or "it wrote nothing")
            back_off = min(_LONGEST_BACK_OFF_S, 2.0 ** (self._crashes - 2)) if self._crashes > 1 else 0.0
            self._not_before = asyncio.get_running_loop().time() + back_off
            self._closing = asyncio.create_task(link.close())
            self._occupancy.note_change()
        return EngineError(
            "The process that runs the model ended unexpectedly. It is being replaced; send the request again.",
            code=_LOST,
        )

    def _next_id(self) -> str:
        return str(next(self._ids))


class _Gone:
    """The worker is gone: what a queue's None becomes."""


async def _next(replies: asyncio.Queue[FromWorker | None]) -> FromWorker | _Gone | None:
    """Return the next reply; None when there was none for a while."""
    try:
        async with asyncio.timeout(_HEARTBEAT_S):
            reply = await replies.get()
    except TimeoutError:
        return None
    return reply if reply is not None else _Gone()


def _failed(refused: Refused) -> Failed:
    return Failed(
        status=refused.status,
        kind=refused.kind,
        message=refused.message,
        param=refused.param,
        code=refused.code,
    )


def _error(refused: Refused) -> ServeError:
    error = ServeError(refused.message, param=refused.param, code=refused.code, status=refused.status)
    error.kind = refused.kind
    return error
