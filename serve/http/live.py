"""Driving an encoder with a run: as a stream that is never silent for long, or as one whole answer.

Here is the clock that encoders do not hold, and here a client that leaves ends its generation.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from litestar import Request
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import Receive, Send

from serve.events import Event, Failed, Finished, Heartbeat, Started
from serve.http.run import Run
from serve.wire.answer import Encoder

__all__ = ["PING_INTERVAL_S", "LiveResponse", "first_events", "frames", "plain_response", "whole_answer"]

PING_INTERVAL_S = 5.0
"""Codex gives up on a stream without events; 5 to 10 s keeps it (and proxies) content."""

_COMMIT_AFTER_S = 0.25
"""How long an answer may fail with a plain HTTP status before the stream is opened with 200."""

_GONE = Failed(status=499, kind="client_closed_request", message="The client left before the answer was whole.")


class LiveResponse(ASGIStreamingResponse):
    """A stream of events whose generation ends with the connection, also when nothing of it was ever sent."""

    __slots__ = ("run",)

    def __init__(self, run: Run, stream: AsyncGenerator[bytes, None], headers: dict[str, str]) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] # litestar leaves its iterables open
            iterator=stream,
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no", **headers},
            status_code=200,
        )
        self.run = run

    async def send_body(self, send: Send, receive: Receive) -> None:
        """Send the stream; whatever ends it ends the run."""
        try:
            await super().send_body(send, receive)
        finally:
            self.run.stop()


async def first_events(run: Run) -> list[Event]:
    """Return what came before the stream has to be opened; a Failed at its end can still become a plain error."""
    events: list[Event] = []
    deadline = asyncio.get_running_loop().time() + _COMMIT_AFTER_S
    while (left := deadline - asyncio.get_running_loop().time()) > 0:
        event = await run.next(left)
        if event is None:
            break
        events.append(event)
        if not isinstance(event, (Started, Heartbeat)):
            break
    return events


async def frames(
    run: Run, encoder: Encoder, first: list[Event], interval_s: float = PING_INTERVAL_S
) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of an answer up to its last event; after `interval_s` without any, a ping."""
    yield encoder.begin()
    clock = asyncio.get_running_loop().time
    wrote_at = clock()
    ahead = list(reversed(first))
    while True:
        event = ahead.pop() if ahead else await run.next(max(0.0, wrote_at + interval_s - clock()))
        written = encoder.ping() if event is None else encoder.encode(event)
        if not written and clock() - wrote_at >= interval_s:
            written = encoder.ping()
        if written:
            yield written
            wrote_at = clock()
        if isinstance(event, (Finished, Failed)):
            return


async def whole_answer(request: Request[Any, Any, Any], run: Run, encoder: Encoder) -> None:
    """Feed the encoder all events of the run; a client that leaves ends it."""
    watch = asyncio.create_task(_abort_when_gone(request.receive, run))
    try:
        while True:
            event = await run.next()
            if event is not None:
                encoder.encode(event)
            if isinstance(event, (Finished, Failed)):
                return
    finally:
        watch.cancel()
        run.stop()


async def _abort_when_gone(receive: Receive, run: Run) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    run.abort(_GONE)


def plain_response(body: bytes, headers: dict[str, str], media_type: str = "application/json") -> ASGIResponse:
    """Return a finished body as a response."""
    return ASGIResponse(body=body, headers=headers, media_type=media_type, status_code=200)
