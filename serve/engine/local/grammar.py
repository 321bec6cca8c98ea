"""A grammar over one model's tokens: what may come next, and what has come. Never fails open, never crashes.

llama.cpp answers a grammar that it cannot read with NULL, and ends the process when it is told of a token that the
grammar does not allow. So the pointer is checked, and a token is accepted only after it was found allowed.
"""

from __future__ import annotations

import ctypes
from typing import Any

from serve.engine.local.native import llama
from serve.engine.local.vocabulary import Vocabulary
from serve.errors import BadRequestError

__all__ = ["Grammar"]

_REFUSED_BELOW = -1e30
"""Tokens that are not allowed get a logit of minus infinity."""


class Grammar:
    """One reading of a grammar text. `close` frees it.

    Raises:
        BadRequestError: llama.cpp refuses the grammar.
    """

    def __init__(self, vocabulary: Vocabulary, text: str, param: str) -> None:
        self._vocabulary = vocabulary
        self._sampler: Any = llama.llama_sampler_init_grammar(vocabulary.handle, text.encode(), b"root")
        if not self._sampler:
            raise BadRequestError(
                f"The schema at {param} makes a grammar that cannot be used here; send a simpler one.",
                param=param,
                code="unsupported_schema",
            )

    def allows(self, token: int) -> bool:
        """Say whether a token may come next."""
        one = (llama.llama_token_data * 1)()
        one[0].id = token
        self.mask(llama.llama_token_data_array(one, 1, -1, False))  # noqa: FBT003 - a C struct
        return float(one[0].logit) > _REFUSED_BELOW

    def mask(self, candidates: Any) -> None:
        """Take the tokens that may not come next out of a candidate array, by their logits."""
        llama.llama_sampler_apply(self._sampler, ctypes.byref(candidates))

    def accept(self, token: int) -> bool:
        """Move on by a token; False, and nothing moved, when it is not allowed."""
        if not self.allows(token):
            return False
        llama.llama_sampler_accept(self._sampler, token)
        return True

    def accept_text(self, text: str) -> bool:
        """Move on by a text that was written already; False when the grammar does not allow it."""
        tokens = self._vocabulary.spell(text)
        return bool(tokens or not text) and all(self.accept(token) for token in tokens)

    def close(self) -> None:
        """Free the grammar."""
        if self._sampler:
            llama.llama_sampler_free(self._sampler)
            self._sampler = None
