"""`ask`: by the server that already runs for this repository, else by an engine of our own."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from roteiro.answers import AnswerWriter
from roteiro.config import Flag, load_config
from roteiro.errors import UsageError
from roteiro.root import find_root
from roteiro.running import find_running, posted
from roteiro.serving_record import find_server
from roteiro.terminal import say
from roteiro.wiring import build_ask, build_engines, model_flags, open_repository
from roteiro.workspace import Workspace
from serve.engine.base import Engine
from serve.turns import GenerationRequest, Message, Mode, Role
from serve.wire.ask import decode_stream, encode_question

__all__ = ["AskOptions", "run_ask"]

_ASK_PATH = "/api/ask"


class AskOptions(Struct, frozen=True, kw_only=True):
    """The options of `roteiro ask`."""

    question: str
    root: Path | None
    model: str | None
    upstream: str | None
    script: Path | None
    no_prime: bool
    as_json: bool

    @property
    def wants_own_engine(self) -> bool:
        """Something was named that a running server was not started with."""
        return bool(self.model or self.upstream or self.script or self.no_prime)


def run_ask(options: AskOptions) -> int:
    """Answer one question on stdout; return 0, or 1 for a refusal and for a failure that was told.

    Raises:
        UsageError: the question is empty.
        RoteiroError, GraphError, ServeError: it cannot be answered; the text says what to do.

    """
    if not options.question.strip():
        raise UsageError("the question is empty. Write it after `roteiro ask`.")
    root = find_root(options.root)
    config = load_config(root, _flags(options))
    writer = AnswerWriter(as_json=options.as_json)
    with Workspace(open_repository(root, config), config) as workspace:
        top = workspace.repository.root
        if not options.wants_own_engine and (address := find_server(top, config.serve.addr)):
            server = find_running(address, top)
            say(f"asking the server at http://{address} ({(server and server.model) or 'no model'})")
            return _by_server(options.question, address, writer)
        return _by_own_engine(options, workspace, writer)


def _flags(options: AskOptions) -> Iterator[Flag]:
    yield from model_flags(options.model, options.upstream)
    if options.no_prime:
        yield Flag("ask.prime", value=False, flag="--no-prime")


def _by_server(question: str, address: str, writer: AnswerWriter) -> int:
    with posted(address, _ASK_PATH, encode_question(question)) as lines:
        for event in decode_stream(lines):
            writer.take(event)
    return writer.finish()


def _by_own_engine(options: AskOptions, workspace: Workspace, writer: AnswerWriter) -> int:
    # The engine first: without a model there is no point in indexing for minutes.
    engine = build_engines(workspace.config, options.script)[0]
    workspace.ready()
    info = engine.describe()
    say(f"starting {info.model} ({info.detail})")
    if info.is_remote:
        say(f"source leaves this machine: {info.detail}")
    asyncio.run(_answer(options.question, engine, workspace, writer))
    return writer.finish()


async def _answer(question: str, engine: Engine, workspace: Workspace, writer: AnswerWriter) -> None:
    started = time.monotonic()
    try:
        await engine.start()
        say(f"ready after {time.monotonic() - started:.1f} s")
        loop = build_ask(engine, workspace.repository, workspace.config)
        async for event in loop.run(_request(question, engine.describe().model)):
            writer.take(event)
    finally:
        await engine.close()


def _request(question: str, model: str) -> GenerationRequest:
    return GenerationRequest(
        id=f"ask_{uuid.uuid4().hex[:12]}",
        model=model,
        mode=Mode.ASK,
        messages=(Message(role=Role.USER, content=question),),
    )
