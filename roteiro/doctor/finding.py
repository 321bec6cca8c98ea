"""What one check says, and how its cure is written."""

from __future__ import annotations

import shlex
from typing import Literal

from msgspec import Struct

from roteiro.config import Config
from roteiro.terminal import program

__all__ = ["Finding", "Level", "command", "without_setting"]

Level = Literal["ok", "warning", "problem"]

_ENVIRONMENT = "environment "


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    check: str
    level: Level
    message: str
    cure: str = ""
    """The command that mends it; empty when all is well."""


def command(*words: object) -> str:
    """Return a command of this program, to be pasted into a shell."""
    return shlex.join([program(), *map(str, words)])


def without_setting(config: Config, key: str) -> str:
    """Return the command that takes a setting back to its default, wherever it was set."""
    origin = config.origin_of(key)
    if origin.startswith(_ENVIRONMENT):
        return f"unset {origin.removeprefix(_ENVIRONMENT)}"
    return command("config", "--unset", key)
