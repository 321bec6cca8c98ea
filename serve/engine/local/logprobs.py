"""Log probabilities of tokens, by the model's own distribution: before penalties, temperature and grammar."""

from __future__ import annotations

from typing import Any

from serve.engine.local.native import llama
from serve.engine.local.vocabulary import Vocabulary
from serve.events import TokenLogprob

__all__ = ["logprob_of"]


def logprob_of(context_handle: Any, place: int, vocabulary: Vocabulary, token: int, top: int) -> TokenLogprob:
    """Return how likely a token was at a place of the last batch, with the `top` likeliest tokens there."""
    import numpy as np  # llama-cpp-python brings it; only a worker has need of it

    logits = np.ctypeslib.as_array(llama.llama_get_logits_ith(context_handle, place), shape=(vocabulary.size,))
    shifted = logits.astype(np.float64) - float(logits.max())
    logs = shifted - float(np.log(np.exp(shifted).sum()))
    best: list[int] = np.argsort(-logs, kind="stable")[:top].tolist()
    likeliest = tuple((vocabulary.piece(one), float(logs[one])) for one in best)
    return TokenLogprob(vocabulary.piece(token), float(logs[token]), likeliest)
