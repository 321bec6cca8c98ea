"""`init`: prepare a repository and the agents that work in it; `init --remove` undoes it."""

from __future__ import annotations

from typing import Annotated

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["init"]


def init(
    root: Root = None,
    client: Annotated[
        list[str] | None,
        typer.Option("--client", help="Also set up this agent: codex, claude or vscode.", show_default=False),
    ] = None,
    hook: Annotated[bool, typer.Option("--hook", help="Also git hooks that keep the index up to date.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Undo what init did here, and nothing else.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    as_json: AsJson = False,
) -> int:
    """Set up a repository for agents; shows it first."""
    from roteiro.commands.initialising_run import run_init, run_remove

    if remove:
        return run_remove(root, yes=yes, as_json=as_json)
    return run_init(root, client or [], with_hooks=hook, yes=yes, as_json=as_json)
