"""What a person may set about the MCP server; `roteiro.config` composes it with the settings of the other packages."""

from msgspec import Struct

__all__ = ["McpSettings"]


class McpSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[mcp]` table."""

    tools: tuple[str, ...] = ()
    """The tools to offer; empty means the default set, `("all",)` every tool."""
    answer_bytes: int = 8_000
    """The most bytes an answer may have: Codex cuts the middle out of longer ones at about 10 KB."""
