"""What each method of the protocol answers. Stateless, so that every door (stdio now, HTTP) gives the same answers.

Two eras are served side by side: the `initialize` handshake of 2024-11-05 to 2025-11-25, and the 2026-07-28 revision,
where every request carries its version in `params._meta` and `server/discover` takes the place of the handshake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from msgspec import Struct

from graph.tools import Tool
from mcp_server.errors import ProtocolError
from mcp_server.messages import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, Request
from mcp_server.offer import INSTRUCTIONS, described

__all__ = ["HANDSHAKE_VERSIONS", "STATELESS_VERSIONS", "Handlers", "ToolCall"]

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
_LIST_TTL_MS = 3_600_000
"""The list of tools cannot change while a process lives."""


class ToolCall(Struct, frozen=True, kw_only=True):
    """A request to run a tool, read and checked as far as the protocol goes; the tool checks its arguments itself."""

    name: str
    arguments: Mapping[str, object]
    progress_token: int | str | None = None


class Handlers:
    """The answers to everything but the work of a tool."""

    def __init__(self, tools: tuple[Tool, ...], version: str) -> None:
        self._tools = tools
        self._server = {"name": "roteiro", "title": "Roteiro", "version": version}
        self._methods: Mapping[str, Callable[[Request], dict[str, object]]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda _request: {},
            "tools/list": self._list_tools,
        }

    def answer(self, request: Request) -> Mapping[str, object] | ToolCall:
        """Return the result of a request, or the tool call that it asks for.

        Raises:
            ProtocolError: the method, its parameters or the protocol version cannot be served.
        """
        try:
            _check_era(request)
            if request.method == "tools/call":
                return _tool_call(request)
            return self.finished(request, self._handler(request.method)(request))
        except ProtocolError as error:
            error.request_id = request.id
            raise

    def finished(self, request: Request, result: dict[str, object]) -> dict[str, object]:
        """Return a result with what the revision of the request wants on every one of them."""
        if not _is_stateless(request):
            return result
        return {**result, "resultType": "complete", "_meta": {_SERVER_KEY: self._server}}

    def _handler(self, method: str) -> Callable[[Request], dict[str, object]]:
        if method not in self._methods:
            known = ", ".join((*self._methods, "tools/call"))
            raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method}. Served: {known}.")
        return self._methods[method]

    def _initialize(self, request: Request) -> dict[str, object]:
        wanted = request.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise ProtocolError(INVALID_PARAMS, "initialize needs `protocolVersion`, a string such as '2025-11-25'.")
        return {
            "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": self._server,
            "instructions": INSTRUCTIONS,
        }

    def _discover(self, _request: Request) -> dict[str, object]:
        return {
            "supportedVersions": list(STATELESS_VERSIONS),
            "capabilities": {"tools": {"listChanged": False}},
            "instructions": INSTRUCTIONS,
            "ttlMs": _LIST_TTL_MS,
            "cacheScope": "private",
        }

    def _list_tools(self, request: Request) -> dict[str, object]:
        if request.params.get("cursor"):
            raise ProtocolError(INVALID_PARAMS, "tools/list has one page; leave `cursor` out.")
        listed: dict[str, object] = {"tools": [described(tool) for tool in self._tools]}
        return {**listed, "ttlMs": _LIST_TTL_MS, "cacheScope": "private"} if _is_stateless(request) else listed


def _check_era(request: Request) -> None:
    if not _is_stateless(request):
        if request.method == "server/discover":
            raise ProtocolError(INVALID_PARAMS, f"server/discover needs `_meta` with {_VERSION_KEY!r}.")
        return
    meta = _meta(request)
    version = meta[_VERSION_KEY]
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, f"`_meta[{_VERSION_KEY!r}]` must be a string.")
    if version not in STATELESS_VERSIONS or request.method == "initialize":
        raise ProtocolError(
            UNSUPPORTED_VERSION,
            f"Protocol version {version} is not served by {request.method}.",
            data={"supported": list(STATELESS_VERSIONS), "requested": version},
        )
    if not isinstance(meta.get(_CAPABILITIES_KEY), dict):
        raise ProtocolError(INVALID_PARAMS, f"`_meta` needs {_CAPABILITIES_KEY!r}, an object.")


def _tool_call(request: Request) -> ToolCall:
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "tools/call needs `name`, a string.")
    if arguments is not None and not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "tools/call: `arguments` must be an object.")
    token = _meta(request).get("progressToken")
    return ToolCall(
        name=name,
        arguments=cast("dict[str, object]", arguments or {}),
        progress_token=token if isinstance(token, int | str) and not isinstance(token, bool) else None,
    )


def _meta(request: Request) -> Mapping[str, object]:
    meta = request.params.get("_meta")
    return cast("dict[str, object]", meta) if isinstance(meta, dict) else {}


def _is_stateless(request: Request) -> bool:
    return _VERSION_KEY in _meta(request)
