"""What can go wrong on floor 3. Each class says who can act and which exit code tells it to a script.

RoteiroError               exit 1: something was not found, or a check failed
├── UsageError             exit 2: the command line is at fault
├── ConfigError            exit 2: a setting is at fault; names the file, variable or flag it came from
├── ModelError             exit 1: a model file is missing, damaged, or cannot be fetched
│   └── UnreachableError   ... this source cannot be reached: another one may be tried
└── ConsentError           exit 2: a question that nobody was there to answer
"""

from __future__ import annotations

__all__ = ["ConfigError", "ConsentError", "ModelError", "RoteiroError", "UnreachableError", "UsageError"]


class RoteiroError(Exception):
    """The root of this tree; its text is one line fit to be shown after `roteiro: `."""

    exit_code = 1


class UsageError(RoteiroError):
    """The command line asks for something that does not exist or does not fit together."""

    exit_code = 2


class ConfigError(RoteiroError):
    """A setting cannot be used; the message begins with where it was found."""

    exit_code = 2

    def __init__(self, message: str, *, origin: str = "", key: str = "") -> None:
        self.origin = origin
        """As `Setting.origin`: a path, or `environment VARIABLE`; empty when no one place is at fault."""
        self.key = key
        """The key at that place; empty when the whole file is at fault."""
        super().__init__(message)


class ModelError(RoteiroError):
    """A model file is missing, damaged, or cannot be fetched."""


class UnreachableError(ModelError):
    """This source of a model cannot be reached now."""


class ConsentError(RoteiroError):
    """A question was to be asked, and no terminal is there to answer it."""

    exit_code = 2
