"""What the analysed repository may say about itself. It is hostile data, so: less, never more.

It may add to `index.exclude` and narrow the numbers of `[index]` and `[ask]`. Everything else that its `roteiro.toml`
holds (an upstream, an address, a model, a path) is an error, because quietly ignoring it would leave the reader
believing that it works.
"""

from __future__ import annotations

from typing import cast

from roteiro.config.keys import Key, all_keys
from roteiro.config.sources import Setting
from roteiro.errors import ConfigError

__all__ = ["limited"]

_ADDED_TO = "index.exclude"
_TABLES = ("index.", "ask.")
_ZERO_IS_UNBOUNDED = frozenset({"index.workers"})
_RAISED_TO_NARROW = frozenset({"ask.min_score"})
"""A higher score refuses more questions; every other number is a bound and narrows downwards."""


def limited(wanted: Setting, current: Setting) -> Setting:
    """Return what holds when the repository wants `wanted` and the user (or the default) says `current`.

    A number that is wider than the user's own, yet within the default, leaves the user's in force: the user was
    stricter than the repository expects, and nobody is at fault.

    Raises:
        ConfigError: the key is not the repository's to set, or the value is wider than the default.

    """
    key = all_keys()[wanted.key]
    if wanted.key == _ADDED_TO:
        return Setting(wanted.key, _added(current.value, wanted.value), _joined(current.origin, wanted.origin))
    if not wanted.key.startswith(_TABLES) or not _is_number(wanted.value):
        raise ConfigError(
            f"{wanted.origin}: {wanted.key} cannot be set by a repository, only index.exclude and the numbers of "
            f"[index] and [ask]. Remove that line, or set it in your own file (see `roteiro config`).",
            origin=wanted.origin,
            key=wanted.key,
        )
    if _width(key, wanted.value) <= _width(key, current.value):
        return wanted
    if _width(key, wanted.value) <= _width(key, key.default):
        return current
    raise ConfigError(
        f"{wanted.origin}: {wanted.key} = {wanted.value!r} is wider than {current.value!r} ({current.origin}). "
        f"A repository may only narrow it. Remove that line, or raise it in your own file (see `roteiro config`).",
        origin=wanted.origin,
        key=wanted.key,
    )


def _added(first: object, second: object) -> tuple[str, ...]:
    # `checked` made both what the field says: a tuple of strings.
    return tuple(dict.fromkeys(cast("tuple[str, ...]", first) + cast("tuple[str, ...]", second)))


def _joined(first: str, second: str) -> str:
    return second if first == "default" else f"{first} and {second}"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _width(key: Key, value: object) -> float:
    """Return how much a value allows, comparable for one key."""
    if not isinstance(value, (int, float)):
        return 0.0
    if key.name in _ZERO_IS_UNBOUNDED and value == 0:
        return float("inf")
    return -value if key.name in _RAISED_TO_NARROW else value
