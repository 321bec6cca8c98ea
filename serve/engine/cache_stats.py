"""What a prefix cache did, in numbers for `/metrics`."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["CacheStats"]


class CacheStats(Struct, kw_only=True):
    """What the cache did since the worker started."""

    hits: int = 0
    misses: int = 0
    disk_hits: int = 0
    evictions: int = 0
    refused: int = 0
    """States larger than the whole budget."""
    restores: int = 0
    restore_ms: float = 0.0
    """The sum over all restores."""
    bytes_held: int = 0
    entries: int = 0
    disk_bytes: int = 0
