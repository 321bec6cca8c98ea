"""The application: every route, behind the guard, with every error in its envelope."""

from __future__ import annotations

from litestar import Litestar
from litestar.config.app import AppConfig
from litestar.datastructures import State

from serve.http.catalog import catalog_routes
from serve.http.errors import error_handlers
from serve.http.generation import generation_routes
from serve.http.guard import Guard
from serve.http.metrics import metrics_routes
from serve.http.service import Service
from serve.http.site import site_routes

__all__ = ["build_app"]


def build_app(service: Service) -> Litestar:
    """Return the application for a service. Engines are started by `serve.http.server.run`, not here."""
    app = Litestar.from_config(
        AppConfig(
            route_handlers=[
                *generation_routes(service),
                *catalog_routes(service),
                *metrics_routes(service),
                *site_routes(service),
            ],
            exception_handlers={**error_handlers()},
            openapi_config=None,
            # The guard bounds bodies itself, so that the error names our own setting.
            request_max_body_size=None,
            state=State({"service": service}),
            pdb_on_exception=False,
        )
    )
    app.asgi_handler = Guard(app.asgi_handler, service)
    return app
