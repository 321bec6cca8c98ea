"""Text and tokens of one model: segments in, bytes out.

Template text is tokenised with control tokens on, message content with them off. llama.cpp still joins *user-defined*
tokens (such as `<tool_call>`) in plain text; content is cut inside those too, so no text from outside becomes markup.
Pieces are read through a buffer that grows: the binding's own detokeniser drops pieces over 32 bytes.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from typing import Any

from serve.prompt.content import Segment

__all__ = ["MARKUP", "Vocabulary"]

MARKUP = (
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "[TOOL_CALLS]",
    "[CALL_ID]",
    "[ARGS]",
    "<|python_tag|>",
)
"""Control tokens that are shown as text all the same, since the parsers of the answer need to see them."""
_USER_DEFINED = 1 << 4
_CONTROL = 1 << 3
_UNKNOWN = 1 << 0

_COUNTED_CHARACTERS = 256 * 1024
_FAR = 2
"""Up to this many windows a prompt is counted exactly."""


class Vocabulary:
    """The tokenizer of a loaded model; safe to use from several threads, it never changes."""

    def __init__(self, llama: Any, handle: Any, metadata: Callable[[str], str | None]) -> None:
        self._llama = llama
        self.handle = handle
        self.size = int(llama.llama_vocab_n_tokens(handle))
        self.bos = int(llama.llama_vocab_bos(handle))
        self.eos = int(llama.llama_vocab_eos(handle))
        self.adds_bos = bool(llama.llama_vocab_get_add_bos(handle)) and self.bos >= 0
        self.adds_space = metadata("tokenizer.ggml.add_space_prefix") == "true" or (
            metadata("tokenizer.ggml.model") == "llama" and metadata("tokenizer.ggml.add_space_prefix") is None
        )
        self._pieces: dict[int, bytes] = {}
        self._byte_tokens: dict[bytes, int] | None = None
        self._markup = self._find_markup()

    def tokenize(self, text: str, *, control: bool) -> list[int]:
        """Return the tokens of a text; `control` says whether it may become control tokens."""
        if control or self._markup is None:
            return self._tokenize(text, control=control)
        tokens: list[int] = []
        at = 0
        for match in self._markup.finditer(text):
            tokens += self._tokenize(text[at : match.start() + 1], control=False)
            at = match.start() + 1
        return tokens + self._tokenize(text[at:], control=False)

    def spell(self, text: str) -> list[int]:
        """Return tokens whose pieces are the text, byte by byte where its tokens are not; empty when there are none."""
        data = text.encode()
        tokens = self._tokenize(text, control=True)
        if b"".join(map(self._read_piece, tokens)) == data:
            return tokens
        if self._byte_tokens is None:
            pieces = ((self._read_piece(token), token) for token in range(self.size))
            self._byte_tokens = {piece: token for piece, token in pieces if len(piece) == 1}
        found = [self._byte_tokens.get(data[at : at + 1], -1) for at in range(len(data))]
        return [] if -1 in found else found

    def tokenize_segments(self, segments: Sequence[Segment]) -> tuple[list[int], list[int]]:
        """Return the tokens of a prompt, and for each segment the number of tokens before it."""
        tokens: list[int] = []
        starts: list[int] = []
        for segment in segments:
            starts.append(len(tokens))
            tokens += self.tokenize(segment.text, control=not segment.is_content)
        if self.adds_bos and tokens[:1] != [self.bos]:
            return [self.bos, *tokens], [start + 1 for start in starts]
        return tokens, starts

    def far_beyond(self, segments: Sequence[Segment], limit_tokens: int) -> int:
        """Return how many tokens these are at least, where they are far more than the limit; 0 where they may not be.

        Counts pieces up to there: to count a text of megabytes whole takes as long as hundreds of answers' tokens do.
        """
        found = 0
        for segment in segments:
            for at in range(0, len(segment.text), _COUNTED_CHARACTERS):
                piece = segment.text[at : at + _COUNTED_CHARACTERS]
                # A border makes more tokens than there are, by one or two.
                found += max(0, len(self._tokenize(piece, control=False)) - 2)
                if found > _FAR * limit_tokens:
                    return found
        return 0

    def is_end(self, token: int) -> bool:
        """Say whether a token ends an answer."""
        return bool(self._llama.llama_vocab_is_eog(self.handle, token))

    def is_control(self, token: int) -> bool:
        """Say whether a token is one that no text can become."""
        return bool(self._attributes(token) & _CONTROL)

    def piece(self, token: int) -> bytes:
        """Return the bytes of a token in an answer; a control token that is no markup has none."""
        known = self._pieces.get(token)
        if known is None:
            known = self._read_piece(token)
            if self._attributes(token) & (_CONTROL | _UNKNOWN) and known.decode(errors="replace") not in MARKUP:
                known = b""
            self._pieces[token] = known
        return known

    def text_of(self, token: int) -> str:
        """Return a token as the vocabulary writes it; empty for none."""
        return self._read_piece(token).decode(errors="replace") if token >= 0 else ""

    def _tokenize(self, text: str, *, control: bool) -> list[int]:
        if not text:
            return []
        data = text.encode(errors="replace")
        room = len(data) + 8
        while True:
            buffer = (ctypes.c_int32 * room)()
            count = int(
                self._llama.llama_tokenize(self.handle, data, len(data), buffer, room, False, control)  # noqa: FBT003 - a C call
            )
            if count >= 0:
                return buffer[:count]
            room = -count

    def _read_piece(self, token: int) -> bytes:
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = int(self._llama.llama_token_to_piece(self.handle, token, buffer, size, 0, True))  # noqa: FBT003 - a C call
            if count >= 0:
                return buffer.raw[:count]
            size = -count

    def _attributes(self, token: int) -> int:
        return int(self._llama.llama_vocab_get_attr(self.handle, token))

    def _find_markup(self) -> re.Pattern[str] | None:
        """Return a pattern of the user-defined tokens that look like markup."""
        texts = [
            self._read_piece(token).decode(errors="replace")
            for token in range(self.size)
            if self._attributes(token) & _USER_DEFINED
        ]
        markup = sorted((text for text in texts if re.fullmatch(r"[<\[].+[>\]]", text)), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, markup))) if markup else None
