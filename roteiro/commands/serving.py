"""`serve`: the server on this machine, for people, editors and agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["serve"]


def serve(  # noqa: PLR0913 - each is a setting that a person wants at hand
    *,
    root: Root = None,
    port: Annotated[
        int | None, typer.Option(help="The port. Default: 8017.", min=0, max=65_535, show_default=False)
    ] = None,
    addr: Annotated[str | None, typer.Option(help="HOST:PORT, on this machine.", show_default=False)] = None,
    model: Annotated[
        str | None, typer.Option(help="An installed model, or the path of a GGUF file.", show_default=False)
    ] = None,
    upstream: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An OpenAI-compatible server that answers instead.", show_default=False),
    ] = None,
    engine: Annotated[
        Literal["scripted"] | None,
        typer.Option(help="`scripted` says what --script holds, for demos and tests.", show_default=False),
    ] = None,
    script: Annotated[Path | None, typer.Option(help="JSON lines of written replies.", show_default=False)] = None,
    log_prompts: Annotated[bool, typer.Option("--log-prompts", help="Write questions to the log too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Serve the page and the OpenAI APIs on this machine."""
    from roteiro.commands.serving_run import ServeOptions, run_serve
    from roteiro.errors import UsageError

    if (engine == "scripted") != (script is not None):
        raise UsageError("--engine scripted and --script FILE go together. See `roteiro serve --help`.")
    return run_serve(
        ServeOptions(
            root=root,
            port=port,
            addr=addr,
            model=model,
            upstream=upstream,
            script=script,
            log_prompts=log_prompts,
            as_json=as_json,
        )
    )
