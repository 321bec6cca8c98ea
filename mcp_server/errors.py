"""What can go wrong at the MCP door. A tool's own failures are results with `isError`, so that the model reads them.

McpError
├── ToolChoiceError   the person: `tools` names an unknown tool or leaves none; the server refuses to start
└── ProtocolError     the client: a message that is not a request this server knows; carries the JSON-RPC code
"""

from __future__ import annotations

__all__ = ["McpError", "ProtocolError", "ToolChoiceError"]


class McpError(Exception):
    """The root of this tree."""


class ToolChoiceError(McpError):
    """The setting `tools` cannot be served."""


class ProtocolError(McpError):
    """A message that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, *, data: object = None, request_id: int | str | None = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        self.request_id = request_id
        super().__init__(message)
