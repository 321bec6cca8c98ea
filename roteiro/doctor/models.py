"""Whether a model is there, whole, and the one that the settings name."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from roteiro.config import Config
from roteiro.doctor.finding import Finding, command, without_setting
from roteiro.errors import ModelError, UsageError
from roteiro.folders import models_folder
from roteiro.models import DEFAULT_MODEL, InstalledModel, ModelFolder

__all__ = ["look_at_models"]


def look_at_models(_root: Path, config: Config) -> Iterator[Finding]:
    """Yield one finding for each installed model, and what is missing or left over."""
    folder = ModelFolder(models_folder())
    try:
        installed = folder.installed()
    except ModelError as error:
        yield _problem(str(error), f"rm {shlex.quote(str(folder.records_file))}")
        return
    yield from (_installed(model, folder) for model in installed)
    yield from _named(folder, config)
    if not installed and not config.serve.upstream and not config.serve.model:
        message = "no model is installed, so Ask cannot answer; the graph, search and MCP can"
        yield Finding(check="model", level="warning", message=message, cure=command("model", "pull", DEFAULT_MODEL))
    for leftover in folder.leftovers():
        message = f"an interrupted pull left {leftover}"
        yield Finding(check="model", level="warning", message=message, cure=_end_pull(leftover, folder, installed))


def _installed(model: InstalledModel, folder: ModelFolder) -> Finding:
    if model.state == "ready" and (problem := folder.incompleteness_of(model.sha256, model.path)):
        return _problem(problem, command("model", "remove", model.id))
    if model.state == "ready":
        return Finding(check="model", level="ok", message=f"{model.id} ({model.path})")
    if any(known.id == model.id for known in folder.registry):
        return _problem(model.problem, command("model", "pull", "--yes", model.id))
    return _problem(model.problem, command("model", "remove", model.id))


def _named(folder: ModelFolder, config: Config) -> Iterator[Finding]:
    """Yield a problem when `serve.model` names what is not here; one that is damaged was told already."""
    name = config.serve.model
    if not name or any(model.id == name for model in folder.installed()):
        return
    try:
        folder.locate(name)
    except (ModelError, UsageError) as error:
        is_known = any(known.id == name for known in folder.registry)
        cure = command("model", "pull", name) if is_known else without_setting(config, "serve.model")
        yield _problem(f"serve.model = {name!r} ({config.origin_of('serve.model')}): {error}", cure)


def _end_pull(leftover: Path, folder: ModelFolder, installed: list[InstalledModel]) -> str:
    """Return the command that finishes a pull, or throws its rest away where nothing is left to finish."""
    name = leftover.name.partition(".gguf")[0].removesuffix(".parts")
    is_ready = any(model.id == name and model.state == "ready" for model in installed)
    if is_ready or not any(known.id == name for known in folder.registry):
        return f"rm -r {shlex.quote(str(leftover))}"
    return command("model", "pull", name)


def _problem(message: str, cure: str) -> Finding:
    return Finding(check="model", level="problem", message=message, cure=cure)
