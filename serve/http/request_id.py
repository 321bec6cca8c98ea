"""The id of the request that is being answered, for whoever logs, however deep below the routes."""

from __future__ import annotations

from contextvars import ContextVar

__all__ = ["REQUEST_ID"]

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="-")
"""Set by the guard; tasks and threads that a request starts inherit it."""
