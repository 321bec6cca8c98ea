"""`ask`: a question in words, answered from the graph with citations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["ask"]


def ask(
    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="In one or more words.")],
    root: Root = None,
    model: Annotated[
        str | None, typer.Option(help="An installed model, or the path of a GGUF file.", show_default=False)
    ] = None,
    upstream: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An OpenAI-compatible server that answers instead.", show_default=False),
    ] = None,
    script: Annotated[
        Path | None, typer.Option(help="JSON lines of written replies, for demos and tests.", show_default=False)
    ] = None,
    no_prime: Annotated[
        bool, typer.Option("--no-prime", help="Give the model no evidence before its first word.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Answer a question, with the places it rests on."""
    from roteiro.asking import AskOptions, run_ask

    return run_ask(
        AskOptions(
            question=" ".join(question),
            root=root,
            model=model,
            upstream=upstream,
            script=script,
            no_prime=no_prime,
            as_json=as_json,
        )
    )
