"""`clean`: give back the room that Roteiro takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["clean"]


def clean(
    root: Root = None,
    models: Annotated[bool, typer.Option("--models", help="Also every model that was fetched.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    as_json: AsJson = False,
) -> int:
    """Delete the index, caches, logs, interrupted pulls."""
    from roteiro.errors import ConsentError
    from roteiro.terminal import confirm, print_json, print_text, say

    places = [place for place in _places(root, with_models=models) if place.exists()]
    for place in places:
        say(f"  {place}  {_bytes(place) / 1e6:,.1f} MB")
    if not places:
        say("nothing to delete")
    elif not yes:
        answer = confirm("Delete these?")
        if answer is None:
            raise ConsentError("deleting needs a yes, and there is no terminal to ask on. Pass --yes.")
        if not answer:
            return 1
    freed = sum(_delete(place) for place in places)
    if as_json:
        print_json({"deleted": [str(place) for place in places], "bytes": freed})
    elif places:
        print_text(f"{freed / 1e6:,.1f} MB given back; `roteiro sync` builds the index again")
    return 0


def _places(root: Path | None, *, with_models: bool) -> list[Path]:
    """Return what may be deleted: all of it can be made or fetched again."""
    from roteiro.folders import cache_folder, log_file, models_folder
    from roteiro.models import ModelFolder
    from roteiro.wiring import open_workspace

    with open_workspace(root) as workspace:
        kept = workspace.repository.places
    # `identity` stays: it is how the stores of other repositories are known to be ours.
    caches = [place for place in _children(cache_folder()) if place.name != "identity"]
    models = [models_folder()] if with_models else list(ModelFolder(models_folder()).leftovers())
    logs = [place for place in _children(log_file().parent) if place.name.startswith(log_file().name)]
    own = [kept.store_folder, kept.cache_folder]
    return list(dict.fromkeys([*own, *caches, *logs, *models]))


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _bytes(place: Path) -> int:
    if place.is_file():
        return place.stat().st_size
    return sum(found.stat().st_size for found in place.rglob("*") if found.is_file() and not found.is_symlink())


def _delete(place: Path) -> int:
    import shutil

    if not place.exists():
        return 0  # it lay inside one that is gone already
    size = _bytes(place)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()
    return size
