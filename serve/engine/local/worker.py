"""The process that holds a model: one thread reads what is asked, one generates. Run with `python -m`.

It ends when its socket does, so no worker outlives its server. Nothing of it is imported by the server but `serve`,
which tests run in a thread.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from operator import methodcaller
from pathlib import Path

import msgspec

from serve.engine.local.context import Aborted, Work
from serve.engine.local.core import Core
from serve.engine.local.following import Told
from serve.engine.local.generation import Steps
from serve.engine.local.protocol import (
    FAULT,
    HEADER_BYTES,
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
    ToWorker,
    Warmed,
    frame,
    payload_bytes,
    to_worker,
)
from serve.errors import EngineError, ServeError
from serve.events import Event, Finished, FinishReason
from serve.prompt.toolprompt import ToolLimits
from serve.turns import GenerationRequest

__all__ = ["main", "serve"]

_LAST_STEP_S = 5.0
"""How long the end waits for what computes; an abort takes a tenth of a second."""
_MOMENT_S = 0.2
"""How long nobody has to come before a worker works ahead: the next round of a loop is there sooner."""


def main() -> None:
    """Serve the socket whose file descriptor is the first argument, then end at once, whatever still computes."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    serve(connection)
    os._exit(0)


def serve(connection: socket.socket) -> None:
    """Load the model that the first message names, and answer until the socket closes."""
    link = _Link(connection)
    first = link.read()
    if isinstance(first, AskLoad):
        worker = _Worker(link)
        if worker.load(first):
            worker.run()
    connection.close()


class _Link:
    """Messages over a blocking socket; sending is safe from both threads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def read(self) -> ToWorker | None:
        """Return the next message; None when the other side is gone."""
        try:
            header = self._exactly(HEADER_BYTES)
            return to_worker(self._exactly(payload_bytes(header)))
        except (EOFError, OSError):
            return None

    def send(self, message: FromWorker) -> None:
        """Send a message; nobody listening is no error, the reader sees it too."""
        with self._lock:
            try:
                self._connection.sendall(frame(message))
            except OSError:
                return

    def close(self) -> None:
        """End the conversation, for the reading thread too."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            piece = self._connection.recv(min(count - len(data), 1 << 20))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)


class _Job:
    """An answer or a warming on its way."""

    def __init__(self, ask: AskGenerate | AskWarm) -> None:
        self.ask = ask
        self.steps: Steps | None = None
        self.work: Work | None = None
        self.notes: list[str] = []
        self.told: Told | None = None


class _Worker:
    """A core and the jobs that wait for it."""

    def __init__(self, link: _Link) -> None:
        self._link = link
        self._jobs: queue.SimpleQueue[AskGenerate | AskWarm | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._computing: frozenset[str] = frozenset()
        """The ids of what is being evaluated: those an abort would hit."""
        self._known: set[str] = set()
        self._cancelled: set[str] = set()
        self._is_closing = False
        self._is_ahead = False
        """What is being evaluated is not asked for, and makes way."""
        self._ahead: list[GenerationRequest] = []

    def load(self, ask: AskLoad) -> bool:
        """Load the model and say so; False when that failed, which was said too."""
        limits = ToolLimits(soft_tokens=ask.soft_tool_tokens, hard_tokens=ask.hard_tool_tokens)
        folder = Path(ask.snapshot_folder) if ask.snapshot_folder else None
        try:
            self._core = Core(Path(ask.path), ask.model, ask.settings, limits, folder)
        except ServeError as error:
            self._link.send(_refused("", error))
            return False
        self._is_batched = ask.settings.scheduling == "batched"
        self._link.send(
            Ready(
                detail=self._core.describe(),
                window_tokens=self._core.window_tokens,
                prefill_tokens_per_s=self._core.prefill_tokens_per_s,
                slots=self._core.slots,
            )
        )
        return True

    def run(self) -> None:
        """Read until the socket closes; generate beside."""
        generating = threading.Thread(target=self._generate_all, name="generate", daemon=True)
        generating.start()
        while (message := self._link.read()) is not None:
            match message:
                case AskCount():
                    self._count(message)
                case AskCancel():
                    self._cancel(message.id)
                case AskGenerate() | AskWarm():
                    with self._lock:
                        self._known.add(message.id)
                        self._jobs.put(message)
                        if self._is_ahead:
                            self._core.abort()
                case AskLoad():
                    self._link.send(Refused(status=500, kind="server_error", message="A model is loaded already."))
        with self._lock:
            self._is_closing = True
            self._core.abort()
        self._jobs.put(None)
        generating.join(_LAST_STEP_S)
        if not generating.is_alive():
            self._core.close()

    def _count(self, ask: AskCount) -> None:
        try:
            self._link.send(Counted(ask.id, self._core.count(_request(ask.request))))
        except ServeError as error:
            self._link.send(_refused(ask.id, error))
        except Exception as error:  # noqa: BLE001 - as below, and this thread reads for all
            traceback.print_exc()
            self._link.send(_refused(ask.id, _fault(error)))

    def _cancel(self, identifier: str) -> None:
        with self._lock:
            if identifier not in self._known:
                return
            self._cancelled.add(identifier)
            if self._computing == frozenset((identifier,)):
                self._core.abort()

    def _generate_all(self) -> None:
        running: list[_Job] = []
        try:
            while self._admit(running):
                groups = [running[:]] if self._is_batched else [[job] for job in running]
                for group in groups:
                    self._step(group)
                running[:] = [job for job in running if job.work is not None]
                if not running:
                    self._core.flush()
        finally:
            for job in running:
                if job.steps is not None:
                    job.steps.close()
            # After a fault the worker must not seem alive: the reader sees the end of the socket and lets go.
            self._link.close()

    def _admit(self, running: list[_Job]) -> bool:
        """Begin what waits as far as there are slots, and wait for work when there is none; False at the end."""
        while len(running) < self._core.slots:
            try:
                ask = self._jobs.get(block=False) if running else self._next()
            except queue.Empty:
                return True
            if ask is None:
                return False
            job = _Job(ask)
            self._allow()
            if not self._drop_cancelled(job):
                self._advance(job, next)
            if job.work is not None:
                running.append(job)
            elif not running:
                self._core.flush()
        return not self._is_closing

    def _next(self) -> AskGenerate | AskWarm | None:
        """Wait for work; when there is none for a moment, evaluate the last answers as their next turns show them."""
        while self._ahead:
            try:
                return self._jobs.get(timeout=_MOMENT_S)
            except queue.Empty:
                self._work_ahead(self._ahead.pop())
        return self._jobs.get()

    def _work_ahead(self, request: GenerationRequest) -> None:
        with self._lock:
            if self._is_closing or not self._jobs.empty():
                return
            self._is_ahead = True
            self._core.allow()
        try:
            self._core.finish(self._core.following(request))
        except (Aborted, ServeError):
            return  # somebody came, or it cannot be: the next turn then evaluates it itself
        except Exception:  # noqa: BLE001 - nobody asked for it, so nobody is to lose the worker over it
            traceback.print_exc()
        finally:
            with self._lock:
                self._is_ahead = False
        self._core.flush()

    def _step(self, group: list[_Job]) -> None:
        """Evaluate the work of a group in one batch, and let each go on."""
        going = self._enter([job for job in group if not self._drop_cancelled(job)])
        works = [job.work for job in going if job.work is not None]
        if not works:
            return
        try:
            places = self._core.evaluate(works)
        except (Aborted, EngineError) as failure:
            for job in going:
                self._advance(job, methodcaller("throw", failure))
        else:
            for job, place in zip(going, places, strict=True):
                self._advance(job, methodcaller("send", place))
        finally:
            with self._lock:
                self._computing = frozenset()

    def _enter(self, jobs: list[_Job]) -> list[_Job]:
        """Return the jobs whose work is computed next; from here on a cancel of a lone one aborts it."""
        with self._lock:
            going = [job for job in (_fitting(jobs) if self._is_batched else jobs) if job.ask.id not in self._cancelled]
            self._computing = frozenset(job.ask.id for job in going)
            if not self._is_closing:
                self._core.allow()
        return going

    def _allow(self) -> None:
        """Take back an abort that was another job's."""
        with self._lock:
            if not self._is_closing:
                self._core.allow()

    def _drop_cancelled(self, job: _Job) -> bool:
        with self._lock:
            is_cancelled = job.ask.id in self._cancelled
        if is_cancelled:
            self._advance(job, methodcaller("throw", Aborted()))
        return is_cancelled

    def _advance(self, job: _Job, move: Callable[[Steps], Work]) -> None:
        """Let a job go on to its next work; at its end say how it ended."""
        try:
            if job.steps is None:
                job.steps = self._steps(job)
            job.work = move(job.steps)
        except StopIteration:
            self._end(job, None)
        except Aborted:
            self._link.send(Emitted(job.ask.id, (Finished(reason=FinishReason.CANCELLED),)))
            self._end(job, None)
        except ServeError as error:
            self._end(job, error)
        except Exception as error:  # noqa: BLE001 - a fault in one answer must not end those beside it
            traceback.print_exc()
            self._end(job, _fault(error))

    def _steps(self, job: _Job) -> Steps:
        request = _request(job.ask.request)
        if isinstance(job.ask, AskWarm):
            return self._core.warming(request)

        told = job.told = None if self._core.reuses_answers else Told(request)

        def emit(events: Sequence[Event]) -> None:
            if told is not None:
                told.hear(events)
            self._link.send(Emitted(job.ask.id, tuple(events)))

        return self._core.answering(request, emit, job.notes.append)

    def _end(self, job: _Job, error: ServeError | None) -> None:
        job.work = None
        with self._lock:
            self._known.discard(job.ask.id)
            self._cancelled.discard(job.ask.id)
        if job.told is not None and (follows := job.told.conversation()) is not None:
            self._ahead = [*self._ahead, follows][-self._core.slots :]
        rate, stats = self._core.prefill_tokens_per_s, self._core.stats
        if error is not None:
            self._link.send(_refused(job.ask.id, error))
        elif isinstance(job.ask, AskWarm):
            self._link.send(Warmed(job.ask.id, rate, stats))
        else:
            notes = [*job.notes, problem] if (problem := self._core.problem()) else job.notes
            self._link.send(Done(job.ask.id, rate, stats, tuple(notes)))


def _fitting(jobs: list[_Job]) -> list[_Job]:
    """Return the jobs whose work goes into one batch: every token that is drawn, and one piece of prefill."""
    single = [job for job in jobs if job.work is not None and len(job.work.tokens) == 1]
    wide = [job for job in jobs if job.work is not None and len(job.work.tokens) > 1]
    return [*single, *wide[:1]]


def _request(data: bytes) -> GenerationRequest:
    return msgspec.json.decode(data, type=GenerationRequest)


def _fault(error: Exception) -> EngineError:
    """Return what is told of a fault of our own."""
    return EngineError(
        f"The engine failed on this request ({type(error).__name__}: {error}). Other requests are not affected;"
        f" please report this one.",
        code=FAULT,
    )


def _refused(identifier: str, error: ServeError) -> Refused:
    return Refused(
        id=identifier,
        status=error.status,
        kind=error.kind,
        message=error.message,
        param=error.param,
        code=error.code,
    )


if __name__ == "__main__":
    main()
