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
from collections.abc import Sequence
from pathlib import Path

import msgspec

from serve.engine.local.protocol import (
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
from serve.errors import ServeError
from serve.events import Event, Finished, FinishReason
from serve.turns import GenerationRequest

__all__ = ["main", "serve"]


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


class _Worker:
    """A core and the jobs that wait for it."""

    def __init__(self, link: _Link) -> None:
        self._link = link
        self._jobs: queue.SimpleQueue[AskGenerate | AskWarm | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: str | None = None
        self._pending: set[str] = set()
        self._cancelled: set[str] = set()

    def load(self, ask: AskLoad) -> bool:
        """Load the model and say so; False when that failed, which was said too."""
        from serve.engine.local.core import Core
        from serve.prompt.toolprompt import ToolLimits

        limits = ToolLimits(soft_tokens=ask.soft_tool_tokens, hard_tokens=ask.hard_tool_tokens)
        try:
            self._core = Core(Path(ask.path), ask.model, ask.settings, limits)
        except ServeError as error:
            self._link.send(_refused("", error))
            return False
        self._link.send(
            Ready(
                detail=self._core.describe(),
                window_tokens=self._core.window_tokens,
                prefill_tokens_per_s=self._core.prefill_tokens_per_s,
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
                        self._pending.add(message.id)
                    self._jobs.put(message)
                case AskLoad():
                    self._link.send(Refused(status=500, kind="server_error", message="A model is loaded already."))
        self._core.abort()
        self._jobs.put(None)
        if threading.current_thread() is not threading.main_thread():
            generating.join()
            self._core.close()

    def _count(self, ask: AskCount) -> None:
        try:
            self._link.send(Counted(ask.id, self._core.count(_request(ask.request))))
        except ServeError as error:
            self._link.send(_refused(ask.id, error))

    def _cancel(self, identifier: str) -> None:
        with self._lock:
            if self._running == identifier:
                self._core.abort()
            elif identifier in self._pending:
                self._cancelled.add(identifier)

    def _generate_all(self) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                self._take(job)
                self._generate(job)
                self._put_back(job)
        finally:
            # After a fault the worker must not seem alive: the reader sees the end of the socket and lets go.
            self._link.close()

    def _take(self, job: AskGenerate | AskWarm) -> None:
        with self._lock:
            self._running = job.id
            self._core.allow()
            if job.id in self._cancelled:
                self._core.abort()

    def _put_back(self, job: AskGenerate | AskWarm) -> None:
        with self._lock:
            self._running = None
            self._pending.discard(job.id)
            self._cancelled.discard(job.id)

    def _generate(self, job: AskGenerate | AskWarm) -> None:
        from serve.engine.local.context import Aborted

        def emit(events: Sequence[Event]) -> None:
            self._link.send(Emitted(job.id, tuple(events)))

        try:
            if isinstance(job, AskWarm):
                self._core.warm(_request(job.request))
                self._link.send(Warmed(job.id, self._core.prefill_tokens_per_s))
                return
            self._core.generate(_request(job.request), emit)
        except Aborted:
            emit([Finished(reason=FinishReason.CANCELLED)])
        except ServeError as error:
            self._link.send(_refused(job.id, error))
            return
        self._link.send(Done(job.id, self._core.prefill_tokens_per_s))


def _request(data: bytes) -> GenerationRequest:
    return msgspec.json.decode(data, type=GenerationRequest)


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
