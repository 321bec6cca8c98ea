"""The stdio door: an agent starts this process, and the tools must be listed before its first turn.

The official SDK takes over a second of CPU to import, so this is a loop of our own over `messages` and `handlers`; the
tests hold it equal to what the SDK's client expects. One thread reads, each tool call runs in a thread of its own, so
that a slow one never holds up a ping. The rule that must stay true: nothing heavy is imported before tools are listed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from graph.progress import Progress
from mcp_server.channel import LineReader, LineWriter, take_over_stdio
from mcp_server.errors import ProtocolError
from mcp_server.handlers import Handlers, ToolCall
from mcp_server.messages import (
    Notification,
    Request,
    RequestId,
    encode_error,
    encode_notification,
    encode_result,
    parse_message,
)
from mcp_server.offer import offered_tools
from mcp_server.readiness import Readiness, told
from mcp_server.settings import McpSettings
from mcp_server.work import Worker

if TYPE_CHECKING:
    from graph.repository import Repository

__all__ = ["Session", "run"]

_LAST_ANSWERS_S = 10.0
"""After the end of input, calls that still run get this long: a client that pipes its requests in closes at once."""
_STOP_S = 2.0
_MOST_CALLS = 16
"""Calls at a time. An agent sends a handful; more would only be threads that wait for each other."""


def run(open_repository: Callable[[], Repository], settings: McpSettings, version: str) -> int:
    """Serve this process's stdin and stdout until the client goes away; return the exit code.

    Raises:
        ToolChoiceError: `settings.tools` names an unknown tool or leaves none.
    """
    tools = offered_tools(settings.tools)
    stdin, stdout = take_over_stdio()
    readiness = Readiness(open_repository)
    reader, writer = LineReader(stdin), LineWriter(stdout)
    session = Session(Handlers(tools, version), Worker(tools, readiness, settings.answer_bytes), readiness, writer)
    for line in reader.lines():
        session.take(line)
        if writer.is_broken:
            break
    session.close(0.0 if reader.was_orphaned or writer.is_broken else _LAST_ANSWERS_S)
    readiness.stop(_STOP_S)
    return 0


class Session:
    """One client: which calls run, and what is written back."""

    def __init__(self, handlers: Handlers, worker: Worker, readiness: Readiness, writer: LineWriter) -> None:
        self._handlers = handlers
        self._worker = worker
        self._readiness = readiness
        self._writer = writer
        self._calls: dict[RequestId, threading.Event] = {}
        self._guard = threading.Lock()
        self._slots = threading.BoundedSemaphore(_MOST_CALLS)
        self._threads: list[threading.Thread] = []

    def take(self, line: bytes | ProtocolError) -> None:
        """Handle one line of the client."""
        try:
            if isinstance(line, ProtocolError):
                raise line
            message = parse_message(line)
            match message:
                case Request():
                    self._answer(message)
                case Notification():
                    self._note(message)
                case _:
                    pass  # we ask nothing, so an answer is for nobody
        except ProtocolError as error:
            self._writer.write(encode_error(error))

    def close(self, wait_s: float) -> None:
        """Let running calls finish for a while, then cancel what is left."""
        share = wait_s / max(1, len(self._threads))
        for thread in self._threads:
            thread.join(share)
        with self._guard:
            for cancelled in self._calls.values():
                cancelled.set()

    def _answer(self, request: Request) -> None:
        answer = self._handlers.answer(request)
        if isinstance(answer, ToolCall):
            self._start(request, answer)
            return
        self._writer.write(encode_result(request.id, answer))
        if request.method == "tools/list":
            # Not earlier: loading the rest of the program would compete with the answers that the client waits for.
            self._readiness.start()

    def _start(self, request: Request, call: ToolCall) -> None:
        """Run a call in a thread of its own."""
        with self._guard:
            cancelled = self._calls[request.id] = threading.Event()
        thread = threading.Thread(
            target=self._run, args=(request, call, cancelled), name=f"roteiro-{call.name[:24]}", daemon=True
        )
        self._threads = [*(one for one in self._threads if one.is_alive()), thread]
        thread.start()

    def _run(self, request: Request, call: ToolCall, cancelled: threading.Event) -> None:
        with self._slots:
            result = self._worker.run(call, cancelled, self._progress_of(call))
        with self._guard:
            if self._calls.get(request.id) is cancelled:
                del self._calls[request.id]
        # The protocol wants no answer to a cancelled request.
        if not cancelled.is_set():
            self._writer.write(encode_result(request.id, self._handlers.finished(request, result)))

    def _progress_of(self, call: ToolCall) -> Callable[[Progress], None] | None:
        """Return what tells the client how far the index is, where it asked to be told."""
        token = call.progress_token
        if token is None:
            return None
        last = -1

        def tell(progress: Progress) -> None:
            nonlocal last
            # The protocol wants the number to grow with every notification.
            last = max(last + 1, progress.done)
            params: Mapping[str, object] = {
                "progressToken": token,
                "progress": last,
                "message": told(progress),
                **({"total": progress.total} if progress.total > last else {}),
            }
            self._writer.write(encode_notification("notifications/progress", params))

        return tell

    def _note(self, notification: Notification) -> None:
        if notification.method != "notifications/cancelled":
            return  # `initialized` and whatever a newer client says needs nothing from us
        request_id = notification.params.get("requestId")
        if isinstance(request_id, int | str):
            with self._guard:
                cancelled = self._calls.get(request_id)
            if cancelled is not None:
                cancelled.set()
