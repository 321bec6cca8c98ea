"""How models are shown."""

from __future__ import annotations

from pathlib import Path

from roteiro.models import DEFAULT_MODEL, InstalledModel, KnownModel, ModelFolder
from roteiro.terminal import bold, dim, green, print_json, print_text, red

__all__ = ["print_list", "print_model", "print_models", "print_removed"]


def print_list(folder: ModelFolder, *, as_json: bool) -> int:
    """Print the table of known models and every other installed one; return 0."""
    installed = {model.id: model for model in folder.installed()}
    rows = [
        _known_row(known.id, known.bytes, known.licence, known.summary, installed) | _facts(known)
        for known in folder.registry
    ]
    known_ids = {known.id for known in folder.registry}
    rows += [
        _known_row(model.id, model.bytes, "", str(model.path), installed)
        for model in installed.values()
        if model.id not in known_ids
    ]
    if as_json:
        print_json({"models": rows, "folder": str(folder.folder)})
        return 0
    for row in rows:
        print_text(_line(row))
    print_text(dim(f"in {folder.folder}"))
    return 0


def _known_row(
    model_id: str, size: int, licence: str, summary: str, installed: dict[str, InstalledModel]
) -> dict[str, object]:
    found = installed.get(model_id)
    return {
        "id": model_id,
        "state": found.state if found else "not installed",
        "bytes": size,
        "licence": licence,
        "summary": summary,
        "is_default": model_id == DEFAULT_MODEL,
        "path": str(found.path) if found else "",
        "problem": found.problem if found else "",
    }


def _facts(known: KnownModel) -> dict[str, object]:
    """Return what only a model of the table has."""
    return {
        "file": known.file,
        "sha256": known.sha256,
        "family": known.family,
        "context_tokens": known.context_tokens,
        "sources": [name for name, source in (("publisher", known.publisher), ("index", known.index)) if source],
    }


def _line(row: dict[str, object]) -> str:
    state = str(row["state"])
    paint = {"ready": green, "not installed": dim}.get(state, red)
    size = f"{int(str(row['bytes'])) / 1e6:,.0f} MB"
    name = bold(f"{row['id']!s:<20}")
    return f"{name} {paint(f'{state:<13}')} {size:>9}  {row['licence']!s:<10}  {row['summary']}"


def print_models(models: list[InstalledModel], *, as_json: bool) -> int:
    """Print checked models; return 1 when one is not ready."""
    if as_json:
        print_json({"models": [_as_dict(model) for model in models]})
    else:
        for model in models:
            print_text(f"{model.id}: {green('ready') if model.state == 'ready' else red(model.problem)}")
        if not models:
            print_text("no model is installed")
    return 0 if all(model.state == "ready" for model in models) else 1


def print_model(verb: str, model: InstalledModel, *, as_json: bool) -> int:
    """Print one model after something was done with it; return 0."""
    if as_json:
        print_json(_as_dict(model))
    else:
        print_text(f"{verb} {bold(model.id)} ({model.bytes / 1e6:,.0f} MB, {model.path})")
    return 0


def print_removed(model_id: str, deleted: Path | None, *, as_json: bool) -> int:
    """Print what became of a removed model; return 0."""
    if as_json:
        print_json({"id": model_id, "deleted": str(deleted) if deleted else ""})
    elif deleted:
        print_text(f"removed {model_id} and deleted {deleted}")
    else:
        print_text(f"forgot {model_id}; its file was not fetched by Roteiro and stays")
    return 0


def _as_dict(model: InstalledModel) -> dict[str, object]:
    return {
        "id": model.id,
        "path": str(model.path),
        "bytes": model.bytes,
        "sha256": model.sha256,
        "state": model.state,
        "problem": model.problem,
    }
