"""The number types that a context keeps keys and values in: what llama.cpp calls them, and what they take. Pure."""

from __future__ import annotations

from msgspec import Struct

from serve.errors import EngineError
from serve.settings import EngineSettings, KvType

__all__ = ["KvTypes", "bytes_of", "native_type", "types_of"]

_BLOCK = 32
_TYPES: dict[KvType, tuple[int, int]] = {
    "f32": (0, 128),
    "f16": (1, 64),
    "bf16": (30, 64),
    "q8_0": (8, 34),
    "q5_1": (7, 24),
    "q5_0": (6, 22),
    "q4_1": (3, 20),
    "q4_0": (2, 18),
    "iq4_nl": (20, 18),
}
"""The number of each in ggml.h, and the bytes of 32 values, which the quantised ones keep with a common scale."""
_WHOLE = frozenset({"f32", "f16", "bf16"})


class KvTypes(Struct, frozen=True, kw_only=True):
    """How a context keeps what it computed."""

    keys: KvType = "f16"
    values: KvType = "f16"
    has_flash_attention: bool = False


def types_of(settings: EngineSettings) -> KvTypes:
    """Return the types that a person chose.

    Raises:
        EngineError: quantised values without flash attention, which llama.cpp cannot run; says what to set.
    """
    types = KvTypes(keys=settings.key_type, values=settings.value_type, has_flash_attention=settings.flash_attention)
    if types.values not in _WHOLE and not types.has_flash_attention:
        raise EngineError(
            f"value_type = {types.values!r} needs flash attention, since values are otherwise kept crosswise to their"
            f" blocks. Set `flash_attention = true` under [serve.engine], or keep the values in 'f16'"
            f" (key_type may be quantised without it)."
        )
    return types


def native_type(name: KvType) -> int:
    """Return llama.cpp's number of a type."""
    return _TYPES[name][0]


def bytes_of(count: int, name: KvType) -> int:
    """Return the bytes that `count` values take, a whole number of blocks."""
    return -(-count // _BLOCK) * _TYPES[name][1]
