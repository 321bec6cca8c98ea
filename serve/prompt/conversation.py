"""A request's conversation as the turns that a model's template understands, rendered to segments.

What a template can do is probed once: the `tool` role, calls in the history, system turns first and later. Where it
cannot, the turn takes the form that every chat model reads: `<tool_response>` or `<system-reminder>` in a user turn.
Text of messages stays marked throughout; only the words that the server adds itself are template text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from serve.errors import TemplateRefusedError
from serve.prompt.content import Marker, Segment
from serve.prompt.dialects import Dialect, dialect_of
from serve.prompt.template import ChatTemplate
from serve.prompt.thinking import OPEN_TAG, without_thoughts
from serve.turns import GenerationRequest, Message, ReasoningEffort, Role, ToolCall

__all__ = ["Conversation", "Rendered"]

_NO_CALLS = "(Answer in words now: no tool can be called.)"
"""Told last, since the tools stay in the head, which would otherwise be another prefix for the cache."""


class Rendered(Struct, frozen=True, kw_only=True):
    """A prompt as segments; `opens_thinking` when the template already opened the model's think block."""

    segments: tuple[Segment, ...]
    opens_thinking: bool = False


class Conversation:
    """Renders requests for one model; what its template can do is probed when this is made."""

    def __init__(self, template: ChatTemplate) -> None:
        self._template = template
        self.dialect: Dialect = dialect_of(template.source)
        system, user, answer = _turn("system", "s7"), _turn("user", "u7"), _turn("assistant", "a7")
        self.knows_thinking = "<think>" in template.source or "enable_thinking" in template.source
        self.has_system = self._shows([system, user], "s7")
        self.has_late_system = self._shows([system, user, answer, _turn("system", "l7"), user], "l7")
        call = {"type": "function", "id": "abcdefghi", "function": {"name": "n7", "arguments": {"x": 1}}}
        called = {"role": "assistant", "content": "", "tool_calls": [call]}
        result = {"role": "tool", "content": "r7", "name": "n7", "tool_call_id": "abcdefghi"}
        self.has_calls = self._shows([system, user, called, result], "n7")
        names_role = "'tool'" in template.source or '"tool"' in template.source
        self.has_tool_role = names_role and self.has_calls and self._shows([system, user, called, result], "r7")

    def render(self, request: GenerationRequest, tool_section: Sequence[Segment] = ()) -> Rendered:
        """Return the prompt of `request`; `tool_section` goes into the system turn.

        Raises:
            TemplateRefusedError: 400 when the conversation is the client's own, 422 when a turn of ours is in it and
                moving it into the system turn did not help. The sentence is the template's.
        """
        try:
            return self._render(request, request.messages, tool_section)
        except TemplateRefusedError as refused:
            ours = [message for message in request.messages if _is_movable(message)]
            if not ours:
                raise
            moved = [Message(role=Role.SYSTEM, content=message.content, is_ours=True) for message in ours]
            theirs = [message for message in request.messages if not _is_movable(message)]
            try:
                return self._render(request, [*moved, *theirs], tool_section)
            except TemplateRefusedError:
                raise TemplateRefusedError(
                    refused.message, param="messages", code="template_refused", status=422
                ) from refused

    def _render(
        self, request: GenerationRequest, messages: Sequence[Message], tool_section: Sequence[Segment]
    ) -> Rendered:
        marker = Marker(_texts(messages, tool_section))
        turns = _Turns(self, marker, tool_section).of(messages)
        if tool_section and request.tool_choice.kind == "none" and turns[-1]["role"] in {"user", "tool"}:
            turns[-1] = {**turns[-1], "content": f"{turns[-1]['content']!s}\n\n{_NO_CALLS}"}
        text = self._template.render(turns, variables=_thinking_variables(request.reasoning))
        segments = marker.split(text)
        last = segments[-1] if segments else None
        opens = last is not None and not last.is_content and last.text.rstrip().endswith(OPEN_TAG)
        return Rendered(segments=segments, opens_thinking=opens)

    def _shows(self, turns: list[Mapping[str, object]], text: str) -> bool:
        try:
            return text in self._template.render(turns)
        except TemplateRefusedError:
            return False


class _Turns:
    """Builds the messages that the template sees."""

    def __init__(self, conversation: Conversation, marker: Marker, tool_section: Sequence[Segment]) -> None:
        self._can = conversation
        self._mark = marker
        self._tools = "".join(str(marker.mark(s.text)) if s.is_content else s.text for s in tool_section)
        self._turns: list[dict[str, object]] = []

    def of(self, messages: Sequence[Message]) -> list[Mapping[str, object]]:
        """Return the turns of `messages`, with the system turn first."""
        head = next((i for i, message in enumerate(messages) if message.role is not Role.SYSTEM), len(messages))
        parts = [str(self._mark.mark(m.content, i)) for i, m in enumerate(messages[:head]) if m.content]
        system = "\n\n".join([*parts, self._tools] if self._tools else parts)
        if system and self._can.has_system:
            self._turns.append(_turn("system", system))
        for index, message in enumerate(messages[head:], start=head):
            self._add(index, message)
        if system and not self._can.has_system:
            self._put_before_first_user(system)
        return list(self._turns)

    def _add(self, index: int, message: Message) -> None:
        content = self._mark.mark(message.content, index)
        match message.role:
            case Role.USER:
                self._turns.append(_turn("user", content))
            case Role.ASSISTANT:
                self._add_answer(index, message, self._mark.mark(without_thoughts(message.content), index))
            case Role.TOOL:
                self._add_result(message, content)
            case Role.SYSTEM if self._can.has_late_system:
                self._turns.append(_turn("system", content))
            case Role.SYSTEM:
                self._turns.append(_turn("user", f"<system-reminder>\n{content!s}\n</system-reminder>"))

    def _add_answer(self, index: int, message: Message, content: str) -> None:
        if not message.tool_calls:
            self._turns.append(_turn("assistant", content))
        elif self._can.has_calls:
            calls = [self._native_call(index, call) for call in message.tool_calls]
            self._turns.append({"role": "assistant", "content": content, "tool_calls": calls})
        else:
            written = [
                self._can.dialect.write(
                    str(self._mark.mark(call.name, index)), str(self._mark.mark(call.arguments, index))
                )
                for call in message.tool_calls
            ]
            self._turns.append(_turn("assistant", "\n".join([str(content), *written] if content else written)))

    def _native_call(self, index: int, call: ToolCall) -> Mapping[str, object]:
        function = {
            "name": self._mark.mark(call.name, index),
            "arguments": self._mark.mark_json(call.arguments, index),
        }
        return {"type": "function", "id": self._mark.mark(call.id, index), "function": function}

    def _add_result(self, message: Message, content: str) -> None:
        shown = f"Error: {content!s}" if message.is_error else content
        if self._can.has_tool_role:
            name, identifier = message.name or "tool", message.tool_call_id or ""
            marked = {"name": self._mark.mark(name), "tool_call_id": self._mark.mark(identifier)}
            self._turns.append({"role": "tool", "content": shown, **marked})
            return
        text = f"<tool_response>\n{shown!s}\n</tool_response>"
        last = self._turns[-1] if self._turns else {}
        if last.get("is_results"):
            last["content"] = f"{last['content']}\n{text}"
        else:
            self._turns.append({"role": "user", "content": text, "is_results": True})

    def _put_before_first_user(self, system: str) -> None:
        first = next((turn for turn in self._turns if turn["role"] == "user"), None)
        if first is None:
            self._turns.insert(0, _turn("user", system))
        else:
            first["content"] = f"{system}\n\n{first['content']!s}"


def _is_movable(message: Message) -> bool:
    """Say whether a turn is ours and means the same in the system turn, as a model's call and its result do not."""
    return message.is_ours and message.role in {Role.USER, Role.SYSTEM}


def _turn(role: str, content: str) -> dict[str, object]:
    return {"role": role, "content": content}


def _texts(messages: Iterable[Message], tool_section: Iterable[Segment]) -> Iterable[str]:
    """Return every text that may be marked, for the marker to keep clear of."""
    for message in messages:
        yield message.content
        yield from (text for call in message.tool_calls for text in (call.id, call.name, call.arguments))
        yield from (text for text in (message.name, message.tool_call_id) if text)
    yield from (segment.text for segment in tool_section)


def _thinking_variables(effort: ReasoningEffort | None) -> dict[str, object]:
    """Return the variables by which templates that know thinking turn it on, off or down."""
    if effort is None:
        return {}
    known = ReasoningEffort.HIGH if effort is ReasoningEffort.XHIGH else effort
    return {
        "enable_thinking": effort is not ReasoningEffort.NONE,
        "reasoning_effort": ReasoningEffort.LOW.value if effort is ReasoningEffort.NONE else known.value,
    }
