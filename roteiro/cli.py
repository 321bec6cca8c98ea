"""The command line: which commands there are. What each does is in `roteiro.commands`.

The rule that must stay true: importing this module, and printing help, loads neither the graph nor the server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from roteiro import __version__
from roteiro.commands import (
    ask,
    cleaning,
    completion,
    configuration,
    diagnosis,
    index,
    initialising,
    model,
    questions,
    serving,
    structure,
)
from roteiro.errors import UsageError

__all__ = ["build", "main"]

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# Typer's own base of everything that is wrong with a command line; it has no public name.
_BadUse: type[Exception] = typer.BadParameter.__mro__[2]

_QUESTIONS: tuple[tuple[str, Callable[..., int]], ...] = (
    ("search", questions.search),
    ("context", questions.context),
    ("source", questions.source),
    ("callers", questions.callers),
    ("callees", questions.callees),
    ("path", questions.path),
    ("impact", structure.impact),
    ("overview", questions.overview),
    ("explain", structure.explain),
    ("outline", structure.outline),
    ("list-kind", structure.list_kind),
    ("debt", structure.debt),
    ("changes", structure.changes),
)


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    Raises:
        UsageError: no such command, option or argument.

    """
    try:
        code: object = build()(arguments or ["--help"], prog_name="roteiro", standalone_mode=False)
    except _BadUse as error:
        raise UsageError(_bad_use_sentence(error, arguments)) from error
    except typer.Abort:
        raise KeyboardInterrupt from None
    return code if isinstance(code, int) else 0


def build() -> typer.Typer:
    """Return the application with every command; also read by the generator of the reference page."""
    app = typer.Typer(
        name="roteiro",
        help="Answers about a repository from a graph of its code.",
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings=_SETTINGS,
    )
    app.callback()(_top)
    app.command("sync")(index.sync)
    app.command("status")(index.status)
    for name, function in _QUESTIONS:
        app.command(name)(function)
    app.command("dump")(index.dump)
    app.command("ask")(ask.ask)
    app.command("serve")(serving.serve)
    app.command("mcp", context_settings={"ignore_unknown_options": True, "help_option_names": []})(_mcp)
    app.add_typer(model.app, name="model")
    app.command("doctor")(diagnosis.doctor)
    app.command("config")(configuration.config)
    app.command("clean")(cleaning.clean)
    app.command("init")(initialising.init)
    app.command("completion")(completion.completion)
    return app


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"roteiro {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    del version  # its callback has printed it


def _mcp(rest: Annotated[list[str] | None, typer.Argument(metavar="[OPTIONS]")] = None) -> int:
    """Serve the graph to an agent over stdio (MCP)."""
    # Reached only for the help page: `roteiro.__main__` takes `mcp` before this module is imported.
    from roteiro.commands.mcp import main as run

    return run(rest or [])


def _bad_use_sentence(error: Exception, arguments: list[str]) -> str:
    # `format_message` exists on every class below _BadUse; Typer gives it no public type.
    said: object = getattr(error, "format_message", lambda: str(error))()
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    page = f"roteiro {command} --help" if command in _names() else "roteiro --help"
    sentence = " ".join(str(said).split()).rstrip(".")
    return f"{sentence}{'' if sentence.endswith(('?', '!')) else '.'} See `{page}`."


def _names() -> set[str]:
    app = build()
    return {str(command.name) for command in app.registered_commands} | {
        str(group.name) for group in app.registered_groups
    }
