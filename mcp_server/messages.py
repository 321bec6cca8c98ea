"""JSON-RPC 2.0 as MCP uses it over stdio: a message a line. Pure: bytes in, structs out, and back.

Source: https://modelcontextprotocol.io/specification (2024-11-05 to 2026-07-28) and https://www.jsonrpc.org.
The rule that must stay true: whatever bytes arrive, the outcome is a message or a `ProtocolError` with its code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

import msgspec
from msgspec import Struct

from mcp_server.errors import ProtocolError

__all__ = [
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "UNSUPPORTED_VERSION",
    "Message",
    "Notification",
    "Request",
    "RequestId",
    "Response",
    "encode_error",
    "encode_notification",
    "encode_result",
    "parse_message",
]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
"""Of the 2026-07-28 revision: the version in the request's envelope is not served; the data names those that are."""

RequestId: TypeAlias = int | str
_EMPTY: Mapping[str, object] = {}


class Request(Struct, frozen=True):
    """A message that wants an answer."""

    id: RequestId
    method: str
    params: Mapping[str, object]


class Notification(Struct, frozen=True):
    """A message without an answer."""

    method: str
    params: Mapping[str, object]


class Response(Struct, frozen=True):
    """An answer to a question of ours; we ask none, so it is dropped."""

    id: RequestId | None


Message: TypeAlias = Request | Notification | Response


def parse_message(line: bytes) -> Message:
    """Return the message of one line.

    Raises:
        ProtocolError: it is no JSON (-32700) or no message (-32600); carries the id where one could be read.
    """
    try:
        decoded: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"This line is not JSON: {error}. Send one JSON-RPC message a line.") from None
    if isinstance(decoded, list):
        raise ProtocolError(INVALID_REQUEST, "Batches are not supported. Send one JSON-RPC message a line.")
    if not isinstance(decoded, dict):
        raise ProtocolError(INVALID_REQUEST, "A message is a JSON object with `jsonrpc`, `method` and `params`.")
    return _message(cast("dict[str, object]", decoded))


def encode_result(request_id: RequestId, result: Mapping[str, object]) -> bytes:
    """Return the line that answers a request."""
    return _line({"id": request_id, "result": result})


def encode_error(error: ProtocolError) -> bytes:
    """Return the line that refuses a request; its id is null where none could be read."""
    told: dict[str, object] = {"code": error.code, "message": error.message}
    if error.data is not None:
        told["data"] = error.data
    return _line({"id": error.request_id, "error": told})


def encode_notification(method: Literal["notifications/progress"], params: Mapping[str, object]) -> bytes:
    """Return the line of a notification."""
    return _line({"method": method, "params": params})


def _message(fields: dict[str, object]) -> Message:
    raw_id = fields.get("id")
    request_id = raw_id if isinstance(raw_id, int | str) and not isinstance(raw_id, bool) else None
    method, params = fields.get("method"), fields.get("params")
    if fields.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'A message needs `"jsonrpc": "2.0"`.', request_id=request_id)
    if "method" not in fields and ("result" in fields or "error" in fields):
        return Response(request_id)
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "A message needs `method`, a string.", request_id=request_id)
    if "id" in fields and request_id is None:
        raise ProtocolError(INVALID_REQUEST, f"The `id` of {method} must be a string or an integer.")
    if params is not None and not isinstance(params, dict):
        raise ProtocolError(INVALID_REQUEST, f"The `params` of {method} must be an object.", request_id=request_id)
    given = cast("dict[str, object]", params) if params else _EMPTY
    return Notification(method, given) if request_id is None else Request(request_id, method, given)


def _line(fields: Mapping[str, object]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **fields}) + b"\n"
