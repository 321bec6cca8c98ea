"""`config`: every effective setting, and where it came from."""

from __future__ import annotations

from typing import Annotated

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["config"]

_PROBLEM = 1


def config(
    root: Root = None,
    as_json: AsJson = False,
    changed: Annotated[bool, typer.Option("--changed", help="Only what differs from the default.")] = False,
    set_to: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Write it into your own file first.", show_default=False),
    ] = None,
    unset: Annotated[
        list[str] | None,
        typer.Option("--unset", metavar="KEY", help="Make it a comment in your own file first.", show_default=False),
    ] = None,
) -> int:
    """Show every setting, and where it came from."""
    from roteiro.config.sources import REPOSITORY_FILE
    from roteiro.config.user_file import change
    from roteiro.errors import ConfigError
    from roteiro.root import find_root
    from roteiro.terminal import bold, dim, print_json, print_text, say
    from roteiro.wiring import load_settings

    if set_to or unset:
        change(set_to or [], unset or [])
    folder, problem = find_root(root), ""
    try:
        settings = load_settings(folder)
    except ConfigError as error:
        # What the repository wrote must not hide the person's own settings; their own mistakes still end here.
        if error.origin != str(folder / REPOSITORY_FILE):
            raise
        settings, problem = load_settings(None), str(error)
        say(f"roteiro: {problem} Shown is what holds without that file.")
    values = [value for value in settings.values if not changed or value.origin != "default"]
    if as_json:
        rows = [{"key": value.key, "value": value.value, "origin": value.origin} for value in values]
        print_json({"settings": rows, "user_file": str(settings.user_file), "problem": problem})
        return _PROBLEM if problem else 0
    width = max((len(value.key) for value in values), default=0)
    for value in values:
        origin = dim(value.origin) if value.origin == "default" else bold(value.origin)
        print_text(f"{value.key:<{width}}  {_shown(value.value):<24}  {origin}")
    exists = "" if settings.user_file.exists() else " (does not exist yet)"
    print_text(dim(f"your file: {settings.user_file}{exists}"))
    return _PROBLEM if problem else 0


def _shown(value: object) -> str:
    """Return a value as TOML would write it, near enough to be copied for the simple ones."""
    import msgspec

    return msgspec.json.encode(value).decode()
