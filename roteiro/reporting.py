"""How an error is told to the person at the command line: one line on stderr, and an exit code.

What is told here somebody can act on. Anything else is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

import sys

from graph.errors import ArgumentError, GraphError, RootError
from roteiro.errors import RoteiroError

__all__ = ["report"]

NOT_FOUND = 1
BAD_USE = 2


def report(error: Exception) -> int | None:
    """Print the error and return the exit code; None (printing nothing) for a fault of ours."""
    code = _exit_code(error)
    if code is not None:
        sys.stderr.write(f"roteiro: {_sentence(error)}\n")
    return code


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
