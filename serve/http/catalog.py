"""`/health` and `/v1/models`: who we are and what answers."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import msgspec
from litestar import Request, Response, get, post
from litestar.handlers import HTTPRouteHandler

from serve.errors import UnknownModelError, UnsupportedError
from serve.http.service import Served, Service
from serve.wire.arrival import resolve_model
from serve.wire.fields import read_body

__all__ = ["catalog_routes"]

_BASES = ("/v1", "/general/v1", "/ask/v1")
"""Every base URL that a client may be given lists the models, also the two that fix the mode."""
_OWNED_BY = "roteiro"
_CREATED_AT = 0
"""Models have no date here; a constant keeps the list the same from call to call."""


@runtime_checkable
class _CanUnload(Protocol):
    async def unload(self) -> bool:
        """Free the memory; False when there was none to free."""
        ...


def catalog_routes(service: Service) -> list[HTTPRouteHandler]:
    """Return the handlers of this module."""

    @get("/health")
    async def health() -> Response[bytes]:
        return _json(
            {
                "name": "roteiro",
                "version": service.version,
                "status": "ok" if service.models else "no_model",
                "root": service.root,
                "project": service.project,
                "model": next(iter(service.models), None),
                "models": list(service.models),
                "running": sum(served.slots.running for served in service.models.values()),
                "waiting": sum(served.slots.waiting for served in service.models.values()),
            }
        )

    @get([f"{base}/models" for base in _BASES])
    async def models(request: Request[Any, Any, Any]) -> Response[bytes]:
        body: dict[str, object] = {"object": "list", "data": [_model(name) for name in _names(service)]}
        if "client_version" in request.query_params:
            body["models"] = [_catalog_entry(service, name) for name in _names(service)]
        return _json(body)

    @get([base + "/models/{model_id:path}" for base in _BASES])
    async def model(request: Request[Any, Any, Any]) -> Response[bytes]:
        name = str(request.path_params["model_id"]).removeprefix("/")
        if name not in _names(service):
            raise UnknownModelError(name, _names(service))
        return _json(_model(name))

    @post("/v1/models/unload", status_code=200)
    async def unload(request: Request[Any, Any, Any]) -> Response[bytes]:
        root = read_body(await request.body())
        named = resolve_model(root.get("model").name(), service.model_ids, service.settings.aliases)
        engine = service.models[named.model].engine
        if not isinstance(engine, _CanUnload):
            raise UnsupportedError(f"{named.model} is not loaded by this server, so there is nothing to unload.")
        return _json({"id": named.model, "object": "model", "unloaded": await engine.unload()})

    return [health, models, model, unload]


def _names(service: Service) -> tuple[str, ...]:
    return (*service.models, *sorted(set(service.settings.aliases) - set(service.models)))


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": _CREATED_AT, "owned_by": _OWNED_BY}


def _catalog_entry(service: Service, name: str) -> dict[str, object]:
    """Return what Codex reads of a model: without it, it assumes a window that no local model has."""
    served = _served(service, name)
    window = served.info.window_tokens if served is not None else None
    return {
        "slug": name,
        "display_name": name,
        "description": served.info.detail if served is not None else "",
        "context_window": window,
        "max_context_window": window,
        "supported_reasoning_levels": [],
        "supports_reasoning_summaries": False,
        "supports_parallel_tool_calls": True,
        "shell_type": "shell_command",
        "visibility": "list",
        "supported_in_api": True,
        "priority": 0,
        "base_instructions": "",
        "input_modalities": ["text"],
        "experimental_supported_tools": [],
        "support_verbosity": False,
        "truncation_policy": {"mode": "bytes", "limit": 10_000},
    }


def _served(service: Service, name: str) -> Served | None:
    try:
        named = resolve_model(name, tuple(service.models), service.settings.aliases)
    except UnknownModelError:
        return None
    return service.models[named.model]


def _json(body: object) -> Response[bytes]:
    return Response(msgspec.json.encode(body), media_type="application/json", headers={"cache-control": "no-store"})
