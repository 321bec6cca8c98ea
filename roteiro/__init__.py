"""Roteiro: a local-first code assistant that answers from a graph of the repository.

The first thing this package does is guard its siblings. `graph`, `serve` and `mcp_server` are ordinary words, and the
analysed repository (hostile data) may hold folders or files of these names, or a `json.py`. So before anything else
is imported: folders that Python put on `sys.path` only because we happen to stand there are taken off, child
processes are told to do the same, and each sibling is checked to come from the folder that we come from.
"""

import os
import sys

__all__ = ["__version__"]
__version__ = "0.1.0"

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib is not imported yet
_SIBLINGS = ("graph", "mcp_server", "serve")


def _leave_the_working_folder() -> None:
    """Take the working folder off `sys.path` (unless we are installed there) and keep it off in child processes."""
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109 - as above
    except FileNotFoundError:
        here = ""  # the folder was deleted under us; then nothing can be imported from it either
    if here != os.path.realpath(_HOME):
        sys.path[:] = [p for p in sys.path if p and os.path.realpath(p) != here]


def _check_siblings() -> None:
    """Raise ImportError when a sibling package would be imported from somebody else's folder."""
    import importlib.util

    for name in _SIBLINGS:
        spec = importlib.util.find_spec(name)
        found = os.path.dirname(os.path.dirname(spec.origin)) if spec and spec.origin else None  # noqa: PTH120 - as above
        if found is None or os.path.realpath(found) != os.path.realpath(_HOME):
            place = spec.origin if spec and spec.origin else "nowhere"
            raise ImportError(
                f"roteiro is installed in {_HOME}, but its part {name!r} would be imported from {place}. "
                f"Another package or folder of that name comes first on sys.path. Cure: install Roteiro as a tool "
                f"of its own (`uv tool install roteiro` or `pipx install roteiro`) and unset PYTHONPATH."
            )


_leave_the_working_folder()
_check_siblings()
