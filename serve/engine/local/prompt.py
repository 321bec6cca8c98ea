"""The tokens of a request and where its prefill is cut: the meeting of template, tools and vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from serve.engine.local.schedule import chunk_ends
from serve.engine.local.sliding import SlidingWindow
from serve.engine.local.vocabulary import Vocabulary
from serve.errors import ContextLengthError, TemplateRefusedError
from serve.prompt.content import Segment
from serve.prompt.conversation import Conversation, Rendered
from serve.prompt.toolprompt import ToolLimits, ToolSection, tool_section
from serve.turns import GenerationRequest, Message, Role

__all__ = ["Prompt", "Prompter"]

_LONG_CHARACTERS = 2 * 1024 * 1024
"""Shorter prompts are counted in a second."""


class Prompt(Struct, frozen=True, kw_only=True):
    """What is evaluated before the first token of an answer."""

    tokens: list[int]
    ends: tuple[int, ...]
    """Ends of the chunks of the strict schedule; the last is the whole prompt."""
    kept_ends: frozenset[int]
    """Those after which the state is worth keeping: the preamble, and what the request names."""
    preamble_tokens: int
    opens_thinking: bool = False
    tool_detail: str = ""
    """How much of the tools' descriptions it holds; empty without tools."""


class Prompter:
    """Makes prompts for one model. Safe to use from several threads."""

    def __init__(
        self,
        conversation: Conversation,
        vocabulary: Vocabulary,
        limits: ToolLimits,
        window: SlidingWindow | None = None,
    ) -> None:
        self.conversation = conversation
        self._window = window or SlidingWindow()
        self._vocabulary = vocabulary
        self._limits = limits

    def prompt(self, request: GenerationRequest, limit_tokens: int = 0) -> Prompt:
        """Return the prompt of `request`; far beyond a limit it is refused before it is counted whole.

        Raises:
            TemplateRefusedError, BadRequestError: the template refuses the turns, or the tools are too many.
            ContextLengthError: it is far longer than the limit.
        """
        section: ToolSection | None = None
        if request.tools:  # also where none may be called: the head of a conversation must stay the same prefix
            section = tool_section(request.tools, self.conversation.dialect, self._count, self._limits)
        rendered = self.conversation.render(request, section.segments if section else ())
        self._refuse_far_beyond(rendered.segments, limit_tokens)
        tokens, starts = self._vocabulary.tokenize_segments(rendered.segments)
        if not tokens:
            raise TemplateRefusedError(
                "The chat template of this model makes an empty prompt of this conversation. Take another file of it.",
                param="messages",
                code="template_refused",
            )
        cuts, kept = self._cuts(request, rendered, tokens, starts)
        ends = chunk_ends(len(tokens), cuts)
        return Prompt(
            tokens=tokens,
            ends=ends,
            kept_ends=frozenset(kept),
            preamble_tokens=min(cuts, default=0),
            opens_thinking=rendered.opens_thinking,
            tool_detail=section.detail.value if section else "",
        )

    def _refuse_far_beyond(self, segments: Sequence[Segment], limit_tokens: int) -> None:
        if limit_tokens and sum(len(segment.text) for segment in segments) > _LONG_CHARACTERS:
            least = self._vocabulary.far_beyond(segments, limit_tokens)
            if least:
                raise ContextLengthError(least, limit_tokens, is_least=True)

    @property
    def thinks(self) -> bool:
        """Whether the template knows blocks of thinking."""
        return self.conversation.knows_thinking

    def forced(self, request: GenerationRequest) -> str:
        """Return what an answer must begin with, for a request that demands a call; empty otherwise."""
        choice = request.tool_choice
        if not request.tools or choice.kind not in {"required", "named"}:
            return ""
        return self.conversation.dialect.opening(choice.names[0] if len(choice.names) == 1 else "")

    def banned(self, request: GenerationRequest) -> tuple[int, ...]:
        """Return the tokens that would open a call where none is allowed; none when an opener is no single token."""
        if not request.tools or request.tool_choice.kind != "none":
            return ()
        openers = (self._vocabulary.tokenize(mark, control=True) for mark in ("<tool_call>", "[TOOL_CALLS]"))
        return tuple(opener[0] for opener in openers if len(opener) == 1)

    def preamble(self, request: GenerationRequest) -> Prompt:
        """Return the part of a prompt that every request of this head shares: all before the first user text."""
        message = Message(role=Role.USER, content="?")
        whole = self.prompt(_with_messages(request, [*_head(request.messages), message]))
        size = whole.preamble_tokens
        ends = tuple(end for end in whole.ends if end <= size)
        return Prompt(tokens=whole.tokens[:size], ends=ends, kept_ends=whole.kept_ends, preamble_tokens=size)

    def before_last_turn(self, request: GenerationRequest, limit_tokens: int = 0) -> Prompt:
        """Return the part of a prompt before the text of its last turn, which has to be short; all of it is kept."""
        whole = self.prompt(request, limit_tokens)
        ends = whole.ends[:-1]
        size = ends[-1] if ends else 0
        kept = frozenset(whole.kept_ends | {size})
        return Prompt(tokens=whole.tokens[:size], ends=ends, kept_ends=kept, preamble_tokens=whole.preamble_tokens)

    def _count(self, text: str) -> int:
        return len(self._vocabulary.tokenize(text, control=False))

    def _cuts(
        self, request: GenerationRequest, rendered: Rendered, tokens: list[int], starts: list[int]
    ) -> tuple[set[int], set[int]]:
        """Return all cuts, and of them those worth keeping.

        A cut is where the text of a turn begins: what stands before it is the template's and the same for every text.
        The opener of an answer is a cut too, wherever it stands, so that the prompt of one round is a whole number of
        chunks of the next round's.
        """
        first, after = _message_bounds(rendered.segments, starts, len(tokens))
        turns = sorted(at for index, at in first.items() if request.messages[index].role in {Role.USER, Role.TOOL})
        cuts = set(turns) | _openers(rendered.segments, tokens, starts, self._vocabulary)
        named: set[int] = set()
        for index in request.cut_after:
            if index in after:
                named.add(first.get(index + 1, after[index]))
        kept = {self._window.settled(cut) for cut in named.union(turns[:1])}
        return cuts | named | kept, kept


def _message_bounds(
    segments: Sequence[Segment], starts: Sequence[int], total: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Return for each message the tokens before its text, and up to its end."""
    first: dict[int, int] = {}
    after: dict[int, int] = {}
    for segment, start, end in zip(segments, starts, [*starts[1:], total], strict=True):
        if segment.message is not None:
            first.setdefault(segment.message, start)
            after[segment.message] = end
    return first, after


def _openers(segments: Sequence[Segment], tokens: list[int], starts: list[int], vocabulary: Vocabulary) -> set[int]:
    """Return the ends of all places where the template opens an answer as it does at the end of this prompt."""
    if not segments or segments[-1].is_content:
        return set()
    last = tokens[starts[-1] :]
    begin = max((at for at, token in enumerate(last) if vocabulary.is_control(token)), default=None)
    if begin is None:
        return set()
    opener = last[begin:]
    found: set[int] = set()
    for segment, start, end in zip(segments, starts, [*starts[1:], len(tokens)], strict=True):
        if not segment.is_content:
            places = range(start, end - len(opener) + 1)
            found.update(at + len(opener) for at in places if tokens[at : at + len(opener)] == opener)
    return found


def _head(messages: Sequence[Message]) -> list[Message]:
    """Return the system turns that open a conversation."""
    size = next((i for i, message in enumerate(messages) if message.role is not Role.SYSTEM), len(messages))
    return list(messages[:size])


def _with_messages(request: GenerationRequest, messages: Sequence[Message]) -> GenerationRequest:
    return GenerationRequest(
        id=request.id,
        model=request.model,
        mode=request.mode,
        messages=tuple(messages),
        tools=request.tools,
        tool_choice=request.tool_choice,
        reasoning=request.reasoning,
    )
