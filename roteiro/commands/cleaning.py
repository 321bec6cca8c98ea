"""`clean`: give back the room that Roteiro takes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["clean"]


def clean(
    root: Root = None,
    models: Annotated[bool, typer.Option("--models", help="Also every model that was fetched.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also the indexes of other repositories in the cache folder.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    as_json: AsJson = False,
) -> int:
    """Delete the index, caches, logs, interrupted pulls."""
    from roteiro.errors import ConsentError
    from roteiro.terminal import confirm, print_json, print_text, say

    places = _outermost(place for place in _places(root, with_models=models, everything=everything) if place.exists())
    for place in places:
        say(f"  {place}  {_bytes(place) / 1e6:,.1f} MB")
    if warning := _still_served(root):
        say(warning)
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


def _places(root: Path | None, *, with_models: bool, everything: bool) -> list[Path]:
    """Return what may be deleted, all of which can be made or fetched again: of the indexes only this root's own."""
    from roteiro.folders import cache_folder, log_file, models_folder
    from roteiro.models import ModelFolder
    from roteiro.wiring import open_workspace

    with open_workspace(root) as workspace:
        kept = workspace.repository.places
    # `identity` stays: it is how the stores of other repositories are known to be ours.
    caches = [place for place in _children(cache_folder()) if place.name not in {"identity", "stores"}]
    # Each by itself, so that the listing names the repositories.
    others = _children(cache_folder() / "stores") if everything else []
    models = [models_folder()] if with_models else list(ModelFolder(models_folder()).leftovers())
    logs = [place for place in _children(log_file().parent) if place.name.startswith(log_file().name)]
    own = [kept.store_folder, kept.cache_folder]
    return list(dict.fromkeys([*own, *others, *caches, *logs, *models]))


def _outermost(places: Iterable[Path]) -> list[Path]:
    """Return the places that lie in no other one, so that nothing is counted or deleted twice."""
    found = list(places)
    return [place for place in found if not any(other in place.parents for other in found)]


def _still_served(root: Path | None) -> str:
    """Return a warning when a server of this repository runs: it will build its index again when it is asked."""
    from roteiro.serving_record import find_server
    from roteiro.wiring import open_workspace

    with open_workspace(root) as workspace:
        top, settings = workspace.repository.root, workspace.config.serve
    address = find_server(top, settings.addr)
    return f"a server of {top} runs at http://{address}; it builds its index again when asked" if address else ""


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _bytes(place: Path) -> int:
    if place.is_file():
        return place.stat().st_size
    return sum(found.stat().st_size for found in place.rglob("*") if found.is_file() and not found.is_symlink())


def _delete(place: Path) -> int:
    import shutil

    size = _bytes(place)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()
    return size
