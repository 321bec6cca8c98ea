"""The names that a resolution asked other files for, kept small: each as a number of four bytes.

Two names may share a number. Then a file is resolved again for a name that it never asked for, which costs time and
never truth.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["CLASSES", "EVERYTHING", "STORES", "asks_for", "name_number", "of_file", "packed"]

EVERYTHING = "?everything"
"""Asked for by whoever reads another file without asking for names: any change of it may matter."""
CLASSES = "?classes"
"""Asked for by whoever goes through all classes of a file that have bases."""
STORES = "?stores"
"""Asked for by whoever reads what a file puts into its containers by index and by their methods."""

_REMEMBERED = 50_000


@lru_cache(maxsize=_REMEMBERED)
def name_number(name: str) -> int:
    """Return the number of a name."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def of_file(mark: str, path: str) -> str:
    """Return `CLASSES` or `STORES` of one file: unlike a name, what they stand for is never found in another one."""
    return f"{mark} {path}"


def packed(names: Iterable[str]) -> bytes:
    """Return names as they are kept: their numbers in order."""
    numbers = sorted({name_number(name) for name in names})
    return struct.pack(f"<{len(numbers)}I", *numbers)


def asks_for(kept: bytes, changed: frozenset[int]) -> bool:
    """Say whether one of these numbers is among what `packed` gave; of what is damaged that cannot be ruled out."""
    if len(kept) % 4:
        return True
    numbers = struct.unpack(f"<{len(kept) // 4}I", kept)
    return not changed.isdisjoint(numbers) or name_number(EVERYTHING) in numbers
