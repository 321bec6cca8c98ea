"""The meaning of a text as a vector, by the static word vectors of an optional package; None where it is absent.

`roteiro[semantic]` brings wordllama's wheel, which holds 256 numbers for each of 32,000 pieces of words. They are read
from the installed files: the package itself is never imported, because its loader wants a hub client and the network.
A text is the sum of its words' pieces, so the same text gives the same vector everywhere.

The rule that must stay true: nothing here is loaded before a vector is asked for, and search works without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from graph.search.analyzer import parts, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DIMENSIONS", "Embedder", "embedder", "embedding_name"]

DIMENSIONS = 256
_RECIPE = 1
"""Raise it when a text is turned into a vector in another way: stored vectors are made anew."""
_PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_NEEDED = ("numpy", "safetensors", "tokenizers")
_REMEMBERED = 50_000
"""Words and parts of words whose pieces are kept: a large repository has millions of words and few different ones."""


class _Files(Struct, frozen=True):
    weights: Path
    tokenizer: Path
    version: str


class Embedder:
    """Turns texts into unit vectors. `name` says by what; vectors of different names cannot be compared."""

    def __init__(self, name: str, weights: NDArray[np.float32], pieces: Callable[[str], Sequence[int]]) -> None:
        self.name = name
        self._weights = weights
        self._pieces = lru_cache(maxsize=_REMEMBERED)(pieces)
        self._of = lru_cache(maxsize=_REMEMBERED)(partial(_pieces_of, self._pieces))

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, of length 1; zeros when it holds no word."""
        import numpy as np

        ids = [piece for word in words(text) for piece in self._of(word)]
        if not ids:
            return np.zeros(int(self._weights.shape[1]), dtype=np.float32)
        total: NDArray[np.float32] = np.asarray(self._weights[ids].sum(axis=0), dtype=np.float32)
        length = math.sqrt(float(total @ total))
        return np.asarray(total / length, dtype=np.float32) if length else total


def _pieces_of(pieces: Callable[[str], Sequence[int]], word: str) -> Sequence[int]:
    """Return the pieces of the parts of a word; numbers say nothing."""
    return tuple(piece for part in parts(word) if not part.isdigit() for piece in pieces(part))


def embedding_name() -> str:
    """Return the name of the installed vectors without loading them; empty when they are not installed."""
    files = _installed()
    return f"{_PACKAGE}-{files.version}-r{_RECIPE}" if files is not None else ""


@lru_cache(maxsize=1)
def embedder() -> Embedder | None:
    """Return the embedder of the installed package, loaded once (about 0.3 s, 60 MB); None when it is not installed."""
    files = _installed()
    if files is None:
        return None
    import numpy as np
    from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType] - typed by the cast below
    from tokenizers import Tokenizer

    load = cast("Callable[[Path], dict[str, NDArray[np.float16]]]", load_file)
    tokenizer = Tokenizer.from_file(str(files.tokenizer))

    def pieces(word: str) -> Sequence[int]:
        return tuple(tokenizer.encode(word, add_special_tokens=False).ids)

    return Embedder(embedding_name(), load(files.weights)[_TENSOR].astype(np.float32), pieces)


@lru_cache(maxsize=1)
def _installed() -> _Files | None:
    """Return the files of the package; None when it, or one of the three that read it, is missing."""
    if any(find_spec(name) is None for name in (*_NEEDED, _PACKAGE)):
        return None
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        return None
    from importlib import metadata  # brings the parser of e-mail along: 15 ms of every command, of use here alone

    folder = Path(found.origin).parent
    files = _Files(folder / _WEIGHTS, folder / _TOKENIZER, metadata.version(_PACKAGE))
    return files if files.weights.is_file() and files.tokenizer.is_file() else None
