"""Every error that leaves the server, in the shape that the client reads. No bad input becomes a 500."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from graph.errors import ArgumentError, GraphError, KeyNotFoundError, PathError, StoreError
from serve.errors import ServeError
from serve.events import Failed
from serve.wire.failures import envelope, failed, headers_of, prefers_problem, problem

__all__ = ["ROUTES", "error_handlers", "failure_response", "graph_status"]

_log = logging.getLogger(__name__)

ROUTES = (
    "GET /",
    "GET /health",
    "GET /metrics",
    "GET /file/{path}",
    "GET /api/status",
    "GET /api/search",
    "POST /api/ask",
    "GET /v1/models",
    "GET /v1/models/{id}",
    "POST /v1/models/unload",
    "POST /v1/chat/completions",
    "POST /v1/responses",
)
"""What exists, for whoever asks for something else; a test holds it against the app."""

_GRAPH_STATUS: tuple[tuple[type[GraphError], int], ...] = (
    (ArgumentError, 400),
    (PathError, 404),
    (KeyNotFoundError, 404),
    (StoreError, 503),
)


def failure_response(
    request: Request[Any, Any, Any], failure: Failed, error: ServeError | None = None
) -> Response[bytes]:
    """Return a failure in OpenAI's envelope, or as problem+json for who prefers that."""
    headers = headers_of(error) if error is not None else {}
    if prefers_problem(request.headers.get("accept", "")):
        body, media_type = problem(failure, error), "application/problem+json"
    else:
        body, media_type = msgspec.json.encode(envelope(failure)), "application/json"
    return Response(body, status_code=failure.status, media_type=media_type, headers=headers)


def graph_status(error: GraphError) -> int:
    """Return the HTTP status that says who can act: the caller, or the person who keeps the store."""
    return next((status for kind, status in _GRAPH_STATUS if isinstance(error, kind)), 400)


def error_handlers() -> dict[int | type[Exception], Callable[..., Response[bytes]]]:
    """Return what Litestar calls for each kind of error."""
    return {ServeError: _serve_error, GraphError: _graph_error, HTTPException: _http_error, Exception: _unforeseen}


def _serve_error(request: Request[Any, Any, Any], error: ServeError) -> Response[bytes]:
    return failure_response(request, failed(error), error)


def _graph_error(request: Request[Any, Any, Any], error: GraphError) -> Response[bytes]:
    status = graph_status(error)
    kind = "server_error" if status >= 500 else "invalid_request_error"
    param = error.argument if isinstance(error, ArgumentError) else None
    return failure_response(request, Failed(status=status, kind=kind, message=str(error), param=param))


def _http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    status = error.status_code
    if status == 405:
        message = f"{request.url.path} does not answer {request.method}{_answered(request.url.path)}."
        failure = Failed(status=status, kind="invalid_request_error", message=message, code="method_not_allowed")
    elif status == 404:
        message = f"{request.method} {request.url.path} does not exist here. These do: {', '.join(ROUTES)}."
        failure = Failed(status=status, kind="not_found_error", message=message, code="route_not_found")
    else:
        kind = "server_error" if status >= 500 else "invalid_request_error"
        failure = Failed(status=status, kind=kind, message=error.detail)
    return failure_response(request, failure)


def _answered(path: str) -> str:
    """Return which methods a path does answer, where it stands in the table as it is."""
    methods = [method for method, _, known in (route.partition(" ") for route in ROUTES) if known == path]
    return f"; send {' or '.join(methods)}" if methods else ""


def _unforeseen(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer for a fault of ours; the details go to the log alone."""
    request_id = request.scope["state"].get("request_id", "")
    _log.error("request %s failed", request_id, exc_info=error)
    message = f"The server failed on request {request_id}; its log says why."
    return failure_response(request, Failed(status=500, kind="server_error", message=message, code="internal_error"))
