"""The page, its static files, and what it reads: status, search, the file view. Works without a model."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import Request, Response, get, head
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler

from graph.errors import GraphError
from serve.errors import BadRequestError, UnsupportedError
from serve.http.errors import graph_status
from serve.http.service import Service
from serve.web.assets import Asset, load_assets
from serve.web.files import file_page, message_page
from serve.web.repository import RepositoryView

__all__ = ["site_routes"]

_Request = Request[Any, Any, Any]
_HTML = "text/html; charset=utf-8"


def site_routes(service: Service) -> list[HTTPRouteHandler]:
    """Return the handlers of this module."""
    assets = load_assets()

    @get("/")
    async def index(request: _Request) -> Response[bytes]:
        return _send(request, assets["index.html"])

    @head("/", media_type=_HTML)
    async def index_head() -> None:
        """Answer a client that only asks whether somebody is there."""

    @get("/static/{name:path}")
    async def static(request: _Request) -> Response[bytes]:
        name = str(request.path_params["name"]).removeprefix("/")
        asset = assets.get(name)
        if asset is None:
            raise NotFoundException
        return _send(request, asset)

    @get("/api/status")
    async def status() -> Response[bytes]:
        repository = None if service.view is None else await asyncio.to_thread(service.view.status)
        served = next(iter(service.models.values()), None)
        model = None
        if served is not None:
            info = served.info
            model = {"id": info.model, "kind": info.kind, "detail": info.detail, "is_remote": info.is_remote}
        return _json(
            {
                "version": service.version,
                "project": service.project,
                "repository": repository,
                "model": model,
                "notice": _notice(service),
            }
        )

    @get("/api/search")
    async def search(request: _Request) -> Response[bytes]:
        query, limit, cursor = (request.query_params.get(name, "") for name in ("q", "limit", "cursor"))
        if not query.strip():
            raise BadRequestError("q is missing: /api/search?q=WORDS.", param="q")
        return _json(await asyncio.to_thread(_view(service).search, query, limit, cursor))

    @get("/file/{path:path}")
    async def file(request: _Request) -> Response[bytes]:
        name = str(request.path_params["path"]).removeprefix("/")
        lines, from_line = (request.query_params.get(name, "") for name in ("lines", "from"))
        try:
            page = await asyncio.to_thread(_view(service).page, name, lines, from_line)
        except GraphError as error:
            code = graph_status(error)
            return Response(message_page(name, str(error)).encode(), status_code=code, media_type=_HTML)
        return Response(file_page(page).encode(), media_type=_HTML, headers={"cache-control": "no-store"})

    return [index, index_head, static, status, search, file]


def _notice(service: Service) -> str:
    """Return what a person must know before asking; empty when all is well."""
    if not service.models:
        return (
            "No model is loaded, so questions are not answered; search works. Install one with `roteiro model pull`, "
            "or name a server with --upstream URL, and start again."
        )
    remote = [served.info for served in service.models.values() if served.info.is_remote]
    if remote:
        return f"Questions and the source they need are sent to another machine: {remote[0].detail or remote[0].model}."
    return ""


def _view(service: Service) -> RepositoryView:
    if service.view is None:
        raise UnsupportedError("No repository is served here, so there is nothing to search.")
    return service.view


def _send(request: _Request, asset: Asset) -> Response[bytes]:
    headers = {"cache-control": "no-cache", "etag": asset.tag}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(b"", status_code=304, headers=headers)
    return Response(asset.body, media_type=asset.media_type, headers=headers)


def _json(body: object) -> Response[bytes]:
    return Response(msgspec.json.encode(body), media_type="application/json", headers={"cache-control": "no-store"})
