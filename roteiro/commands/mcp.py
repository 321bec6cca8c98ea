"""`roteiro mcp`: the graph for an agent, over stdio.

Parsed with argparse and apart from all other commands: an agent starts this process at the beginning of a session, and
drops the tools when they are not listed within a moment.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from roteiro import __version__
from roteiro.errors import UsageError

if TYPE_CHECKING:
    from graph.repository import Repository
    from roteiro.config import Config

__all__ = ["main", "option_rows"]

_OPTIONS = {
    "--root": "the repository; default: the one you stand in",
    "--tools": "the tools to offer, separated by commas, or `all`",
}


def main(arguments: list[str]) -> int:
    """Serve until the client goes away; return an exit code.

    Raises:
        UsageError, ConfigError: bad use; nothing was written to stdout.

    """
    options = _parser().parse_args(arguments)
    from mcp_server.errors import ToolChoiceError
    from mcp_server.stdio import run
    from roteiro.config import Flag
    from roteiro.root import find_root
    from roteiro.wiring import load_settings

    root = find_root(options.root)
    flags = [Flag("mcp.tools", [part.strip() for part in options.tools.split(",")], "--tools")] if options.tools else []
    config = load_settings(root, flags)
    try:
        return run(_opener(root, config), config.mcp, __version__)
    except ToolChoiceError as error:
        raise UsageError(str(error)) from error


def option_rows() -> list[tuple[str, str]]:
    """Return each option with its meaning, for the reference page."""
    return [(f"`{name}`", f"{text[:1].upper()}{text[1:]}.") for name, text in _OPTIONS.items()]


def _opener(root: Path, config: Config) -> Callable[[], Repository]:
    def open_it() -> Repository:
        from roteiro.wiring import open_repository

        return open_repository(root, config)

    return open_it


class _Parser(argparse.ArgumentParser):
    """Tells a mistake in the way of the other commands, and help on stderr: stdout belongs to the protocol."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. See `roteiro mcp --help`.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="roteiro mcp",
        description="Serve the graph of a repository to an agent over stdio (the Model Context Protocol).",
        epilog="An agent's configuration names the command `roteiro` with the arguments `mcp --root FOLDER`.",
        allow_abbrev=False,
    )
    parser.add_argument("--root", type=Path, default=None, help=_OPTIONS["--root"])
    parser.add_argument("--tools", default="", help=_OPTIONS["--tools"])
    return parser
