"""The gate in front of every route: Host, Origin, the size of head and body; headers that every answer carries.

A page of another site must not reach this server through the browser (DNS rebinding), and nobody may make it allocate
without bound. There are no CORS headers on purpose.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Iterable

import msgspec
from litestar.enums import ScopeType
from litestar.types import (
    ASGIApp,
    HTTPReceiveMessage,
    HTTPScope,
    Message,
    Receive,
    Scope,
    Send,
    WebSocketReceiveMessage,
)

from serve.errors import BadRequestError, ServeError
from serve.http.request_id import REQUEST_ID
from serve.http.service import Service
from serve.wire.failures import envelope, failed
from serve.wire.fields import shorten

__all__ = ["Guard", "new_request_id"]

_log = logging.getLogger(__name__)

_CONTENT_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"openai-version", b"2020-10-01"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", _CONTENT_POLICY),
)


_CLOSING = (b"connection", b"close")
_BODY_PAUSE_S = 30.0
"""Between two parts of a body; whoever sends slower holds a connection and nothing else comes of it."""


def new_request_id() -> str:
    """Return an id that no other request of this server has."""
    return uuid.uuid4().hex


class Guard:
    """Wraps the application, so that it stands before routing, errors and static files alike."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason why not."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        request_id = new_request_id()
        began = time.monotonic()
        scope["state"] = {"request_id": request_id}
        REQUEST_ID.set(request_id)
        head = _Head(send, (*_HEADERS, (b"x-request-id", request_id.encode())))
        try:
            length = self._check(scope)
        except ServeError as error:
            await _refuse(head.send, error)
        else:
            await self._app(scope, self._bounded(receive, length), head.send)
        took_ms = (time.monotonic() - began) * 1000
        # The path alone: a query may hold words of the person, and a body is never logged.
        _log.info("%s %r %d %.0f ms %s", scope["method"], scope["path"], head.status, took_ms, request_id)

    def _check(self, scope: HTTPScope) -> int | None:
        """Return the announced length of the body; raises ServeError for a request that must not pass."""
        head_bytes = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
        limit = self._service.settings.max_header_bytes
        if head_bytes > limit:
            raise BadRequestError(
                f"The headers have {head_bytes} bytes; the limit is {limit} (`max_header_bytes` under [serve]).",
                code="headers_too_large",
                status=431,
            )
        self._check_host(_values(scope, b"host"))
        self._check_origin(_values(scope, b"origin"))
        if _values(scope, b"content-encoding") not in ([], ["identity"]):
            raise BadRequestError("Send the body as it is, without content-encoding.", code="encoding", status=415)
        announced = _values(scope, b"content-length")
        length = int(announced[0]) if announced and announced[0].isdecimal() else None
        if length is not None and length > self._service.settings.max_body_bytes:
            raise self._too_large(length)
        return length

    def _check_host(self, hosts: list[str]) -> None:
        if len(hosts) == 1 and hosts[0].lower() in self._service.hosts:
            return
        found = shorten(hosts[0]) if hosts else "none"
        raise BadRequestError(
            f"The Host header {found} is not one of this server's: {', '.join(sorted(self._service.hosts))}. "
            "A proxy's name goes into `allowed_hosts` under [serve].",
            code="forbidden_host",
            status=403,
        )

    def _check_origin(self, origins: list[str]) -> None:
        ours = {f"{scheme}://{host}" for host in self._service.hosts for scheme in ("http", "https")}
        if all(origin.lower() in ours for origin in origins):
            return
        raise BadRequestError(
            f"The Origin {shorten(origins[0])} is not this server; pages of other sites may not use it.",
            code="forbidden_origin",
            status=403,
        )

    def _bounded(self, receive: Receive, length: int | None) -> Receive:
        read_bytes = 0
        is_whole = False

        async def bounded() -> HTTPReceiveMessage | WebSocketReceiveMessage:
            nonlocal read_bytes, is_whole
            # After the body this waits for the client to go away, which may take as long as the answer does.
            message = await receive() if is_whole else await _in_time(receive)
            if message["type"] == "http.request":
                is_whole = not message.get("more_body", False)
                read_bytes += len(message.get("body", b""))
                if read_bytes > self._service.settings.max_body_bytes:
                    raise self._too_large(read_bytes if length is None else length)
            return message

        return bounded

    def _too_large(self, found_bytes: int) -> BadRequestError:
        limit = self._service.settings.max_body_bytes
        return BadRequestError(
            f"The body has {found_bytes} bytes or more; the limit is {limit} (`max_body_bytes` under [serve]).",
            code="body_too_large",
            status=413,
        )


async def _in_time(receive: Receive) -> HTTPReceiveMessage | WebSocketReceiveMessage:
    """Return the next part of a body; raises BadRequestError when nothing comes for too long."""
    try:
        async with asyncio.timeout(_BODY_PAUSE_S):
            return await receive()
    except TimeoutError:
        raise BadRequestError(
            f"Nothing of the body came for {_BODY_PAUSE_S:g} s, and it is not whole. Send it in one go.",
            code="body_timeout",
            status=408,
        ) from None


def _values(scope: HTTPScope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


class _Head:
    """Adds headers to the head of an answer, and remembers its status."""

    def __init__(self, send: Send, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._headers = headers
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = list(message.get("headers", []))
            if self.status in {408, 413} and _CLOSING not in own:
                # The body was not read to its end: the connection cannot carry another request.
                own.append(_CLOSING)
            message["headers"] = [*own, *self._headers]
        await self._send(message)


async def _refuse(send: Send, error: ServeError) -> None:
    body = msgspec.json.encode(envelope(failed(error)))
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    head.append(_CLOSING)  # the body was not read: the connection cannot carry another request
    await send({"type": "http.response.start", "status": error.status, "headers": head})
    await send({"type": "http.response.body", "body": body, "more_body": False})
