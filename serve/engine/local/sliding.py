"""After how many tokens the state of a model with a sliding window can be saved and put back, bit for bit. Pure.

llama.cpp saves without what left the window and restores to the first cells. Sums over cells then run in another order,
unless all that was left out is a whole number of the blocks in which a processor adds. Measured on a tiny gemma3.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = ["SlidingWindow"]

_BLOCK_TOKENS = 128
"""A multiple of what any kernel of llama.cpp adds at a time (64 numbers), and a divisor of most models' windows."""


class SlidingWindow(Struct, frozen=True):
    """How far back the layers of a model look that do not see everything; 0 when all of them do."""

    tokens: int = 0
    has_flash_attention: bool = False
    """It adds in blocks of the whole window, so that nothing may have been left out at all."""

    def settled(self, count: int) -> int:
        """Return the longest prefix of `count` tokens whose state is put back exactly."""
        if not self.tokens or count <= self.tokens:
            return count
        if self.has_flash_attention:
            return self.tokens
        return count - (count - self.tokens) % _BLOCK_TOKENS
