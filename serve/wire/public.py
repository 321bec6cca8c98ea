"""From the server's events to what every public wire shows: one rule for all of them, whole or streamed.

Thinking is stripped or exposed, the citations of Ask become a `Sources:` line with notes, calls are made regular, and
an answer that never left its thinking becomes a sentence that says so. Pure; holds the little state that this takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never
from urllib.parse import quote

from msgspec import Struct

from graph.visible import visible
from serve.events import (
    CallArguments,
    CallMade,
    CallOpened,
    Citation,
    Cited,
    Event,
    Failed,
    Finished,
    Heartbeat,
    Queued,
    Reasoning,
    Started,
    Step,
    Text,
)

__all__ = ["Note", "Public", "PublicEvent", "Sources"]


class Note(Struct, frozen=True, kw_only=True):
    """Where in the answer a source stands, in characters, and what it points to."""

    start_index: int
    end_index: int
    title: str
    url: str
    """The file view of this server, at the cited lines."""


class Sources(Struct, frozen=True):
    """The last line of an answer of Ask."""

    text: str
    notes: tuple[Note, ...]


PublicEvent: TypeAlias = Text | Reasoning | CallOpened | CallArguments | CallMade | Sources | Finished | Failed


class Public:
    """Feeds on the events of one answer, in order. After the first Finished or Failed nothing more comes out."""

    def __init__(self, *, exposes_reasoning: bool, base_url: str, max_tokens: int | None) -> None:
        self._exposes_reasoning = exposes_reasoning
        self._base_url = base_url
        self._max_tokens = max_tokens
        self._characters = 0
        self._thought = False
        self._called = False
        self._open_arguments: dict[int, int] = {}
        self._is_over = False

    def feed(self, event: Event) -> Iterator[PublicEvent]:
        """Yield what clients are to see of this event: nothing, itself, or something in its place."""
        if self._is_over:
            return
        match event:
            case Queued() | Started() | Heartbeat() | Step():
                return
            case Reasoning():
                yield from self._reasoning(event)
            case Text():
                yield from self._text(event)
            case CallOpened() | CallArguments() | CallMade():
                yield from self._call(event)
            case Cited():
                yield from self._sources(event.citations)
            case Finished():
                yield from self._stuck_in_thought()
                self._is_over = True
                yield event
            case Failed():
                self._is_over = True
                yield event
            case _:
                assert_never(event)

    def _reasoning(self, event: Reasoning) -> Iterator[PublicEvent]:
        self._thought = True
        if self._exposes_reasoning and event.text:
            yield event

    def _text(self, event: Text) -> Iterator[PublicEvent]:
        if event.text:
            self._characters += len(event.text)
            yield event

    def _call(self, event: CallOpened | CallArguments | CallMade) -> Iterator[PublicEvent]:
        """Let each call be opened, filled and made, also when an engine sends it whole."""
        self._called = True
        match event:
            case CallOpened():
                self._open_arguments[event.index] = 0
            case CallArguments():
                self._open_arguments[event.index] = self._open_arguments.get(event.index, 0) + len(event.text)
            case CallMade():
                call = event.call
                if event.index not in self._open_arguments:
                    yield CallOpened(event.index, call.id, call.name, call.namespace, call.is_free_text)
                sent = self._open_arguments.pop(event.index, 0)
                if call.arguments[sent:]:
                    yield CallArguments(event.index, call.arguments[sent:])
        yield event

    def _sources(self, citations: tuple[Citation, ...]) -> Iterator[PublicEvent]:
        cited = [citation for citation in citations if citation.exists]
        if not cited:
            return
        text = "\n\nSources: " if self._characters else "Sources: "
        notes: list[Note] = []
        for citation in cited:
            text += ", " if notes else ""
            title = f"{visible(citation.path)}:{citation.start_line}-{citation.end_line}"
            start = self._characters + len(text)
            url = f"{self._base_url}/file/{quote(citation.path)}?lines={citation.start_line}-{citation.end_line}"
            notes.append(Note(start_index=start, end_index=start + len(title), title=title, url=url))
            text += title
        self._characters += len(text)
        yield Sources(text, tuple(notes))

    def _stuck_in_thought(self) -> Iterator[PublicEvent]:
        if self._exposes_reasoning or not self._thought or self._characters or self._called:
            return
        budget = "the window of the model" if self._max_tokens is None else f"max_tokens {self._max_tokens}"
        yield Text(
            f"Roteiro: the model was still thinking when its budget ran out ({budget}), so there is no answer. "
            "Give it more tokens or turn its thinking off."
        )
