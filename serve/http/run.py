"""One answer on its way, in a task of its own: events come out until exactly one Finished or Failed.

The task owns the engine's generator, so that a client's leaving, at whatever moment, closes it in one place.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable

from serve.errors import ServeError
from serve.events import Event, Failed, Finished, Started
from serve.wire.failures import failed

__all__ = ["Run"]

_log = logging.getLogger(__name__)


class Run:
    """Begins at once. Whoever made it must `stop` it or read it to its end."""

    def __init__(self, events: AsyncGenerator[Event, None], request_id: str, on_end: Callable[[Run], None]) -> None:
        self._events = events
        self._request_id = request_id
        self._out: asyncio.Queue[Event] = asyncio.Queue()
        self._is_over = False
        self.tool_detail = ""
        """From Started, for the header that tells it."""
        self.task = asyncio.create_task(self._pump())
        self.task.add_done_callback(lambda _: on_end(self))

    async def next(self, timeout_s: float | None = None) -> Event | None:
        """Return the next event, None when none came in time."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self._out.get()
        except TimeoutError:
            return None

    def stop(self) -> None:
        """End the generation; nothing more comes out. Does nothing when it has ended."""
        self._is_over = True
        self.task.cancel()

    def abort(self, failure: Failed) -> None:
        """End the generation with this as its last event, unless it has ended."""
        if not self._is_over:
            self._put(failure)
            self.task.cancel()

    def _put(self, event: Event) -> None:
        if not self._is_over:
            self._is_over = isinstance(event, (Finished, Failed))
            if isinstance(event, Started):
                self.tool_detail = event.tool_detail
            self._out.put_nowait(event)

    async def _pump(self) -> None:
        try:
            async for event in self._events:
                self._put(event)
                if self._is_over:
                    break
            self._put(_UNFINISHED)
        except ServeError as error:
            self._put(failed(error))
        except Exception:  # noqa: BLE001 (see the comment)
            # The outer edge of a generation: whatever broke, the client gets a last event and the log the reason.
            _log.exception("request %s failed", self._request_id)
            self._put(_broken(self._request_id))
        finally:
            await self._events.aclose()


_UNFINISHED = Failed(
    status=503,
    kind="server_error",
    message="The engine stopped in the middle of its answer. Ask again; `roteiro doctor` says whether it is well.",
    code="engine_lost",
)


def _broken(request_id: str) -> Failed:
    return Failed(
        status=500,
        kind="server_error",
        message=f"The server failed on request {request_id}; its log says why.",
        code="internal_error",
    )
