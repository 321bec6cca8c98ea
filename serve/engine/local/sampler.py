"""How the next token is drawn: one chain of llama.cpp samplers a request, in an order of our own.

Order: grammar, logit bias, penalties, top_k, top_p, min_p, temperature, draw. Temperature 0 is greedy. The same seed,
prompt and parameters give the same answer. A token is drawn first and checked against the grammar then: masking a
whole vocabulary costs more than drawing again where a model strays. An ending may turn the token down that was drawn:
then a loop is left, or the likeliest token is taken after which the document still fits into what is left.
"""

from __future__ import annotations

import ctypes
import secrets
from typing import Any

from msgspec import Struct

from serve.engine.local.ending import Ending
from serve.engine.local.grammar import Grammar
from serve.engine.local.native import llama
from serve.errors import EngineError
from serve.turns import Mode, Sampling

__all__ = ["Defaults", "Sampler"]

_PENALTY_WINDOW_TOKENS = 4_096
"""How far back penalties look. The APIs count the whole answer; few answers are longer than this."""

_LANDING_CHOICES = 32
"""How many of the likeliest tokens are tried when the end must come near; it comes by the shortest way else."""

_BANNED_BELOW = -1e8
"""Tokens that the grammar refuses, or that a bias bans, have a logit below."""


class Defaults(Struct, frozen=True, kw_only=True):
    """What a request that says nothing gets: the model file's own recommendation, else llama.cpp's common values."""

    temperature: float = 0.7
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05


class Sampler:
    """Draws tokens for one request. `close` frees it."""

    def __init__(self, sampling: Sampling, mode: Mode, defaults: Defaults, vocabulary_tokens: int) -> None:
        self._size = vocabulary_tokens
        self._held: Any = None
        self._chain: Any = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        self._add_bias(sampling, vocabulary_tokens)
        self._add_penalties(sampling, vocabulary_tokens)
        default = 0.0 if mode is Mode.ASK else defaults.temperature
        temperature = default if sampling.temperature is None else sampling.temperature
        if temperature <= 0:
            self._add(llama.llama_sampler_init_greedy())
            return
        top_k = defaults.top_k if sampling.top_k is None else sampling.top_k
        top_p = defaults.top_p if sampling.top_p is None else sampling.top_p
        min_p = defaults.min_p if sampling.min_p is None else sampling.min_p
        if top_k > 0:
            self._add(llama.llama_sampler_init_top_k(top_k))
        if top_p < 1:
            self._add(llama.llama_sampler_init_top_p(max(top_p, 0.0), 1))
        if min_p > 0:
            self._add(llama.llama_sampler_init_min_p(min_p, 1))
        self._add(llama.llama_sampler_init_temp(temperature))
        seed = secrets.randbits(32) if sampling.seed is None else sampling.seed
        self._add(llama.llama_sampler_init_dist(seed & 0xFFFFFFFF))

    def draw(
        self,
        context_handle: Any,
        index: int,
        grammar: Grammar | None = None,
        ending: Ending | None = None,
        tokens_left: int = 0,
    ) -> int:
        """Return the next token after the one at `index` of the last batch, one that the grammar allows.

        With an ending it is one after which the document can be whole within `tokens_left`, itself counted.

        Raises:
            EngineError: the grammar allows no token of this vocabulary.
        """
        if grammar is None:
            return int(llama.llama_sampler_sample(self._chain, context_handle, index))
        token = self._held_draw(context_handle, index, grammar)
        if ending is not None:
            leaving = ending.way_out(token)
            if leaving is not None and grammar.allows(leaving):
                token = leaving
            elif not ending.fits(token, tokens_left):
                token = self._fitting(context_handle, index, grammar, ending, tokens_left) or token
        if not grammar.accept(token):
            raise EngineError(
                "The model has no token that the format asked for allows here. Send a simpler schema.", status=422
            )
        llama.llama_sampler_accept(self._chain, token)
        return token

    def _held_draw(self, context_handle: Any, index: int, grammar: Grammar) -> int:
        token = self._choose(self._candidates(context_handle, index))
        if grammar.allows(token):
            return token
        candidates = self._candidates(context_handle, index)
        grammar.mask(candidates)
        return self._choose(candidates)

    def _fitting(
        self, context_handle: Any, index: int, grammar: Grammar, ending: Ending, tokens_left: int
    ) -> int | None:
        """Return the likeliest token after which the document still fits, else the next of its shortest way home."""
        candidates = self._candidates(context_handle, index)
        grammar.mask(candidates)
        self._choose(candidates)
        choices = self._held[: candidates.size]  # what the chain left, with biases and penalties in its logits
        choices = choices[choices["logit"] > _BANNED_BELOW]
        for token in choices["id"][choices["logit"].argsort()[::-1][:_LANDING_CHOICES]].tolist():
            if ending.fits(token, tokens_left):
                return int(token)
        home = ending.first_home()
        return home if home is not None and grammar.allows(home) else None

    def _candidates(self, context_handle: Any, index: int) -> Any:
        """Return all tokens with their logits, as the samplers of llama.cpp take them."""
        import numpy as np  # llama-cpp-python brings it; only a worker has need of it

        logits = np.ctypeslib.as_array(llama.llama_get_logits_ith(context_handle, index), shape=(self._size,))
        data = np.empty(self._size, dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        data["id"], data["logit"], data["p"] = np.arange(self._size, dtype=np.int32), logits, 0
        self._held = data  # the array below points into it
        pointer = ctypes.cast(int(data.ctypes.data), llama.llama_token_data_p)
        return llama.llama_token_data_array(pointer, self._size, -1, False)  # noqa: FBT003 - a C struct

    def _choose(self, candidates: Any) -> int:
        llama.llama_sampler_apply(self._chain, ctypes.byref(candidates))
        return int(candidates.data[candidates.selected].id)

    def close(self) -> None:
        """Free the chain."""
        if self._chain is not None:
            llama.llama_sampler_free(self._chain)
            self._chain = None

    def _add(self, sampler: Any) -> None:
        llama.llama_sampler_chain_add(self._chain, sampler)

    def _add_bias(self, sampling: Sampling, vocabulary_tokens: int) -> None:
        biases = [(token, bias) for token, bias in sampling.logit_bias if 0 <= token < vocabulary_tokens]
        if not biases:
            return
        entries = (llama.llama_logit_bias * len(biases))()
        for entry, (token, bias) in zip(entries, biases, strict=True):
            entry.token, entry.bias = token, bias
        self._add(llama.llama_sampler_init_logit_bias(vocabulary_tokens, len(biases), entries))

    def _add_penalties(self, sampling: Sampling, vocabulary_tokens: int) -> None:
        values = (sampling.repetition_penalty, sampling.frequency_penalty, sampling.presence_penalty)
        if values != (1.0, 0.0, 0.0):
            self._add(llama.llama_sampler_init_penalties(vocabulary_tokens, _PENALTY_WINDOW_TOKENS, *values))
