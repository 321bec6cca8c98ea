"""The page of commands, from the parameters of the command line itself.

Not from the text of `--help`: how that is laid out changes with the version of the library that prints it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, cast

import typer.main

from roteiro.cli import build
from roteiro.commands.mcp import option_rows

__all__ = ["commands_page"]

_INTRO = """# Commands

Every command takes `--root` and `--json` (`mcp` speaks its own protocol instead). Exit codes: 0 done, 1 not found or a
check failed, 2 bad use. `roteiro COMMAND --help` prints the same with types and bounds.

With `--json` an error is told twice: as a sentence on stderr, and on stdout as `{"error": {"message", "kind", ...}}`
(`schemas/error.json`), with `nearest` where a key was not found and `cure` where a command mends it.
"""


class _Parameter(Protocol):
    """What is read of an argument or option; the library gives these classes no public name."""

    opts: Sequence[str]
    metavar: str | None
    help: str | None
    required: bool
    param_type_name: str


class _Command(Protocol):
    """What is read of a command or a group."""

    help: str | None
    params: Sequence[_Parameter]


def commands_page() -> str:
    """Return a section for each command: what it does, its arguments and options."""
    return "\n".join([_INTRO, *(_section(words, command) for words, command in _commands())])


def _commands() -> Iterator[tuple[str, _Command]]:
    group = typer.main.get_command(build())
    for name, command in cast("Mapping[str, _Command]", getattr(group, "commands", {})).items():
        inner = cast("Mapping[str, _Command]", getattr(command, "commands", {}))
        if not inner:
            yield name, command
        for further, sub in inner.items():
            yield f"{name} {further}", sub


def _section(words: str, command: _Command) -> str:
    rows = option_rows() if words == "mcp" else [_row(parameter) for parameter in command.params]
    table = "\n".join(
        ["| argument, option | meaning |", "|---|---|", *(f"| {left} | {right} |" for left, right in rows)]
    )
    return f"## roteiro {words}\n\n{(command.help or '').strip()}\n\n{table}\n"


def _row(parameter: _Parameter) -> tuple[str, str]:
    if parameter.param_type_name == "argument":
        name = (parameter.metavar or parameter.opts[0].upper()).replace("|", "\\|")
        return f"`{name}`", (parameter.help or "") + ("" if parameter.required else " May be left out.")
    return ", ".join(f"`{option}`" for option in parameter.opts), parameter.help or ""
