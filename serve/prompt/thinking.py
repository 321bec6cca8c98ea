"""The thinking of a model, told apart from its answer while it streams.

A block counts only where the content starts with the open tag, white space aside; a tag quoted later is prose. A block
that the template itself opened counts too. Any cutting of the same text into pieces gives the same output.
"""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["CLOSE_TAG", "OPEN_TAG", "ThinkingFilter", "without_thoughts"]

OPEN_TAG = "<think>"
CLOSE_TAG = "</think>"


class _State(Enum):
    START = auto()  # white space so far, and perhaps a beginning of the open tag
    BLOCK = auto()
    ANSWER = auto()


class ThinkingFilter:
    """Splits text into reasoning and answer. White space between a block and the answer is dropped.

    `is_open` says whether the last text fed ended inside a block.
    """

    def __init__(self, *, is_open: bool = False) -> None:
        self._state = _State.BLOCK if is_open else _State.START
        self._held: str = ""
        self._saw_block = is_open

    @property
    def is_open(self) -> bool:
        """Whether the model is thinking."""
        return self._state is _State.BLOCK

    @property
    def is_answering(self) -> bool:
        """Whether the answer has begun, or must begin next since a block was closed."""
        return self._state is _State.ANSWER or (self._state is _State.START and self._saw_block)

    def feed(self, piece: str) -> tuple[str, str]:
        """Return the reasoning and the answer text that are decided after `piece`."""
        if self._is_answering():
            return "", piece
        self._held += piece
        reasoning = ""
        while True:
            thought, is_decided = self._advance()
            reasoning += thought
            if not is_decided:
                return reasoning, ""
            if self._is_answering():
                answer, self._held = self._held, ""
                return reasoning, answer

    def end(self) -> tuple[str, str]:
        """Return what was held back, now that no more text comes."""
        held, self._held = self._held, ""
        if self._state is _State.BLOCK:
            return held, ""
        return "", held.lstrip() if self._saw_block and self._state is _State.START else held

    def _is_answering(self) -> bool:
        return self._state is _State.ANSWER

    def _advance(self) -> tuple[str, bool]:
        """Return a thought that is decided, and whether the next state begins."""
        return ("", self._leave_start()) if self._state is _State.START else self._take_block()

    def _leave_start(self) -> bool:
        """Decide whether a block or the answer begins; False while that is open."""
        text = self._held.lstrip()
        if text.startswith(OPEN_TAG):
            self._state = _State.BLOCK
            self._saw_block = True
            self._held = text[len(OPEN_TAG) :]
            return True
        if OPEN_TAG.startswith(text):
            return False
        self._state = _State.ANSWER
        if self._saw_block:
            self._held = text
        return True

    def _take_block(self) -> tuple[str, bool]:
        """Return the thought that is decided, and whether the block was closed after it."""
        thought, tag, rest = self._held.partition(CLOSE_TAG)
        if tag:
            self._held = rest
            self._state = _State.START
            return thought, True
        keep = next(size for size in range(len(CLOSE_TAG) - 1, -1, -1) if self._held.endswith(CLOSE_TAG[:size]))
        decided, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return decided, False


def without_thoughts(text: str) -> str:
    """Return a past answer without the blocks it starts with: a model is never shown its old thoughts as its words."""
    if not text.lstrip().startswith(OPEN_TAG):
        return text
    split = ThinkingFilter()
    _, answer = split.feed(text)
    return answer + split.end()[1]
