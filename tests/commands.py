"""A command line run inside the test's own process: the same code without a second of imports."""

from __future__ import annotations

import logging

from roteiro.__main__ import _run

__all__ = ["run_here"]


def run_here(arguments: tuple[object, ...]) -> int:
    """Run a command and return its exit code; a log that it opened is closed, as the end of a process does."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        return _run([str(argument) for argument in arguments])
    except SystemExit as error:
        return int(error.code or 0)
    finally:
        for handler in root.handlers:
            if handler not in handlers:
                handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)
