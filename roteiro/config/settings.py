"""What a person may set about floor 3 itself; the other tables live in the packages that they are about."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["LogSettings", "ModelSettings"]


class ModelSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[models]` table."""

    mirror: str = "https://huggingface.co"
    """Where the publishers' repositories are fetched from; a mirror keeps the paths of the original."""
    connect_timeout_s: float = 10.0
    """How long to wait for a source before the next one is offered."""


class LogSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[logs]` table."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """What is written to the log: this and everything more serious."""
    prompts: bool = False
    """Write questions and prompts to the log too. They may hold source and secrets, so never unless asked."""
