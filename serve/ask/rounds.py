"""The tool calls of a model, run within bounds: refused in words when they are wrong, answered once when they repeat.

The rule that must stay true: whatever a model asks, it gets a text it can go on with, and the bytes it gets in all are
bounded.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from graph.context import Context
from graph.errors import ArgumentError, GraphError
from graph.lookup import Symbol
from graph.query import Calls
from graph.repository import Repository
from graph.tool_results import SearchAnswer, SourceAnswer
from graph.tools import Answer, call_tool
from serve.ask.evidence import MAX_CITED_LINES, NARROW_KINDS, Shown, quoted
from serve.events import Step
from serve.turns import ToolCall

__all__ = ["MAX_CALLS_A_ROUND", "Ran", "ToolRounds"]

MAX_CALLS_A_ROUND = 4


class Ran(Struct, frozen=True, kw_only=True):
    """What came of one call: the text for the model, the step for people, the places it showed."""

    text: str
    step: Step
    shown: tuple[Shown, ...] = ()
    is_error: bool = False


class ToolRounds:
    """The calls of one answer. `limit_bytes` bounds each result, and four times as much all of them together."""

    def __init__(self, repository: Repository, limit_bytes: int) -> None:
        self._repository = repository
        self._limit_bytes = limit_bytes
        self._left_bytes = 4 * limit_bytes
        self._answered: dict[str, int] = {}

    def run(self, call: ToolCall, number: int) -> Ran:
        """Return what a call gives; blocks while the graph is read."""
        began = time.monotonic()
        try:
            arguments = _decoded(call)
            text, shown, summary = self._answer(call.name, arguments, number)
        except (GraphError, sqlite3.Error) as error:
            return _ran(number, call, str(error), _first_line(str(error)), (), began, is_error=True)
        return _ran(number, call, text, summary, shown, began, is_error=False)

    def _answer(self, name: str, arguments: Mapping[str, object], number: int) -> tuple[str, tuple[Shown, ...], str]:
        mark = f"{name} {json.dumps(arguments, sort_keys=True)}"
        if mark in self._answered:
            step = self._answered[mark]
            return f"The same call as in step {step}; its result stands above. Answer from it.", (), f"as step {step}"
        limit = min(self._limit_bytes, self._left_bytes)
        if limit <= 0:
            return "No room is left for further results. Answer from what you have.", (), "no room left"
        answer = call_tool(self._repository, name, arguments, limit_bytes=limit)
        self._answered[mark] = number
        self._left_bytes -= len(answer.text.encode())
        return quoted([answer.text]), tuple(_shown_by(answer)), _first_line(answer.text)


def _decoded(call: ToolCall) -> dict[str, object]:
    try:
        return msgspec.json.decode(call.arguments or "{}", type=dict[str, object])
    except msgspec.DecodeError as error:
        message = f"the arguments of `{call.name}` are not a JSON object ({error}): {call.arguments[:200]}"
        raise ArgumentError("arguments", message) from None


def _ran(
    number: int, call: ToolCall, text: str, summary: str, shown: tuple[Shown, ...], began: float, *, is_error: bool
) -> Ran:
    step = Step(
        number=number,
        tool=call.name,
        arguments=call.arguments,
        summary=summary,
        result=text,
        ms=round((time.monotonic() - began) * 1000),
    )
    return Ran(text=text, step=step, shown=shown, is_error=is_error)


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0][:160]


def _shown_by(answer: Answer) -> Iterator[Shown]:
    """Yield the places whose text a result holds: a citation of them was shown."""
    match answer.result:
        case SourceAnswer() as source:
            yield Shown(
                path=source.path,
                start_line=source.start_line,
                end_line=source.end_line
                if source.key
                else min(source.end_line, source.start_line + MAX_CITED_LINES - 1),
                key=source.key,
                name=source.name if source.key else "",
                text=answer.text,
                rank=_AFTER_EVIDENCE,
            )
        case SearchAnswer():
            yield from (_listed(place, answer.text) for place in answer.result.hits if place.path in answer.text)
        case Calls():
            yield from (_listed(place, answer.text) for place in answer.result.calls if place.path in answer.text)
        case Context():
            for item in answer.result.items:
                if item.text in answer.text:
                    yield Shown(
                        path=item.path,
                        start_line=max(item.start_line, 1),
                        end_line=max(item.end_line, 1),
                        key=item.key,
                        name=item.name,
                        text=item.text,
                        rank=_AFTER_EVIDENCE,
                    )
        case _:
            return


def _listed(place: Symbol, text: str) -> Shown:
    """Return a symbol of a listing; of one that is longer than a citation may be, its beginning."""
    start = max(place.start_line, 1)
    narrow = place.kind in NARROW_KINDS or place.end_line - start < MAX_CITED_LINES
    return Shown(
        path=place.path,
        start_line=start,
        end_line=max(place.end_line, 1) if narrow else start + MAX_CITED_LINES - 1,
        key=place.key,
        name=place.qualname,
        text=place.signature if place.signature in text else "",
        rank=_AFTER_EVIDENCE,
    )


_AFTER_EVIDENCE = 9
