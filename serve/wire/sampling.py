"""How tokens are drawn, as both OpenAI APIs say it, with the bounds of those APIs."""

from __future__ import annotations

from serve.errors import BadRequestError
from serve.turns import ReasoningEffort, Sampling
from serve.wire.arrival import Arrival, Named, effort_of
from serve.wire.fields import Field

__all__ = ["MOST_LOGPROBS", "decode_budget", "decode_effort", "decode_sampling", "token_limit"]

MOST_LOGPROBS = 20  # the API's own bound
_MAX_TOKENS = 2**31 - 1
_MAX_STOPS = 4  # the API's own bound
_MAX_STOP_BYTES = 1_000  # a stop string is held back from the stream; a longer one would stall it
_MAX_BIASES = 1_024


def decode_sampling(root: Field, max_tokens: int | None) -> Sampling:
    """Return the sampling of a request; raises BadRequestError for a value out of bounds."""
    penalty = root.get("repetition_penalty").number(0.01, 10)
    return Sampling(
        max_tokens=max_tokens,
        temperature=root.get("temperature").number(0, 2),
        top_p=root.get("top_p").number(0, 1),
        top_k=root.get("top_k").integer(0, 1_000_000),
        min_p=root.get("min_p").number(0, 1),
        seed=root.get("seed").integer(-(2**63), 2**63 - 1),
        stop=_stops(root.get("stop")),
        frequency_penalty=root.get("frequency_penalty").number(-2, 2) or 0.0,
        presence_penalty=root.get("presence_penalty").number(-2, 2) or 0.0,
        repetition_penalty=1.0 if penalty is None else penalty,
        logit_bias=_biases(root.get("logit_bias")),
    )


def token_limit(field: Field) -> int | None:
    """Return a limit of tokens, None when absent."""
    return field.integer(1, _MAX_TOKENS)


def _stops(field: Field) -> tuple[str, ...]:
    if not field.is_given:
        return ()
    stops = [field] if isinstance(field.value, str) else list(field.items())
    if len(stops) > _MAX_STOPS:
        raise BadRequestError(f"stop may hold {_MAX_STOPS} strings; found {len(stops)}.", param="stop")
    for stop in stops:
        if len(stop.name().encode()) > _MAX_STOP_BYTES:
            raise BadRequestError(f"{stop.path} may have {_MAX_STOP_BYTES} bytes.", param=stop.path)
    return tuple(stop.text() for stop in stops)


def _biases(field: Field) -> tuple[tuple[int, float], ...]:
    if not field.is_given:
        return ()
    members = field.members()
    if len(members) > _MAX_BIASES:
        raise BadRequestError(f"logit_bias may hold {_MAX_BIASES} tokens; found {len(members)}.", param="logit_bias")
    return tuple(sorted(_bias(name, field) for name in members))


def _bias(name: str, field: Field) -> tuple[int, float]:
    # `isdecimal` admits digits of other scripts, which int() reads as well; ten digits hold every vocabulary.
    if not name.isascii() or not name.isdecimal() or len(name) > 10:
        raise BadRequestError(f"logit_bias has the key {name[:60]!r}; keys are token ids.", param="logit_bias")
    return int(name), field.get(name).number(-100, 100) or 0.0


def decode_effort(said: tuple[str | None, ...], arrival: Arrival, named: Named) -> ReasoningEffort | None:
    """Return the level of reasoning: `-fast` is off, else the first word that is one, else the server's own."""
    if named.is_fast:
        return ReasoningEffort.NONE
    levels = (effort_of(word) for word in said if word is not None)
    return next((level for level in levels if level is not None), arrival.effort())


def decode_budget(root: Field, arrival: Arrival) -> int | None:
    """Return the most tokens of thought: as the client says (-1 for any number), else the server's own bound."""
    template = root.get("chat_template_kwargs")
    for field in (root.get("reasoning_budget_tokens"), template.get("thinking_budget")):
        said = field.integer(-1, _MAX_TOKENS)
        if said is not None:
            return said if said >= 0 else None
    return arrival.settings.reasoning_budget or None
