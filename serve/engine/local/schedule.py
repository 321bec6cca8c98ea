"""Where prefill is cut, and how much of an evaluated prefix may be used again. Pure.

The rule that must stay true: the list of chunks up to a cut is a function of the tokens up to it, whatever was
evaluated before. What breaks exactness in llama.cpp is the width of chunks, never a restored prefix, so an answer is
the same whether its prefix was evaluated, kept or restored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["PREFILL_STEP", "chunk_ends", "common_prefix", "reusable"]

PREFILL_STEP = 256
"""The widest chunk. Part of every snapshot's key: another width is another model output in the last bits."""


def chunk_ends(prompt_tokens: int, cuts: Collection[int]) -> tuple[int, ...]:
    """Return the ends of the chunks of a prompt: at each cut, every PREFILL_STEP after the last cut, and at the end."""
    ends: list[int] = []
    at = 0
    for cut in sorted({cut for cut in cuts if 0 < cut < prompt_tokens} | {prompt_tokens}):
        ends.extend(range(at + PREFILL_STEP, cut, PREFILL_STEP))
        ends.append(cut)
        at = cut
    return tuple(ends)


def reusable(tokens: Sequence[int], ends: Sequence[int], known: Sequence[int], known_ends: Sequence[int]) -> int:
    """Return how many of `tokens` need no evaluation after `known` was evaluated in chunks that ended at `known_ends`.

    Only whole equal chunks count, and never the last chunk of the prompt, since its logits are needed.
    """
    kept = 0
    for end, known_end in zip(ends[:-1], known_ends, strict=False):
        if end != known_end or tokens[kept:end] != known[kept:end]:
            break
        kept = end
    return kept


def common_prefix(tokens: Sequence[int], others: Sequence[int]) -> int:
    """Return how many tokens two sequences begin with alike. By halves: comparing slices is quick, tokens slow."""
    same, differs = 0, min(len(tokens), len(others)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        if tokens[same:middle] == others[same:middle]:
            same = middle
        else:
            differs = middle
    return same
