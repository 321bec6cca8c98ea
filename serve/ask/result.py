"""A whole answer out of its events: what a command, a bench or a test keeps of the stream."""

from __future__ import annotations

from collections.abc import AsyncIterable

from msgspec import Struct

from serve.events import Citation, Cited, Event, Failed, Finished, Step, Text, Usage

__all__ = ["AskResult", "collect"]


class AskResult(Struct, frozen=True, kw_only=True):
    """An answer at its end. `failed` is set when there is none; what was said before it is kept."""

    answer: str
    citations: tuple[Citation, ...] = ()
    steps: tuple[Step, ...] = ()
    usage: Usage = Usage()
    is_refusal: bool = False
    failed: Failed | None = None


async def collect(events: AsyncIterable[Event]) -> AskResult:
    """Return the result of a stream, read to its end."""
    text: list[str] = []
    steps: list[Step] = []
    cited = Cited(())
    usage = Usage()
    failed: Failed | None = None
    async for event in events:
        match event:
            case Text():
                text.append(event.text)
            case Step():
                steps.append(event)
            case Cited():
                cited = event
            case Finished():
                usage = event.usage
            case Failed():
                failed = event
            case _:
                pass
    return AskResult(
        answer="".join(text).strip(),
        citations=cited.citations,
        steps=tuple(steps),
        usage=usage,
        is_refusal=cited.is_refusal,
        failed=failed,
    )
