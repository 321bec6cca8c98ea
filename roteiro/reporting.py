"""How an error is told to the person at the command line: one line on stderr, and an exit code.

With `--json` a program reads stdout, so there the same is told as one document.

What is told here somebody can act on. Anything else is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

import re
import sys

import msgspec
from msgspec import Struct

from graph.errors import ArgumentError, GraphError, KeyNotFoundError, RootError
from roteiro.errors import RoteiroError

__all__ = ["ErrorDocument", "report"]

NOT_FOUND = 1
BAD_USE = 2


class ErrorBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong."""

    message: str
    kind: str
    """`key_not_found`, `usage`, `config`, `store_corrupt` ...: the name of the class of the error."""
    argument: str = ""
    """The argument at fault, where it is one."""
    nearest: tuple[str, ...] = ()
    """Keys that look like the one that was not found."""
    cure: str = ""
    """The command that mends it, where one does."""


class ErrorDocument(Struct, frozen=True):
    """What a command prints with `--json` where it has no answer."""

    error: ErrorBody


def report(error: Exception, *, as_json: bool = False) -> int | None:
    """Print the error and return the exit code; None (printing nothing) for a fault of ours."""
    code = _exit_code(error)
    if code is not None:
        if as_json:
            sys.stdout.write(msgspec.json.encode(_document(error)).decode() + "\n")
        sys.stderr.write(f"roteiro: {_sentence(error)}\n")
    return code


def _document(error: Exception) -> ErrorDocument:
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower() or "error"
    return ErrorDocument(
        ErrorBody(
            message=_sentence(error),
            kind="file" if isinstance(error, OSError) else kind,
            argument=error.argument if isinstance(error, ArgumentError) else "",
            nearest=error.nearest if isinstance(error, KeyNotFoundError) else (),
            cure=error.cure if isinstance(error, GraphError) else "",
        )
    )


def _exit_code(error: Exception) -> int | None:
    match error:
        case RoteiroError():
            return error.exit_code
        case ArgumentError() | RootError():
            return BAD_USE
        case GraphError() | OSError():
            return NOT_FOUND
        case _:
            return _serve_code(error)


def _serve_code(error: Exception) -> int | None:
    # Imported only here: most commands never load the server's package.
    from serve.errors import BadRequestError, ServeError

    if isinstance(error, BadRequestError):
        return BAD_USE
    return NOT_FOUND if isinstance(error, ServeError) else None


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    return " ".join(str(error).split())
