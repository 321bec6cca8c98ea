"""From the bytes of a model's tokens to the events of an answer: UTF-8, thinking, calls, stop strings, in this order.

Pure and incremental: what it returns is decided and never taken back, and does not depend on where tokens end.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import assert_never

from serve.events import CallArguments, CallMade, CallOpened, Event, FinishReason, Reasoning, Text
from serve.prompt.callforms import free_text
from serve.prompt.calls import Argument, CallParser, CallProgress, Closed, Opened, Part, Prose
from serve.prompt.stops import StopFilter
from serve.prompt.thinking import ThinkingFilter
from serve.turns import GenerationRequest, ToolCall, ToolSpec

__all__ = ["AnswerReader", "tool_names"]

_NOT_ALLOWED = "Roteiro: the model asked for the tool {name}, which this request does not allow."


class AnswerReader:
    """Reads the answer to one request.

    `is_complete` turns true when the answer is over before the model says so: a stop string was met, a call was made
    and parallel calls are off, or a call began where none is allowed.
    """

    def __init__(self, request: GenerationRequest, *, opens_thinking: bool = False) -> None:
        self._request = request
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._thinking = ThinkingFilter(is_open=opens_thinking)
        self._calls = CallParser(request.tools, _called_names(request.tools)) if request.tools else None
        self._stops = StopFilter(request.sampling.stop)
        self._open: ToolCall | None = None
        self._arguments: list[str] = []
        self._made = 0
        self.is_complete = False

    @property
    def is_thinking(self) -> bool:
        """Whether the last text was reasoning."""
        return self._thinking.is_open

    @property
    def is_answering(self) -> bool:
        """Whether no block of reasoning is open and none may still begin."""
        return self._thinking.is_answering

    @property
    def is_between_characters(self) -> bool:
        """Whether the bytes so far end with a whole character, so that other words may follow."""
        return not self._decoder.getstate()[0]

    @property
    def call(self) -> CallProgress | None:
        """The call that is being written; None outside of one."""
        return self._calls.progress if self._calls is not None and not self.is_complete else None

    @property
    def stop_sequence(self) -> str | None:
        """The stop string that was met."""
        return self._stops.met

    def reason(self, otherwise: FinishReason) -> FinishReason:
        """Return why the answer ended, `otherwise` where its text does not say."""
        if self._stops.met is not None:
            return FinishReason.STOP_SEQUENCE
        if self._made and (self.is_complete or otherwise is FinishReason.STOP):
            return FinishReason.TOOL_CALLS
        return otherwise

    def feed(self, piece: bytes) -> list[Event]:
        """Return the events that are decided after a token's bytes."""
        return self.feed_text(self._decoder.decode(piece))

    def feed_text(self, piece: str) -> list[Event]:
        """Return the events that are decided after a piece of text."""
        reasoning, answer = self._thinking.feed(piece)
        return self._events(reasoning, answer)

    def end(self) -> list[Event]:
        """Return the events that were held back, now that no more bytes come."""
        events = self.feed(b"") + self.feed_text(self._decoder.decode(b"", final=True))
        events += self._events(*self._thinking.end())
        if self._calls is not None and not self.is_complete:
            events += self._parts(self._calls.end())
        rest = "" if self.is_complete else self._stops.end()
        return [*events, Text(rest)] if rest else events

    def _events(self, reasoning: str, answer: str) -> list[Event]:
        events: list[Event] = [Reasoning(reasoning)] if reasoning else []
        if not answer or self.is_complete:
            return events
        parts: list[Part] = self._calls.feed(answer) if self._calls is not None else [Prose(answer)]
        return events + self._parts(parts)

    def _parts(self, parts: Sequence[Part]) -> list[Event]:
        events: list[Event] = []
        for part in parts:
            if self.is_complete:
                break
            match part:
                case Prose(text):
                    shown = self._stops.feed(text)
                    events += [Text(shown)] if shown else []
                    self.is_complete = self._stops.met is not None
                case Opened(name) if self._request.tool_choice.kind == "none":
                    events.append(Text(_NOT_ALLOWED.format(name=name)))
                    self.is_complete = True
                case Opened(name):
                    events += self._held_text()
                    events.append(self._opened(name))
                case Argument(text):
                    self._arguments.append(text)
                    if not self._is_free_text():
                        events.append(CallArguments(self._made, text))
                case Closed():
                    events += self._closed()
                    self.is_complete = not self._request.allow_parallel_calls
                case _:
                    assert_never(part)
        return events

    def _held_text(self) -> list[Event]:
        """Return the text that waited for a stop string and will not get one, since a call begins."""
        held = self._stops.end()
        return [Text(held)] if held else []

    def _opened(self, called: str) -> CallOpened:
        tool = next((tool for tool in self._request.tools if called in tool_names(tool)), None)
        name, namespace = (tool.name, tool.namespace) if tool else (called, None)
        is_free_text = bool(tool and tool.is_free_text)
        identifier = f"call_{self._request.id}_{self._made}"
        self._open = ToolCall(id=identifier, name=name, arguments="", namespace=namespace, is_free_text=is_free_text)
        self._arguments = []
        return CallOpened(self._made, identifier, name, namespace, is_free_text)

    def _is_free_text(self) -> bool:
        return self._open is not None and self._open.is_free_text

    def _closed(self) -> list[Event]:
        """Return the end of the open call; the text of a free-text call is only known now."""
        opened = self._open
        if opened is None:
            raise RuntimeError("a call was closed that was never opened")
        written = "".join(self._arguments)
        call = ToolCall(
            id=opened.id,
            name=opened.name,
            arguments=free_text(written) if opened.is_free_text else written,
            namespace=opened.namespace,
            is_free_text=opened.is_free_text,
        )
        index = self._made
        self._made += 1
        late: list[Event] = [CallArguments(index, call.arguments)] if opened.is_free_text and call.arguments else []
        return [*late, CallMade(index, call)]


def tool_names(tool: ToolSpec) -> tuple[str, ...]:
    """Return the names by which a model may call a tool."""
    return (tool.name, f"{tool.namespace}.{tool.name}") if tool.namespace else (tool.name,)


def _called_names(tools: Sequence[ToolSpec]) -> list[str]:
    return [name for tool in tools for name in tool_names(tool)]
