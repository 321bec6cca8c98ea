"""Serving the application on a port: binding, signals, and an end in which every open stream gets its last event."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Generator
from types import FrameType

import httpx
import msgspec
import uvicorn
from litestar import Litestar

from serve.errors import BindError
from serve.http.service import Service

__all__ = ["Server", "bind", "run"]

_GRACE_S = 5
"""How long open answers may take to send their last event."""


def run(app: Litestar, host: str, port: int, on_ready: Callable[[str], None]) -> int:
    """Serve until SIGINT or SIGTERM and return 0; `on_ready` gets the URL once requests are answered.

    Raises:
        BindError: the address is taken (by whom, if it is one of us) or is not this machine's own.
        EngineError: an engine could not be started.
    """
    service: Service = app.state.service
    with bind(host, port, service.root) as listener:
        service.listen_on(host, listener.getsockname()[1])
        Server(app, service, on_ready).run(sockets=[listener])
    return 0


def bind(host: str, port: int, root: str = "") -> socket.socket:
    """Return a listening socket; port 0 takes a free one. Raises BindError."""
    if not _is_loopback(host):
        raise BindError(
            f"{host} is not this machine's own address. Without authentication only 127.0.0.1, ::1 and localhost are "
            "served: set `addr` under [serve], and put a proxy with authentication in front for others."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise BindError(_taken(host, port, root, error)) from error


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _taken(host: str, port: int, root: str, error: OSError) -> str:
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    found = _roteiro_at(url)
    if found is None:
        return f"{host}:{port} cannot be used: {error.strerror}. Give another port with --addr {host}:PORT."
    if found == root:
        return f"Roteiro already serves {root} at {url}. Open that, or end it first."
    return f"{url} is taken by a Roteiro that serves {found}. Give another port with --addr {host}:PORT."


def _roteiro_at(url: str) -> str | None:
    """Return the root that a Roteiro serves at this address, None when nothing of ours answers there."""
    try:
        answer = httpx.get(f"{url}/health", timeout=1.0, trust_env=False)
        health = msgspec.json.decode(answer.content, type=_Health)
    except (httpx.HTTPError, msgspec.DecodeError):
        return None
    return health.root if health.name == "roteiro" else None


class _Health(msgspec.Struct):
    name: str
    root: str = ""


class Server(uvicorn.Server):
    """Starts the engines before the first request and ends the streams before the connections."""

    def __init__(self, app: Litestar, service: Service, on_ready: Callable[[str], None]) -> None:
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            # The guard refuses with a sentence; h11 only has to admit a head that is a little larger.
            h11_max_incomplete_event_size=2 * service.settings.max_header_bytes,
            timeout_graceful_shutdown=_GRACE_S,
        )
        super().__init__(config)
        self._service = service
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start engines, then answer; a signal while a model loads ends the wait."""
        starting = asyncio.ensure_future(self._service.start())
        while not starting.done():
            await asyncio.wait({starting}, timeout=0.1)
            if self.should_exit:
                starting.cancel()
                await asyncio.wait({starting})
                return
        starting.result()
        await super().startup(sockets)
        self._on_ready(self._service.url)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Give every open stream its last event, let the connections end, then free the engines."""
        self._service.end_streams()
        if self.started:
            await super().shutdown(sockets)
        await self._service.close()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Turn SIGINT and SIGTERM into an orderly end; unlike the base class, do not raise them again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._end) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.handle_exit(number, frame)
