"""Log probabilities as both OpenAI APIs tell them: a token's text, its bytes, and the likeliest others. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from serve.events import TokenLogprob

__all__ = ["told_logprobs"]


def told_logprobs(logprobs: Iterable[TokenLogprob]) -> list[dict[str, object]]:
    """Return the entries of these tokens. A token may be a part of a character: its text is then a stand-in."""
    return [
        {**_one(found.token, found.logprob), "top_logprobs": [_one(token, value) for token, value in found.top]}
        for found in logprobs
    ]


def _one(token: bytes, logprob: float) -> dict[str, object]:
    return {"token": token.decode(errors="replace"), "logprob": logprob, "bytes": list(token)}
