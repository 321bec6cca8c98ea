"""The options that every command shares, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

__all__ = ["AsJson", "Cursor", "Limit", "Root"]

Root: TypeAlias = Annotated[
    Path | None, typer.Option("--root", help="The repository. Default: the one you stand in.", show_default=False)
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Limit: TypeAlias = Annotated[
    int | None, typer.Option("--limit", help="At most this many results.", min=1, show_default=False)
]
Cursor: TypeAlias = Annotated[
    str | None, typer.Option("--cursor", help="Go on where the last answer stopped.", show_default=False)
]
