"""A tools array as a few lines of the system turn: signatures that a small model can read and a cache can keep.

`search(query: str, limit?: int 1..25) - Find code by words.` The same array gives the same text, in the caller's
order. What the section may cost is bounded in tokens: descriptions give way first, step by step, and beyond the hard
limit the request is refused, never cut. A schema that a signature cannot state goes verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct

from serve.errors import BadRequestError
from serve.prompt.content import Segment
from serve.prompt.dialects import Dialect
from serve.prompt.signatures import signature
from serve.turns import ToolSpec

__all__ = ["ToolDetail", "ToolLimits", "ToolSection", "tool_section"]

_FIRST_SENTENCE_BYTES = 200


class ToolDetail(StrEnum):
    """How much of the descriptions is told."""

    FULL = "full"
    FIRST_SENTENCE = "first-sentence"
    SIGNATURE = "signature"


class ToolLimits(Struct, frozen=True, kw_only=True):
    """Tokens that the section may have: beyond `soft` descriptions are shortened, beyond `hard` it is refused."""

    soft_tokens: int = 2_048
    hard_tokens: int = 8_192


class ToolSection(Struct, frozen=True):
    """The section for the system turn, and how detailed it is."""

    segments: tuple[Segment, ...]
    detail: ToolDetail
    tokens: int


def tool_section(
    tools: Sequence[ToolSpec], dialect: Dialect, count: Callable[[str], int], limits: ToolLimits | None = None
) -> ToolSection:
    """Return the tool section of a system turn; `count` gives the tokens of a text.

    Raises:
        BadRequestError: over the hard limit even as bare signatures, or a schema that is no object.
    """
    bounds = limits or ToolLimits()
    descriptions = [" ".join(tool.description.split()) for tool in tools]
    detail, listing, tokens = ToolDetail.FULL, "", 0
    for detail in ToolDetail:
        describe = _DESCRIBE[detail]
        signatures = [signature(tool, number, describe) for number, tool in enumerate(tools)]
        texts = descriptions
        if detail is ToolDetail.FIRST_SENTENCE:
            texts = _shorten(signatures, descriptions, count, bounds.soft_tokens)
        elif detail is ToolDetail.SIGNATURE:
            texts = [""] * len(descriptions)
        listing = _listing(signatures, texts)
        tokens = count(listing)
        if tokens <= bounds.soft_tokens:
            break
    if tokens > bounds.hard_tokens:
        raise BadRequestError(
            f"The tools of this request take {tokens} tokens even without their descriptions; the limit here is"
            f" {bounds.hard_tokens} (tool_prompt_tokens_hard). Send fewer tools, or simpler schemas.",
            param="tools",
            code="tools_too_large",
        )
    segments = (
        Segment("# Tools\n\n", is_content=False),
        Segment(listing, is_content=True),
        Segment(f"\n\n{dialect.instruction()}", is_content=False),
    )
    return ToolSection(segments, detail, tokens)


def _listing(signatures: Sequence[str], descriptions: Sequence[str]) -> str:
    """Return one line a tool; a description that an earlier tool has already is not said again."""
    said: set[str] = set()
    lines: list[str] = []
    for line, description in zip(signatures, descriptions, strict=True):
        is_new = bool(description) and description not in said
        lines.append(f"{line} - {description}" if is_new else line)
        said.add(description)
    return "\n".join(lines)


def _shorten(
    signatures: Sequence[str], descriptions: Sequence[str], count: Callable[[str], int], soft_tokens: int
) -> list[str]:
    """Cut descriptions to their first sentence, the longest first, until the section fits or all are cut."""
    texts = list(descriptions)
    order = sorted(range(len(texts)), key=lambda at: (-len(texts[at].encode()), at))
    saved = count(_listing(signatures, texts)) - soft_tokens
    for at in order:
        if saved <= 0:
            break
        short = _first_sentence(texts[at])
        saved -= count(texts[at]) - count(short)
        texts[at] = short
    return texts


def _first_sentence(text: str) -> str:
    """Return the first sentence of a description, at most 200 bytes, whole words."""
    sentence = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    data = sentence.encode()
    if len(data) <= _FIRST_SENTENCE_BYTES:
        return sentence
    cut = data[: _FIRST_SENTENCE_BYTES - 3].decode(errors="ignore")
    return f"{cut.rsplit(' ', 1)[0]}..."


_DESCRIBE: dict[ToolDetail, Callable[[str], str]] = {
    ToolDetail.FULL: str,
    ToolDetail.FIRST_SENTENCE: _first_sentence,
    ToolDetail.SIGNATURE: lambda _: "",
}
"""What becomes of the descriptions of arguments."""
