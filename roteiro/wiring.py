"""Where everything is put together: settings, the repository, the models, an engine, the Ask loop, the server.

The only module that knows all packages. Imports are inside the functions on purpose: a command loads what it uses.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from roteiro.config import Config, Flag, load_config
from roteiro.folders import cache_folder, models_folder
from roteiro.root import find_root

if TYPE_CHECKING:
    from graph.repository import Repository
    from roteiro.models import InstalledModel, ModelFolder
    from roteiro.workspace import Workspace
    from serve.ask.loop import AskLoop
    from serve.engine.base import Engine
    from serve.http.service import Service

__all__ = [
    "build_ask",
    "build_engines",
    "build_service",
    "has_local_engine",
    "load_settings",
    "model_flags",
    "model_folder",
    "open_repository",
    "open_workspace",
]


def load_settings(root: Path | None, flags: Iterable[Flag] = ()) -> Config:
    """Return the effective settings for a repository (None: those that concern none)."""
    return load_config(root, flags)


def model_flags(model: str | None, upstream: str | None) -> Iterator[Flag]:
    """Yield what `--model` and `--upstream` set: an upstream answers instead, and beside it the model is its own."""
    if upstream is None:
        if model is not None:
            yield Flag("serve.model", model, "--model")
        return
    yield Flag("serve.model", "", "--upstream")
    yield Flag("serve.upstream", [{"base_url": upstream, **({"model": model} if model else {})}], "--upstream")


def model_folder() -> ModelFolder:
    """Return the folder of installed models."""
    from roteiro.models import ModelFolder

    return ModelFolder(models_folder())


def open_repository(root: Path, config: Config) -> Repository:
    """Return the repository, opened and not yet brought up to date."""
    from graph.repository import Repository

    return Repository.open(root, settings=config.index, cache_home=cache_folder())


def open_workspace(root: Path | None) -> Workspace:
    """Return the repository of a command with its settings; `root` is what `--root` said.

    Raises:
        UsageError, ConfigError, RootError, StoreError: it cannot be opened; the text says what to do.

    """
    from roteiro.workspace import Workspace

    folder = find_root(root)
    config = load_settings(folder)
    return Workspace(open_repository(folder, config), config)


def build_engines(config: Config, script: Path | None = None) -> list[Engine]:
    """Return what answers, not started: the script, else every upstream, else the local models.

    A model named by `serve.model` is taken even beside upstreams, and then comes first; the other installed ones follow
    it and are loaded when a request names them. The list is never empty.

    Raises:
        ModelError, UsageError: no model is installed, or the named one is not.
        EngineError: the local engine is not installed.

    """
    if script is not None:
        from serve.engine.scripted import ScriptedEngine

        return [ScriptedEngine(script)]
    engines: list[Engine] = []
    if config.serve.model or not config.serve.upstream:
        engines += _local_engines(config)
    if config.serve.upstream:
        from serve.engine.upstream import UpstreamEngine

        engines += [UpstreamEngine(upstream) for upstream in config.serve.upstream]
    return engines


def _local_engines(config: Config) -> list[Engine]:
    if not has_local_engine():
        from serve.errors import EngineError

        raise EngineError(
            "the local engine is not installed. Install it (`pip install 'roteiro[local]'`, or `make install` in a "
            "clone; it needs a C++ compiler), or name a server that has a model (`--upstream URL`)."
        )
    first = _checked_model(config.serve.model)
    from serve.engine.local import LocalEngine
    from serve.engine.residency import Residency

    others = [model for model in model_folder().installed() if model.state == "ready" and model.id != first.id]
    residency = Residency(config.serve.engine.memory_mb * 1024 * 1024)
    return [
        LocalEngine(
            model.path,
            model.id,
            config.serve.engine,
            tool_prompt_tokens=config.serve.tool_prompt_tokens,
            tool_prompt_tokens_hard=config.serve.tool_prompt_tokens_hard,
            cache_folder=cache_folder() / "snapshots",
            residency=residency,
            is_lazy=model is not first,
        )
        for model in (first, *others)
    ]


def has_local_engine() -> bool:
    """Return whether llama-cpp-python is installed; does not import it."""
    return importlib.util.find_spec("llama_cpp") is not None


def _checked_model(name: str) -> InstalledModel:
    from roteiro.progress import showing

    with showing(is_bytes=True) as show:
        return model_folder().locate(name, show)


def build_ask(engine: Engine, repository: Repository, config: Config) -> AskLoop:
    """Return the Ask loop of an engine over a repository."""
    from serve.ask.loop import AskLoop

    return AskLoop(engine, repository, config.ask)


def build_service(engines: Iterable[Engine], repository: Repository, config: Config) -> Service:
    """Return what the server serves; without engines search and the file view only."""
    from roteiro import __version__
    from serve.http.service import Served, Service

    return Service(
        models=tuple(
            Served(engine, build_ask(engine, repository, config), queue=config.serve.queue) for engine in engines
        ),
        repository=repository,
        settings=config.serve,
        version=__version__,
        root=str(repository.root),
        log_prompts=config.logs.prompts,
    )
