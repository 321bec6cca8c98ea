"""A server that answers instead of a local model: chat completions of vLLM, llama-server, Ollama or any like them.

What it refuses is told in its own words. Nothing is tried again once it has begun to answer, and closing the iterator
closes the connection, by which upstreams notice that nobody listens.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

import httpx
import msgspec
from msgspec import Struct

from serve.engine.base import EngineInfo
from serve.engine.failures import failed
from serve.engine.upstream_tokens import Counter, counter_for, request_tokens
from serve.engine.upstream_wire import Chunk, ChunkReader, body, error_words
from serve.errors import EngineError, UnsupportedError
from serve.events import Event, Heartbeat, Started
from serve.settings import UpstreamSettings
from serve.turns import GenerationRequest

__all__ = ["UpstreamEngine"]

_HEARTBEAT_S = 5.0
_LIST_TIMEOUT_S = 10.0


class _Listed(Struct, frozen=True):
    """A model that an upstream lists; `max_model_len` is vLLM's word for its window."""

    id: str
    max_model_len: int | None = None


class _Listing(Struct, frozen=True):
    data: tuple[_Listed, ...] = ()


class UpstreamEngine:
    """Asks an OpenAI-compatible server. A request goes out at once; what the upstream makes of it is its own matter."""

    def __init__(self, settings: UpstreamSettings) -> None:
        self._settings = settings
        self._base_url = settings.base_url.rstrip("/")
        self._is_remote = not _is_loopback(self._base_url)
        self._model = settings.model
        self._window_tokens = settings.context or None
        self._client: httpx.AsyncClient | None = None
        self._counter: Counter | None = None

    def describe(self) -> EngineInfo:
        """Return what this engine is; the model is known once it started."""
        return EngineInfo(
            model=self._model or self._settings.name,
            kind="upstream",
            window_tokens=self._window_tokens,
            is_remote=self._is_remote,
            detail=f"{self._settings.name} at {self._base_url}",
            can_count=self._counter is not None,
            slots=self._settings.slots,
        )

    async def start(self) -> None:
        """Connect, and take the first model that the upstream lists where none is set.

        Raises:
            EngineError: the key's variable is not set, nobody answers, or there is no model; says what to do.
        """
        client = self._client = self._connect()
        try:
            response = await client.get(f"{self._base_url}/models", timeout=_LIST_TIMEOUT_S)
            listed = _listing(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            await self.close()
            raise EngineError(
                f"The upstream {self._base_url} cannot be reached: {_words(error)}."
                f" Start it, or give another address with `--upstream URL` (with its `/v1`)."
            ) from error
        if not self._model:
            if not listed:
                await self.close()
                raise EngineError(
                    f"The upstream {self._base_url} lists no model (status {response.status_code})."
                    f" Set `model` for it, and check that the address ends in `/v1` or whatever it serves under."
                )
            self._model = listed[0].id
        known = next((one.max_model_len for one in listed if one.id == self._model), None)
        self._window_tokens = self._window_tokens or known
        self._counter = await asyncio.to_thread(counter_for, self._model)

    async def count(self, request: GenerationRequest) -> int:
        """Return the prompt tokens; raises UnsupportedError where the model's encoding is not on this machine."""
        if self._counter is None:
            raise UnsupportedError("An upstream's tokens cannot be counted here; send the request, and read its usage.")
        return request_tokens(request, self._counter)

    async def generate(self, request: GenerationRequest) -> AsyncIterator[Event]:
        """Yield the events of an answer."""
        yield Started(self._model, request.mode)
        events: asyncio.Queue[Event | EngineError | None] = asyncio.Queue()
        pump = asyncio.create_task(self._pump(request, events))
        waiting: asyncio.Task[Event | EngineError | None] | None = None
        try:
            while True:
                waiting = waiting or asyncio.create_task(events.get())
                await asyncio.wait([waiting], timeout=_HEARTBEAT_S)
                if not waiting.done():
                    yield Heartbeat()
                    continue
                event, waiting = waiting.result(), None
                if event is None:
                    return
                yield failed(event) if isinstance(event, EngineError) else event
        finally:
            for task in (pump, waiting):
                if task is not None:
                    task.cancel()
            with suppress(asyncio.CancelledError):
                await pump

    async def warm(self, request: GenerationRequest) -> None:
        """Do nothing: what an upstream keeps is its own matter."""

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _connect(self) -> httpx.AsyncClient:
        timeout = httpx.Timeout(
            self._settings.read_timeout_s, connect=self._settings.connect_timeout_s, pool=None, write=60.0
        )
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=8)
        # A loopback server is never behind the proxy that the environment names.
        transport = None if self._is_remote else httpx.AsyncHTTPTransport(limits=limits)
        return httpx.AsyncClient(headers=self._headers(), timeout=timeout, limits=limits, transport=transport)

    def _headers(self) -> Mapping[str, str]:
        name = self._settings.api_key_env
        if not name:
            return {}
        key = os.environ.get(name)
        if not key:
            raise EngineError(
                f"The environment variable {name}, which should hold the key for {self._base_url}, is not set."
                f" Export it, or clear api_key_env."
            )
        return {"authorization": f"Bearer {key}"}

    async def _pump(self, request: GenerationRequest, events: asyncio.Queue[Event | EngineError | None]) -> None:
        """Put the events of an answer into the queue, then None; an error takes the place of what is missing."""
        try:
            async for batch in self._stream(request):
                for event in batch:
                    events.put_nowait(event)
        except EngineError as error:
            events.put_nowait(error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            events.put_nowait(self._broken(f"could not be asked: {_words(error)}"))
        except msgspec.DecodeError as error:
            events.put_nowait(self._broken(f"sent a chunk that cannot be read: {error}"))
        events.put_nowait(None)

    async def _stream(self, request: GenerationRequest) -> AsyncIterator[Sequence[Event]]:
        if self._client is None:
            raise EngineError("This engine was not started, or was closed. Start the server again.")
        reader = ChunkReader(request)
        # The mode is for another Roteiro: there a request without tools would be answered from its own repository.
        headers = {"content-type": "application/json", "accept": "text/event-stream", "x-roteiro-mode": "general"}
        async with self._client.stream(
            "POST", f"{self._base_url}/chat/completions", content=body(request, self._model), headers=headers
        ) as response:
            if response.status_code != 200:
                words = error_words(await response.aread())
                raise self._broken(f"answered with status {response.status_code}: {words}")
            async for line in response.aiter_lines():
                data = line.removeprefix("data:").strip()
                if data == line.strip() or not data:
                    continue
                if data == "[DONE]":
                    break
                chunk = msgspec.json.decode(data, type=Chunk)
                if bytes(chunk.error) != b"null":
                    raise self._broken(f"failed: {error_words(data.encode())}")
                yield reader.feed(chunk)
        if not reader.is_finished:
            raise self._broken("ended its stream before the answer was finished")
        yield reader.end()

    def _broken(self, what: str) -> EngineError:
        return EngineError(f"The upstream {self._base_url} {what}", code="upstream_error", status=502)


def _listing(response: httpx.Response) -> Sequence[_Listed]:
    """Return the models listed; none when the upstream keeps no list."""
    if response.status_code != 200:
        return ()
    try:
        return msgspec.json.decode(response.content, type=_Listing).data
    except msgspec.DecodeError:
        return ()


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _is_loopback(url: str) -> bool:
    """Say whether an address stays on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
