"""The HTTP door: the official SDK's streamable HTTP over the same tools, descriptions and worker as the stdio door.

An ASGI application, served by itself or mounted. The SDK answers the protocol here (sessions, both eras, Host and
Origin checks); what a tool is and does comes from `offer` and `work`, so that the two doors cannot drift.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from mcp_server.handlers import ToolCall
from mcp_server.offer import INSTRUCTIONS, described, offered_tools
from mcp_server.readiness import Readiness
from mcp_server.settings import McpSettings
from mcp_server.work import Worker

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from graph.repository import Repository

__all__ = ["http_app", "sdk_server"]

_STOP_S = 2.0
_Context = ServerRequestContext[Mapping[str, object]]


def http_app(
    open_repository: Callable[[], Repository], settings: McpSettings, version: str, *, path: str = "/mcp"
) -> Starlette:
    """Return the application; only loopback Host and Origin headers are answered. Its lifespan must be run.

    Raises:
        ToolChoiceError: `settings.tools` names an unknown tool or leaves none.
    """
    return sdk_server(open_repository, settings, version).streamable_http_app(streamable_http_path=path)


def sdk_server(
    open_repository: Callable[[], Repository], settings: McpSettings, version: str
) -> Server[Mapping[str, object]]:
    """Return the SDK's server with our tools; the index is opened and built while it runs.

    Raises:
        ToolChoiceError: `settings.tools` names an unknown tool or leaves none.
    """
    tools = offered_tools(settings.tools)
    listed = [types.Tool.model_validate(described(tool)) for tool in tools]
    readiness = Readiness(open_repository)
    worker = Worker(tools, readiness, settings.answer_bytes)

    @asynccontextmanager
    async def lifespan(_: Server[Mapping[str, object]]) -> AsyncGenerator[Mapping[str, object]]:
        readiness.start()
        try:
            yield {}
        finally:
            readiness.stop(_STOP_S)

    async def list_tools(_context: _Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = ToolCall(name=params.name, arguments=cast("dict[str, object]", params.arguments or {}))
        return types.CallToolResult.model_validate(await _in_a_thread(worker, call))

    return Server(
        "roteiro",
        version=version,
        title="Roteiro",
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _in_a_thread(worker: Worker, call: ToolCall) -> dict[str, object]:
    """Run a call in a thread; a client that goes away stops its query, and the thread ends with it."""
    cancelled = threading.Event()
    try:
        return await anyio.to_thread.run_sync(partial(worker.run, call, cancelled), abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        cancelled.set()
        raise
