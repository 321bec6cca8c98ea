"""An engine that says what a script says: for demos, for tests of the wires and of real clients.

It keeps every promise of the `Engine` protocol that needs no model (order of events, stop strings, one call when
parallel calls are off), so what is built against it works with a model. Its token counts are four bytes to a token.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from serve.engine.base import EngineInfo
from serve.engine.script import Reply, Script, ScriptedCall, read_script
from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Event,
    Failed,
    Finished,
    FinishReason,
    Heartbeat,
    Queued,
    Reasoning,
    Started,
    Text,
    Usage,
)
from serve.prompt.stops import StopFilter
from serve.turns import GenerationRequest, ToolCall

__all__ = ["ScriptedEngine"]

_BYTES_PER_TOKEN = 4
_SLOTS = 8


class ScriptedEngine:
    """Answers from a script file; none of its answers waits for another.

    `requests` holds what was asked, in order, for tests to look at.

    Raises:
        ScriptError: the file is missing or a line is no reply; the message names the line and the field.
    """

    def __init__(self, script: Path, model: str = "scripted", window_tokens: int = 32_768) -> None:
        self._path = script
        self._script: Script = read_script(script)
        self._model = model
        self._window_tokens = window_tokens
        self.requests: list[GenerationRequest] = []

    def describe(self) -> EngineInfo:
        """Return what this engine is."""
        return EngineInfo(
            model=self._model,
            kind="scripted",
            window_tokens=self._window_tokens,
            detail=f"written answers of {self._path}",
            slots=_SLOTS,
        )

    async def start(self) -> None:
        """Do nothing: the script was read when the engine was made."""

    async def count(self, request: GenerationRequest) -> int:
        """Return a token count that depends on the request alone: four bytes to a token."""
        return _prompt_tokens(request)

    async def generate(self, request: GenerationRequest) -> AsyncIterator[Event]:
        """Yield what the script says to this request."""
        self.requests.append(request)
        reply = self._script.choose(request)
        if reply is None:
            yield Failed(
                status=500,
                kind="server_error",
                message=f"The script {self._path} has no reply left for this request. Add a line, or set at_end.",
                code="script_exhausted",
            )
            return
        for position in reply.queued:
            yield Queued(position)
        yield Started(self._model, request.mode)
        for _ in range(reply.heartbeats):
            yield Heartbeat()
        limit, last = _ending(reply)
        await asyncio.sleep(reply.delay_ms / 1000)
        answer = _Answer(request, reply)
        for number, event in enumerate(answer.events()):
            if limit is not None and number >= limit:
                break
            if number:
                await asyncio.sleep(reply.piece_delay_ms / 1000)
            yield event
        if last is not None:
            yield last
        elif reply.cut is None:
            yield answer.finished()

    async def warm(self, request: GenerationRequest) -> None:
        """Do nothing: there is nothing to prefill."""

    async def close(self) -> None:
        """Do nothing: there is nothing to free."""


def _ending(reply: Reply) -> tuple[int | None, Failed | None]:
    """Return after how many pieces the answer breaks off, and by which failure (None: by nothing at all)."""
    if reply.fail is not None:
        fail = reply.fail
        return fail.after, Failed(status=fail.status, kind=fail.kind, message=fail.message, code=fail.code)
    return reply.cut, None


class _Answer:
    """The pieces of one reply as events, and what they add up to."""

    def __init__(self, request: GenerationRequest, reply: Reply) -> None:
        self._request = request
        self._reply = reply
        self._stops = StopFilter(request.sampling.stop)
        self._bytes = 0
        self._reasoning_bytes = 0
        self._calls = 0

    def events(self) -> Iterator[Event]:
        """Yield reasoning, text and calls, in this order; a stop string in the text ends them."""
        for piece in _pieces(self._reply.reasoning):
            self._reasoning_bytes += len(piece.encode())
            yield Reasoning(piece)
        for piece in _pieces(self._reply.text):
            yield from self._text(self._stops.feed(piece))
            if self._stops.met is not None:
                return
        yield from self._text(self._stops.end())
        if self._stops.met is not None:
            return
        calls = self._reply.calls if self._request.allow_parallel_calls else self._reply.calls[:1]
        for call in calls:
            yield from self._call(call)

    def finished(self) -> Finished:
        """Return the last event of a reply that ends well."""
        made = self._bytes + self._reasoning_bytes
        usage = self._reply.usage or Usage(
            prompt_tokens=_prompt_tokens(self._request),
            completion_tokens=-(-made // _BYTES_PER_TOKEN),
            reasoning_tokens=-(-self._reasoning_bytes // _BYTES_PER_TOKEN),
        )
        return Finished(reason=self._reason(), usage=usage, stop_sequence=self._stops.met)

    def _reason(self) -> FinishReason:
        if self._reply.finish is not None:
            return self._reply.finish
        if self._stops.met is not None:
            return FinishReason.STOP_SEQUENCE
        return FinishReason.TOOL_CALLS if self._calls else FinishReason.STOP

    def _text(self, piece: str) -> Iterator[Event]:
        if piece:
            self._bytes += len(piece.encode())
            yield Text(piece)

    def _call(self, call: ScriptedCall) -> Iterator[Event]:
        index = self._calls
        self._calls += 1
        offered = next((tool for tool in self._request.tools if tool.name == call.name), None)
        namespace = call.namespace or (offered.namespace if offered else None)
        is_free_text = call.free_text if call.free_text is not None else bool(offered and offered.is_free_text)
        identifier = call.id or f"call_{self._request.id}_{index}"
        pieces = tuple(_pieces(call.arguments))
        self._bytes += len(call.name.encode()) + sum(len(piece.encode()) for piece in pieces)
        yield CallOpened(index, identifier, call.name, namespace, is_free_text)
        for piece in pieces:
            yield CallArguments(index, piece)
        made = ToolCall(
            id=identifier,
            name=call.name,
            arguments="".join(pieces),
            namespace=namespace,
            is_free_text=is_free_text,
        )
        yield CallMade(index, made)


def _pieces(text: str | tuple[str, ...]) -> Iterator[str]:
    yield from (piece for piece in ((text,) if isinstance(text, str) else text) if piece)


def _prompt_tokens(request: GenerationRequest) -> int:
    messages = sum(len(message.content.encode()) + _BYTES_PER_TOKEN for message in request.messages)
    tools = sum(len(tool.name) + len(tool.description.encode()) + len(bytes(tool.parameters)) for tool in request.tools)
    return -(-(messages + tools) // _BYTES_PER_TOKEN)
