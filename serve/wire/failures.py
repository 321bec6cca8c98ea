"""Errors as bytes: the OpenAI envelope, RFC 9457 problem+json, and the words of each API for an error in a stream."""

from __future__ import annotations

from http import HTTPStatus

import msgspec

from serve.errors import QueueFullError, ServeError, UnknownModelError
from serve.events import Failed

__all__ = ["envelope", "failed", "headers_of", "prefers_problem", "problem", "response_code"]


def failed(error: ServeError) -> Failed:
    """Return the error as the last event of a stream."""
    return Failed(
        status=error.status, kind=error.kind, message=error.message, param=error.param or None, code=error.code
    )


def envelope(failure: Failed) -> dict[str, object]:
    """Return the body that OpenAI's clients read."""
    return {
        "error": {
            "message": failure.message,
            "type": failure.kind,
            "param": failure.param,
            "code": failure.code,
        }
    }


def problem(failure: Failed, error: ServeError | None = None) -> bytes:
    """Return the body of RFC 9457, with what exists when a model is unknown."""
    body: dict[str, object] = {
        "type": "about:blank",
        "title": _title(failure.status),
        "status": failure.status,
        "detail": failure.message,
        "kind": failure.kind,
        "param": failure.param,
        "code": failure.code,
    }
    if isinstance(error, UnknownModelError):
        body["validModels"] = list(error.known)
    return msgspec.json.encode(body)


def _title(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else "Error"


def headers_of(error: ServeError) -> dict[str, str]:
    """Return the headers that go with an error."""
    return {"retry-after": str(error.retry_after_s)} if isinstance(error, QueueFullError) else {}


def prefers_problem(accept: str) -> bool:
    """Whether an Accept header asks for problem+json before plain JSON; merely admitting it with `*/*` does not."""
    ranked = {"application/problem+json": 0.0, "application/json": 0.0}
    for part in accept.split(","):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if kind in ranked:
            ranked[kind] = _quality(parameters)
    return ranked["application/problem+json"] > ranked["application/json"]


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return float(parameter[2:])
            except ValueError:
                return 0.0
    return 1.0


def response_code(failure: Failed) -> str:
    """Return the word of the Responses API: Codex tries again on the first two and gives up on the others."""
    if failure.status == HTTPStatus.TOO_MANY_REQUESTS:
        return "rate_limit_exceeded"
    if failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "server_error"
    return "context_length_exceeded" if failure.code == "context_length_exceeded" else "invalid_prompt"
