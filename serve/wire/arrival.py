"""What a decoder must know besides the body: who answers, what the path and headers say, and the limits.

Here the name of a model is resolved and the mode is chosen; pure, so that one test pins all wires together.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from serve.errors import BadRequestError, UnknownModelError
from serve.settings import ServeSettings
from serve.turns import Mode, ReasoningEffort
from serve.wire.fields import shorten

__all__ = ["Arrival", "Named", "choose_mode", "effort_of", "is_compaction", "resolve_model", "says_mode"]


class Named(Struct, frozen=True):
    """A model's name as a client wrote it, taken apart."""

    model: str
    """The id that is reported back."""
    mode: Mode | None = None
    """From `<id>:ask` or `<id>:general`."""
    is_fast: bool = False
    """From `<id>-fast`: thinking is off."""


class Arrival(Struct, frozen=True, kw_only=True):
    """The circumstances of one request."""

    id: str
    """Unique; the ids of the answer are made from it."""
    models: tuple[str, ...]
    """The ids that exist here."""
    settings: ServeSettings = ServeSettings()
    project: str = "default"
    mode_header: str | None = None
    """The value of `x-roteiro-mode`."""
    mode_of_path: Mode | None = None
    """From the base URL `/general/v1` or `/ask/v1`."""
    turn_metadata: str | None = None
    """The value of `x-codex-turn-metadata`."""

    def effort(self) -> ReasoningEffort | None:
        """Return the server's own default level of reasoning."""
        return effort_of(self.settings.reasoning_effort)


def effort_of(word: str) -> ReasoningEffort | None:
    """Return the level nearest to a client's word; an unknown word is no decision, it is never refused."""
    nearest = {"minimal": "low", "max": "xhigh"}.get(word, word)
    return next((effort for effort in ReasoningEffort if effort.value == nearest), None)


def resolve_model(name: str, models: tuple[str, ...], aliases: Mapping[str, str]) -> Named:
    """Return who answers to this name; raises UnknownModelError. A name that exists wins over any suffix in it."""
    if name in models:
        return Named(name)
    if name in aliases:
        return resolve_model(aliases[name], models, {})
    for suffix, mode in ((":ask", Mode.ASK), (":general", Mode.GENERAL)):
        if name.endswith(suffix):
            return msgspec.structs.replace(resolve_model(name.removesuffix(suffix), models, aliases), mode=mode)
    if name.endswith("-fast"):
        return msgspec.structs.replace(resolve_model(name.removesuffix("-fast"), models, aliases), is_fast=True)
    raise UnknownModelError(name if len(name) <= 200 else name[:200], (*models, *sorted(aliases)))


def choose_mode(arrival: Arrival, named: Named, *, brings_tools: bool) -> Mode:
    """Return the door: what is said outright (header, path, model name) comes before the signs of tools."""
    header = arrival.mode_header
    if header is not None:
        if header not in {mode.value for mode in Mode}:
            raise BadRequestError(
                f"The header x-roteiro-mode must be ask or general; found {shorten(header)}.", param="x-roteiro-mode"
            )
        return Mode(header)
    said = arrival.mode_of_path or named.mode
    if said is not None:
        return said
    return Mode.GENERAL if brings_tools else Mode.ASK


def says_mode(arrival: Arrival, named: Named) -> bool:
    """Say whether the request names its door outright, by header, path or model name."""
    return arrival.mode_header is not None or (arrival.mode_of_path or named.mode) is not None


def is_compaction(turn_metadata: str | None) -> bool:
    """Codex says so when it asks for a summary of a conversation; an unreadable value says nothing."""
    if not turn_metadata:
        return False
    try:
        metadata = msgspec.json.decode(turn_metadata, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return False
    return metadata.get("request_kind") == "compaction"
