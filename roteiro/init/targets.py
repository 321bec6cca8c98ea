"""Which files `roteiro init` adds to, for what was asked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import platformdirs
from msgspec import Struct

from roteiro.init.edits import How, Place
from roteiro.init.texts import (
    AGENTS_BLOCK,
    HOOK_FILE,
    HOOK_LINES,
    IGNORE_FILE,
    codex_home,
    codex_server,
    json_entry,
    json_file,
)

__all__ = ["CLIENTS", "ServedModel", "Wish", "wishes"]

_ARGUMENTS = ("mcp",)
"""Without a root: agents start the server in the folder they work in, and one entry serves every repository."""
CLIENTS = ("codex", "claude", "vscode")
_HOOKS = ("post-commit", "post-checkout", "post-merge")
"""What moves the work tree or the commit; a rebase ends in `post-checkout`."""


class Wish(Struct, frozen=True, kw_only=True):
    """A text that is to be in a file: as a whole where there is no file, else added to it."""

    place: Place
    why: str
    whole: str
    """What a new file holds."""
    part: str
    """What is added to one that is there."""
    how: How
    mark: str
    """When the file holds this, ours is there already."""
    is_executable: bool = False


class ServedModel(Struct, frozen=True):
    """What a client needs to know of `roteiro serve`."""

    base_url: str
    model: str
    window: int


def wishes(root: Path, *, hooks: Path | None, clients: Sequence[str], command: str, served: ServedModel) -> list[Wish]:
    """Return what is to be where; `hooks` is git's own folder when hooks were asked for."""
    found = [
        Wish(
            place=Place(str(root), ".roteiroignore"),
            why="files to leave out of the index",
            whole=IGNORE_FILE,
            part="",
            how="create",
            mark="",
        ),
        Wish(
            place=Place(str(root), "AGENTS.md"),
            why="tells agents how to ask the graph",
            whole=AGENTS_BLOCK,
            part=AGENTS_BLOCK,
            how="append",
            mark="<!-- roteiro:begin -->",
        ),
    ]
    if hooks is not None:
        found += [_hook(hooks, name) for name in _HOOKS]
    if "claude" in clients:
        found.append(_json_client(Place(str(root), ".mcp.json"), "mcpServers", command))
    if "vscode" in clients:
        found.append(_json_client(Place(str(root), ".vscode/mcp.json"), "servers", command))
    if "codex" in clients:
        found += _codex(command, served)
    return found


def _hook(folder: Path, name: str) -> Wish:
    return Wish(
        place=Place(str(folder), f"hooks/{name}"),
        why="keeps the index up to date",
        whole=HOOK_FILE,
        part=HOOK_LINES,
        how="shebang",
        mark="# roteiro:begin",
        is_executable=True,
    )


def _json_client(place: Place, key: How, command: str) -> Wish:
    entry = json_entry(command, _ARGUMENTS, with_type=key == "servers")
    return Wish(
        place=place,
        why="offers the tools of the graph to the agent",
        whole=json_file(key, entry),
        part=entry,
        how=key,
        mark='"roteiro":',
    )


def _codex(command: str, served: ServedModel) -> list[Wish]:
    home = Path(os.environ.get("CODEX_HOME") or "~/.codex").expanduser()
    server = codex_server(command, _ARGUMENTS)
    small = codex_home(command, _ARGUMENTS, served.base_url, served.model, served.window)
    return [
        Wish(
            place=Place(str(home), "config.toml"),
            why="offers the tools of the graph to Codex",
            whole=server,
            part=server,
            how="toml",
            mark="[mcp_servers.roteiro]",
        ),
        Wish(
            place=Place(str(platformdirs.user_data_path("roteiro")), "codex/config.toml"),
            why="a Codex home that talks to `roteiro serve`",
            whole=small,
            part="",
            how="create",
            mark="",
        ),
    ]
