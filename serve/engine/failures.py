"""An error as the last event of a stream."""

from __future__ import annotations

from serve.errors import ServeError
from serve.events import Failed

__all__ = ["failed"]


def failed(error: ServeError) -> Failed:
    """Return the event that says what `error` says."""
    return Failed(
        status=error.status,
        kind=error.kind,
        message=error.message,
        param=error.param,
        code=error.code,
    )
