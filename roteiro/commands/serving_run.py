"""What `serve` does: settings, the index, an engine, the server, and what the person reads meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from roteiro.commands.welcome import Welcome
from roteiro.config import Config, Flag, load_config
from roteiro.config.address import join_address, split_address
from roteiro.errors import ModelError, RoteiroError
from roteiro.logs import start_logging
from roteiro.root import find_root
from roteiro.serving_record import find_server, recorded
from roteiro.terminal import print_json, print_text, program, say
from roteiro.wiring import build_engines, build_service, model_flags, open_repository
from roteiro.workspace import Workspace
from serve.engine.base import Engine
from serve.errors import EngineError
from serve.http.service import Service

__all__ = ["ServeOptions", "run_serve"]


class ServeOptions(Struct, frozen=True, kw_only=True):
    """The options of `roteiro serve`."""

    root: Path | None
    port: int | None
    addr: str | None
    model: str | None
    upstream: str | None
    script: Path | None
    log_prompts: bool
    as_json: bool


def run_serve(options: ServeOptions) -> int:
    """Serve until Ctrl-C; return an exit code.

    Raises:
        RoteiroError: the address is taken, or the model that was named cannot be used.
        BindError, EngineError, GraphError: see the packages; each text says what to do.

    """
    root = find_root(options.root)
    config = load_config(root, _flags(options))
    with Workspace(open_repository(root, config), config) as workspace:
        _refuse_twice(workspace, is_elsewhere_wanted=options.addr is not None or options.port is not None)
        start_logging(config.logs)
        repository = workspace.ready()
        engines = _engines(config, options.script)
        return _serve(build_service(engines, repository, config), engines, workspace, as_json=options.as_json)


def _flags(options: ServeOptions) -> Iterator[Flag]:
    if options.addr is not None:
        yield Flag("serve.addr", options.addr, "--addr")
    if options.port is not None:
        host = split_address(options.addr or load_config(None).serve.addr)[0]
        yield Flag("serve.addr", join_address(host, options.port), "--port")
    yield from model_flags(options.model, options.upstream)
    if options.log_prompts:
        yield Flag("logs.prompts", value=True, flag="--log-prompts")


def _refuse_twice(workspace: Workspace, *, is_elsewhere_wanted: bool) -> None:
    """Say that we already run, before minutes are spent on an index or a model; another port may be asked for."""
    address = workspace.config.serve.addr
    if found := find_server(workspace.repository.root, address):
        told = f"Roteiro already serves {workspace.repository.root} at http://{found}."
        if found == address or not is_elsewhere_wanted:
            raise RoteiroError(f"{told} Open that, end it first, or start another one with --port.")
        say(f"{told} Starting another one.")
    from serve.http.server import bind

    host, port = split_address(address)
    bind(host, port, str(workspace.repository.root)).close()


def _engines(config: Config, script: Path | None) -> list[Engine]:
    """Return what answers; nothing at all when no model is there and none was named."""
    try:
        return build_engines(config, script)
    except (ModelError, EngineError) as error:
        if config.serve.model or config.serve.upstream or script:
            raise
        say(f"no model answers here: {error}")
        say("search, the file view and MCP work without one; Ask says how to get one.")
        return []


def _serve(service: Service, engines: list[Engine], workspace: Workspace, *, as_json: bool) -> int:
    from serve.http.app import build_app
    from serve.http.server import run

    host, port = split_address(workspace.config.serve.addr)
    for engine in engines:
        say(f"starting {engine.describe().model} ({engine.describe().detail})")
    tell = _teller(engines, workspace, as_json=as_json)
    with ExitStack() as until_the_end:

        def ready(url: str) -> None:
            until_the_end.enter_context(recorded(url.removeprefix("http://"), workspace.repository.root))
            tell(url)

        return run(build_app(service), host, port, ready)


def _teller(engines: list[Engine], workspace: Workspace, *, as_json: bool) -> Callable[[str], None]:
    def tell(url: str) -> None:
        infos = [engine.describe() for engine in engines]
        welcome = Welcome(
            root=str(workspace.repository.root),
            url=url,
            program=program(),
            models=tuple(info.model for info in infos),
            remote=tuple(info.detail for info in infos if info.is_remote),
        )
        if as_json:
            print_json(welcome)
        else:
            print_text(welcome.text())
        sys.stdout.flush()

    return tell
