"""How much text an engine may be given to read, so that an answer begins in time.

A token of evidence costs prefill: 42 tokens a second is what the default model reads on two cores.
"""

from __future__ import annotations

from serve.ask.evidence import CHARACTERS_A_TOKEN
from serve.engine.base import EngineInfo
from serve.settings import AskSettings

__all__ = ["evidence_tokens", "result_bytes"]

_EVIDENCE_S = 12.0
"""Seconds of prefill that evidence may cost where the speed is known; the first token should come within 20."""
_RESULT_S = 20.0
"""The same for the results of one tool call."""
_LEAST_EVIDENCE_TOKENS = 200
_LEAST_RESULT_BYTES = 1_500
_FOLLOW_UP_SHARE = 0.6
"""Of the evidence, in a follow-up: the turns before it are prefilled too, within the same seconds."""


def evidence_tokens(settings: AskSettings, info: EngineInfo, *, is_follow_up: bool) -> int:
    """Return the tokens that primed evidence may have: what is set, less where the engine is too slow for it."""
    tokens = float(settings.evidence_tokens)
    if info.prefill_tokens_per_s:
        tokens = min(tokens, info.prefill_tokens_per_s * _EVIDENCE_S)
    if is_follow_up:
        tokens *= _FOLLOW_UP_SHARE
    return max(_LEAST_EVIDENCE_TOKENS, int(tokens))


def result_bytes(settings: AskSettings, info: EngineInfo) -> int:
    """Return the bytes that the result of one tool call may have."""
    if not info.prefill_tokens_per_s:
        return settings.tool_bytes
    readable = info.prefill_tokens_per_s * _RESULT_S * CHARACTERS_A_TOKEN
    return min(settings.tool_bytes, max(_LEAST_RESULT_BYTES, int(readable)))
