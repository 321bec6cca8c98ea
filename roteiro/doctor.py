"""What could keep Roteiro from working here, each finding with its cure.

A check looks and changes nothing. A cure that is a command can be run as it is printed, and then the finding is gone.
"""

from __future__ import annotations

import importlib.metadata
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from graph.errors import GraphError, StoreCorruptError
from graph.repository import Repository
from roteiro.config import Config, load_config
from roteiro.config.address import split_address
from roteiro.errors import ConfigError, ModelError
from roteiro.folders import cache_folder, models_folder
from roteiro.models import DEFAULT_MODEL, ModelFolder
from roteiro.running import find_running
from roteiro.wiring import has_local_engine

__all__ = ["Finding", "Level", "examine"]

Level = Literal["ok", "warning", "problem"]

_LOW_DISK_BYTES = 500_000_000
_MOST_SHOWN = 3


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    check: str
    level: Level
    message: str
    cure: str = ""
    """A command where one is enough, else a sentence; empty when all is well."""


def examine(root: Path) -> list[Finding]:
    """Return every finding, in the order in which a person would mend them."""
    findings = [_python(), _git()]
    try:
        config = load_config(root)
    except ConfigError as error:
        return [*findings, Finding(check="settings", level="problem", message=str(error), cure="Mend that place.")]
    findings.append(Finding(check="settings", level="ok", message=f"read, yours are in {config.user_file}"))
    checks: tuple[Callable[[Path, Config], Iterator[Finding]], ...] = (
        _index,
        _engine,
        _models,
        _upstreams,
        _address,
        _disk,
    )
    return findings + [finding for check in checks for finding in check(root, config)]


def _python() -> Finding:
    version = sys.version.split()[0]
    return Finding(check="python", level="ok", message=f"Python {version} at {sys.executable}")


def _git() -> Finding:
    path = shutil.which("git")
    if path is None:
        return Finding(
            check="git",
            level="warning",
            message="git is not on PATH: folders are listed without its ignore rules and commits",
            cure="apt-get install git",
        )
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return Finding(check="git", level="ok", message=done.stdout.strip() or path)


def _index(root: Path, config: Config) -> Iterator[Finding]:
    try:
        with Repository.open(root, settings=config.index, cache_home=cache_folder()) as repository:
            yield from _look_at_index(repository)
    except StoreCorruptError as error:
        cure = f"roteiro sync --rebuild --root {root}"
        yield Finding(check="index", level="problem", message=str(error), cure=cure)
    except GraphError as error:
        yield Finding(check="index", level="problem", message=str(error), cure="Do what the message says.")


def _look_at_index(repository: Repository) -> Iterator[Finding]:
    sync = f"roteiro sync --root {repository.root}"
    if repository.places.elsewhere:
        yield Finding(
            check="store",
            level="ok",
            message=f"kept in {repository.places.store_folder}, because {repository.places.elsewhere}",
        )
    freshness = repository.freshness()
    if not freshness.is_indexed:
        yield Finding(check="index", level="warning", message=f"{repository.root} is not indexed yet", cure=sync)
        return
    if wrong := repository.store.verify():
        shown = "; ".join(wrong[:_MOST_SHOWN])
        yield Finding(
            check="index", level="problem", message=f"the store contradicts itself: {shown}", cure=f"{sync} --rebuild"
        )
    elif freshness.changed_files:
        message = f"{freshness.changed_files:,} files are newer than the index"
        yield Finding(check="index", level="warning", message=message, cure=sync)
    else:
        yield Finding(check="index", level="ok", message=f"up to date ({repository.places.database})")


def _engine(_root: Path, config: Config) -> Iterator[Finding]:
    if has_local_engine():
        version = importlib.metadata.version("llama-cpp-python")
        yield Finding(check="engine", level="ok", message=f"llama-cpp-python {version}")
        return
    level: Level = "ok" if config.serve.upstream else "warning"
    needs = "" if _compiler() else ", and building it needs a C++ compiler (apt-get install g++), which is missing too"
    yield Finding(
        check="engine",
        level=level,
        message=f"the local engine is not installed{needs}; an upstream can answer instead",
        cure="" if level == "ok" else f"{sys.executable} -m pip install {_engine_requirement()}",
    )


def _engine_requirement() -> str:
    """Return the pinned requirement of the extra `local`, as the metadata of this installation has it."""
    for requirement in importlib.metadata.requires("roteiro") or []:
        if requirement.startswith("llama-cpp-python"):
            return requirement.partition(";")[0].strip()
    return "llama-cpp-python"


def _compiler() -> str | None:
    return next((path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), None)


def _models(_root: Path, config: Config) -> Iterator[Finding]:
    folder = ModelFolder(models_folder())
    try:
        installed = folder.installed()
    except ModelError as error:
        yield Finding(check="model", level="problem", message=str(error), cure="Delete that file.")
        return
    for model in installed:
        if model.state == "ready":
            yield Finding(check="model", level="ok", message=f"{model.id} ({model.path})")
        else:
            is_known = any(known.id == model.id for known in folder.registry)
            cure = f"roteiro model pull --yes {model.id}" if is_known else f"roteiro model remove {model.id}"
            yield Finding(check="model", level="problem", message=model.problem, cure=cure)
    if not installed and not config.serve.upstream:
        yield Finding(
            check="model",
            level="warning",
            message="no model is installed, so Ask cannot answer; the graph, search and MCP can",
            cure=f"roteiro model pull {DEFAULT_MODEL}",
        )
    for leftover in folder.leftovers():
        name = leftover.name.partition(".gguf")[0].removesuffix(".parts")
        yield Finding(
            check="model",
            level="warning",
            message=f"an interrupted pull left {leftover}",
            cure=f"roteiro model pull {name}",
        )


def _upstreams(_root: Path, config: Config) -> Iterator[Finding]:
    import httpx

    for upstream in config.serve.upstream:
        try:
            httpx.get(f"{upstream.base_url.rstrip('/')}/models", timeout=3.0)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            yield Finding(
                check="upstream",
                level="problem",
                message=f"{upstream.base_url} does not answer ({error or type(error).__name__})",
                cure="Start that server, or change serve.upstream in your settings.",
            )
        else:
            message = f"{upstream.base_url} answers; source leaves the machine with it"
            yield Finding(check="upstream", level="ok", message=message)


def _address(root: Path, config: Config) -> Iterator[Finding]:
    address = config.serve.addr
    host, port = split_address(address)
    if find_running(address, root):
        yield Finding(check="address", level="ok", message=f"Roteiro serves this repository at http://{address}")
        return
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        yield Finding(
            check="address",
            level="problem",
            message=f"{address} cannot be served on ({error.strerror})",
            cure="Set another one: roteiro serve --port 8018, or serve.addr in your settings.",
        )
    else:
        yield Finding(check="address", level="ok", message=f"{address} is free")


def _disk(root: Path, _config: Config) -> Iterator[Finding]:
    for what, folder in (("the repository", root), ("models", models_folder())):
        existing = next(place for place in (folder, *folder.parents) if place.exists())
        free = shutil.disk_usage(existing).free
        is_low = free < _LOW_DISK_BYTES
        yield Finding(
            check="disk",
            level="warning" if is_low else "ok",
            message=f"{free / 1e9:,.1f} GB free for {what} ({existing})",
            cure="Make room: `roteiro clean` shows what Roteiro itself can give back." if is_low else "",
        )
