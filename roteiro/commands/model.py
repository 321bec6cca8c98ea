"""`model list | pull | add | remove | verify`: the models on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["app"]

app = typer.Typer(
    help="Fetch, list and check models.",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Answer every question with yes.")]
_Id: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="An id that `roteiro model list` shows.")]


@app.command("list")
def list_models(as_json: AsJson = False, root: Root = None) -> int:
    """Show the models that are known, and which are installed."""
    del root  # models belong to the user, not to a repository
    from roteiro.commands.model_report import print_list
    from roteiro.wiring import model_folder

    return print_list(model_folder(), as_json=as_json)


@app.command("pull")
def pull_model(
    model_id: Annotated[str, typer.Argument(metavar="[ID]", help="Default: the default model.")] = "",
    yes: _Yes = False,
    source: Annotated[
        Literal["publisher", "index"] | None,
        typer.Option(help="Fetch from this source only.", show_default=False),
    ] = None,
    optional: Annotated[
        bool, typer.Option("--optional", help="A no, or no terminal to ask on, is not an error.")
    ] = False,
    as_json: AsJson = False,
    root: Root = None,
) -> int:
    """Fetch a model; an interrupted pull goes on where it stopped."""
    del root  # models belong to the user, not to a repository
    from roteiro.commands.model_pull import run_pull

    return run_pull(model_id, source, yes=yes, is_optional=optional, as_json=as_json)


@app.command("add")
def add_model(
    file: Annotated[Path, typer.Argument(help="A GGUF file; it stays where it is.")],
    name: Annotated[str | None, typer.Option(help="The id to use. Default: from the file.", show_default=False)] = None,
    as_json: AsJson = False,
    root: Root = None,
) -> int:
    """Use a GGUF file that is already on this machine."""
    del root  # models belong to the user, not to a repository
    from roteiro.commands.model_report import print_model
    from roteiro.progress import showing
    from roteiro.wiring import model_folder

    with showing(is_bytes=True) as show:
        added = model_folder().add(file, name, show)
    return print_model("added", added, as_json=as_json)


@app.command("remove")
def remove_model(model_id: _Id, as_json: AsJson = False, root: Root = None) -> int:
    """Forget a model, and delete its file if Roteiro fetched it."""
    del root  # models belong to the user, not to a repository
    from roteiro.commands.model_report import print_removed
    from roteiro.wiring import model_folder

    return print_removed(model_id, model_folder().remove(model_id), as_json=as_json)


@app.command("verify")
def verify_model(
    model_id: Annotated[str, typer.Argument(metavar="[ID]", help="Default: every installed model.")] = "",
    as_json: AsJson = False,
    root: Root = None,
) -> int:
    """Read the whole file of a model and compare its digest."""
    del root  # models belong to the user, not to a repository
    from roteiro.commands.model_report import print_models
    from roteiro.progress import showing
    from roteiro.wiring import model_folder

    folder = model_folder()
    ids = [model_id] if model_id else [model.id for model in folder.installed()]
    with showing(is_bytes=True) as show:
        models = [folder.verify(each, show) for each in ids]
    return print_models(models, as_json=as_json)
