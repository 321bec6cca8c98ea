"""An answer as it arrives, for a person or for a program.

For a person the text streams to stdout, the steps and what is waited for go to stderr, and the citations end it. For a
program one JSON document is printed at the end.
"""

from __future__ import annotations

import sys
import time
from typing import cast

import msgspec

from graph.visible import visible
from roteiro.terminal import bold, cleaned, dim, green, print_json, print_text, say, yellow
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
    Usage,
)

__all__ = ["AnswerWriter"]

_NOT_FOUND = 1
_SHOWN_CHARACTERS = 120


class AnswerWriter:
    """Takes events in order; `finish` gives the exit code."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._began = time.monotonic()
        self._text: list[str] = []
        self._is_line_open = False
        self._steps: list[Step] = []
        self._cited = Cited(())
        self._usage = Usage()
        self._failed: Failed | None = None
        self._status = _StatusLine()

    def take(self, event: Event) -> None:
        """Show or keep one event."""
        match event:
            case Text():
                self._take_text(event.text)
            case Step():
                self._steps.append(event)
                self._status.clear()
                self._end_line()
                say(f"  {event.tool} {_shown_arguments(event.arguments)}: {event.summary} ({event.ms} ms)")
            case Queued():
                self._status.show(f"waiting, {event.position} before this one")
            case Heartbeat():
                amount = f" ({event.done:,} of {event.total:,} tokens)" if event.total else ""
                self._status.show(f"reading{amount}, {time.monotonic() - self._began:.0f} s")
            case Cited():
                self._cited = event
            case Finished():
                self._usage = event.usage
            case Failed():
                self._failed = event
            case Started() | Reasoning() | CallOpened() | CallArguments() | CallMade():
                pass

    def finish(self) -> int:
        """Print the rest and return 0; 1 for a refusal or a failure."""
        self._status.clear()
        if self._as_json:
            self._print_json()
        else:
            self._print_rest()
        if self._failed is not None:
            say(f"roteiro: {' '.join(self._failed.message.split())}")
        return _NOT_FOUND if self._failed or self._cited.is_refusal or not self._answer() else 0

    def _answer(self) -> str:
        return "".join(self._text).strip()

    def _take_text(self, text: str) -> None:
        self._text.append(text)
        if not self._as_json:
            self._status.clear()
            sys.stdout.write(cleaned(text))
            sys.stdout.flush()
            self._is_line_open = not text.endswith("\n")

    def _print_json(self) -> None:
        print_json(
            {
                "answer": self._answer(),
                "is_refusal": self._cited.is_refusal,
                "citations": list(self._cited.citations),
                "steps": [_without_tag(step) for step in self._steps],
                "usage": self._usage,
                "ms": round((time.monotonic() - self._began) * 1000),
                "error": self._failed.message if self._failed else None,
            }
        )

    def _end_line(self) -> None:
        """End the line of text that was begun, so that what comes next does not stand in it."""
        if self._is_line_open:
            sys.stdout.write("\n")
            sys.stdout.flush()
        self._is_line_open = False

    def _print_rest(self) -> None:
        self._end_line()
        if self._cited.citations:
            print_text("\n" + bold("Sources"))
            for citation in self._cited.citations:
                print_text(_citation_line(citation))
        tokens = f"{self._usage.prompt_tokens:,} + {self._usage.completion_tokens:,} tokens"
        cached = f", {self._usage.cached_tokens:,} of them cached" if self._usage.cached_tokens else ""
        say(f"{time.monotonic() - self._began:.1f} s, {tokens}{cached}")


class _StatusLine:
    """One line on the terminal that is written over and goes away; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, text: str) -> None:
        """Replace the line."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self._is_shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._is_shown = False


def _citation_line(citation: Citation) -> str:
    place = f"{visible(citation.path)}:{citation.start_line}-{citation.end_line}"
    if citation.verified:
        state = green("verified")
    elif not citation.exists:
        state = yellow("does not exist")
    else:
        state = dim("shown to the model" if citation.shown else "not shown to the model")
    return f"  {place}  {visible(citation.name)}  {state}"


def _shown_arguments(arguments: str) -> str:
    """Return the arguments of a step as a person would write them, one line."""
    try:
        values = msgspec.json.decode(arguments, type=dict[str, object])
    except msgspec.DecodeError:
        return arguments[:_SHOWN_CHARACTERS]
    return " ".join(_shown_value(value) for value in values.values())[:_SHOWN_CHARACTERS]


def _shown_value(value: object) -> str:
    return ", ".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)


def _without_tag(step: Step) -> dict[str, object]:
    return msgspec.structs.asdict(step)
