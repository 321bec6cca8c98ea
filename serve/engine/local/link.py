"""The server's end of a worker: starting it in a process (or, for tests, a thread), messages, noticing that it is gone.

The worker process never imports from the working folder or from what the environment names: `-P`, an environment of
known names only, and a working folder of its own.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading
from typing import BinaryIO

from serve.engine.local.protocol import (
    HEADER_BYTES,
    AskLoad,
    FromWorker,
    Ready,
    Refused,
    ToWorker,
    frame,
    from_worker,
    payload_bytes,
)
from serve.errors import EngineError

__all__ = ["Link", "worker_environment"]

_KEPT = ("HOME", "LANG", "LD_LIBRARY_PATH", "LLAMA_CPP_LIB_PATH", "PATH", "TMPDIR", "TZ")
_KEPT_PREFIXES = ("CUDA_", "GGML_", "HIP_", "LC_", "OMP_", "ROCR_")
_END_TIMEOUT_S = 5.0


def worker_environment(ours: dict[str, str], wait_policy: str = "passive") -> dict[str, str]:
    """Return what a worker inherits: nothing by which Python or the loader could be led elsewhere.

    Threads of llama.cpp wait passively: spinning ones cost a factor of 4 to 8 as soon as anything else runs. What it
    says of its own end is the assertion that failed, and not a debugger's view of Python.
    """
    kept = {name: value for name, value in ours.items() if name in _KEPT or name.startswith(_KEPT_PREFIXES)}
    return {"OMP_WAIT_POLICY": wait_policy, "GGML_NO_BACKTRACE": "1", **kept, "PYTHONSAFEPATH": "1"}


class Link:
    """A live worker. Replies come to the queue of their id; None in a queue says that the worker is gone."""

    def __init__(self, *, in_thread: bool = False) -> None:
        self._in_thread = in_thread
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._errors: BinaryIO | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._replies: dict[str, asyncio.Queue[FromWorker | None]] = {}
        self.is_alive = False

    @property
    def pid(self) -> int | None:
        """The worker's process id; None in a thread."""
        return self._process.pid if self._process else None

    async def open(self, load: AskLoad) -> Ready:
        """Start the worker and load the model.

        Raises:
            EngineError: it could not be loaded, or the worker died over it; nothing is left behind.
        """
        try:
            ours, theirs = socket.socketpair()
            self._start(theirs, load.settings.wait_policy)
            reader, self._writer = await asyncio.open_connection(sock=ours)
            self._send(load)
            first = await _read(reader)
            self.is_alive = isinstance(first, Ready)
            self._reading = asyncio.create_task(self._read_all(reader))
        except BaseException:
            await self.close()
            raise
        if isinstance(first, Ready):
            return first
        why = first.message if isinstance(first, Refused) else await self._last_words(load)
        await self.close()
        raise EngineError(why)

    def ask(self, identifier: str, message: ToWorker) -> asyncio.Queue[FromWorker | None]:
        """Send a message and return the queue of its replies; `forget` it at the end."""
        replies: asyncio.Queue[FromWorker | None] = asyncio.Queue()
        if not self.is_alive:
            replies.put_nowait(None)
            return replies
        self._replies[identifier] = replies
        self._send(message)
        return replies

    def tell(self, message: ToWorker) -> None:
        """Send a message that has no reply."""
        if self.is_alive:
            self._send(message)

    def forget(self, identifier: str) -> None:
        """Drop further replies of an id."""
        self._replies.pop(identifier, None)

    async def close(self) -> None:
        """End the worker and wait for it; a worker that does not go is killed."""
        self.is_alive = False
        if self._writer is not None:
            self._writer.close()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])
        if self._process is not None:
            await asyncio.to_thread(_reap, self._process)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, _END_TIMEOUT_S)
        if self._errors is not None:
            self._errors.close()

    def _start(self, theirs: socket.socket, wait_policy: str) -> None:
        if self._in_thread:
            from serve.engine.local import worker

            self._thread = threading.Thread(target=worker.serve, args=(theirs,), name="worker", daemon=True)
            self._thread.start()
            return
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker; closed in `close`
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "serve.engine.local.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=worker_environment(dict(os.environ), wait_policy),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
            )

    def _send(self, message: ToWorker) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(frame(message))

    async def _read_all(self, reader: asyncio.StreamReader) -> None:
        while (message := await _read(reader)) is not None:
            replies = self._replies.get(message.id) if not isinstance(message, Ready) else None
            if replies is not None:
                replies.put_nowait(message)
        self.is_alive = False
        for replies in self._replies.values():
            replies.put_nowait(None)

    def last_words(self) -> str:
        """Return the end of what a worker wrote that is gone; empty when it wrote nothing."""
        if self._errors is None or self._errors.closed:
            return ""
        self._errors.seek(0)
        return " / ".join(self._errors.read()[-2_000:].decode(errors="replace").strip().splitlines()[-3:])

    async def _last_words(self, load: AskLoad) -> str:
        """Return how a worker ended that should have loaded a model, and the end of what it wrote."""
        said = f"The worker ended while it loaded {load.path}"
        if self._process is None:
            return f"{said}."
        await asyncio.to_thread(_reap, self._process)
        words = f" It wrote: {written}" if (written := self.last_words()) else ""
        return f"{said} (exit code {self._process.returncode}). The file may be corrupt: `roteiro model pull`.{words}"


def _reap(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


async def _read(reader: asyncio.StreamReader) -> FromWorker | None:
    """Return the next message; None when the worker is gone."""
    try:
        header = await reader.readexactly(HEADER_BYTES)
        return from_worker(await reader.readexactly(payload_bytes(header)))
    except (asyncio.IncompleteReadError, OSError):
        return None
