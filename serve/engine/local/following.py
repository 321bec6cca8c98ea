"""What an answer said, as its client will send it back: the turn that the next prompt of a conversation shows.

Where generated tokens are never used again, that turn is evaluated while nobody waits, so the next one need not.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from serve.events import CallMade, Event, Finished, FinishReason, Text
from serve.turns import GenerationRequest, Message, Role, ToolCall

__all__ = ["Told"]


class Told:
    """The answer to one request, heard event by event."""

    def __init__(self, request: GenerationRequest) -> None:
        self._request = request
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._is_whole = False

    def hear(self, events: Sequence[Event]) -> None:
        """Take note of what a client sees. Thoughts are not sent back, so they are left out."""
        for event in events:
            match event:
                case Text(text=text):
                    self._text.append(text)
                case CallMade(call=call):
                    self._calls.append(call)
                case Finished(reason=reason):
                    self._is_whole = reason is not FinishReason.CANCELLED
                case _:
                    pass

    def conversation(self) -> GenerationRequest | None:
        """Return the request that would come next, whose last turn is only `?`; None after half an answer."""
        if not self._is_whole:
            return None
        answer = Message(role=Role.ASSISTANT, content="".join(self._text), tool_calls=tuple(self._calls))
        following = [
            Message(role=Role.TOOL, content="?", tool_call_id=call.id, name=call.name) for call in self._calls[:1]
        ] or [Message(role=Role.USER, content="?")]
        return replace(self._request, messages=(*self._request.messages, answer, *following))
