"""The llama.cpp library as this engine uses it: loading, a model's facts, its log. Nothing else touches a model handle.

Every native call of the package goes through `llama_cpp.llama_cpp`, imported here once. `llama_cpp` is an extra: the
functions below are only reached in a worker, after `LocalEngine` made sure that it is installed.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from hashlib import blake2b
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as _llama  # pyright: ignore[reportMissingImports] - an extra that may be absent

from serve.engine.local.gguf import check_file, memory_bytes
from serve.engine.local.kv import KvTypes, bytes_of
from serve.engine.local.schedule import PREFILL_STEP
from serve.engine.local.vocabulary import Vocabulary
from serve.errors import EngineError

__all__ = ["NativeModel", "has_gpu", "last_log", "llama"]

llama: Any = _llama
"""The bindings. Untyped on purpose: they are ctypes, whose stubs say less than the C header."""

_GIB = 1024**3
_HEADER_BYTES = 16 * 1024**2
"""Longer than the header of any model seen: metadata, vocabulary, the table of tensors."""
_log: deque[str] = deque(maxlen=60)


def _keep_log(level: int, text: bytes, _data: object) -> None:
    """Keep warnings and errors, which say why a load failed; drop the rest."""
    if level >= 3:  # GGML_LOG_LEVEL_WARN is 3, ERROR 4, CONT 5
        _log.append(text.decode(errors="replace"))


_log_callback: Any = llama.llama_log_callback(_keep_log)
"""Held here, since the library calls it as long as it lives."""


class NativeModel:
    """A loaded GGUF model. `close` frees it; contexts must be closed before.

    Raises:
        EngineError: the file is missing, foreign, truncated, of an unknown architecture or too big; says what to do.
    """

    def __init__(self, path: Path, gpu_layers: int = 0) -> None:
        check_file(path)
        llama.llama_log_set(_log_callback, None)
        llama.llama_backend_init()
        _log.clear()
        params = llama.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        handle = llama.llama_model_load_from_file(os.fsencode(path), params)
        if not handle:
            raise EngineError(_why_not_loaded(path))
        self._set(handle)

    def _set(self, handle: Any) -> None:
        self.handle = handle
        self.vocabulary = Vocabulary(llama, llama.llama_model_get_vocab(handle), self.metadata)
        self.trained_tokens = int(llama.llama_model_n_ctx_train(handle))
        is_recurrent = bool(llama.llama_model_is_recurrent(handle) or llama.llama_model_is_hybrid(handle))
        self.sliding_tokens = int(llama.llama_model_n_swa(handle))
        # A sliding window's state can be put back after some prefixes only (see `sliding`). Going back in a live
        # sequence is exact after all, since the whole of it is kept (`swa_full`).
        self.restores_anywhere = self.sliding_tokens == 0
        self.rewinds_exactly = not is_recurrent
        self.weight_bytes = int(llama.llama_model_size(handle))

    def kv_bytes_per_token(self, types: KvTypes) -> int:
        """Return the memory that one token takes in a context: keys and values of all layers.

        An upper bound for hybrid models, whose recurrent layers keep none.
        """
        handle = self.handle
        head = int(llama.llama_model_n_embd(handle)) // max(1, int(llama.llama_model_n_head(handle)))
        row = int(llama.llama_model_n_head_kv(handle)) * head
        return int(llama.llama_model_n_layer(handle)) * (bytes_of(row, types.keys) + bytes_of(row, types.values))

    def snapshot_key(self, path: Path, gpu_layers: int, types: KvTypes) -> bytes:
        """Return what a saved state depends on besides its tokens: the file, the library, and how they are run."""
        from importlib.metadata import version

        with path.open("rb") as file:
            digest = blake2b(file.read(_HEADER_BYTES), digest_size=24)
        library = version("llama_cpp_python")
        attention = (types.keys, types.values, types.has_flash_attention, "swa full")
        run = (path.stat().st_size, library, PREFILL_STEP, gpu_layers, *attention)
        digest.update(repr(run).encode())
        return digest.digest()

    def metadata(self, key: str) -> str | None:
        """Return a value of the file's metadata as text, or None."""
        size = 1024
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = int(llama.llama_model_meta_val_str(self.handle, key.encode(), buffer, size))
            if length < 0:
                return None
            if length < size:
                return buffer.value.decode(errors="replace")
            size = length + 1

    def describe(self) -> str:
        """Return architecture, size and quantisation in a few words."""
        buffer = ctypes.create_string_buffer(256)
        llama.llama_model_desc(self.handle, buffer, len(buffer))
        return buffer.value.decode(errors="replace")

    def close(self) -> None:
        """Free the model."""
        if self.handle:
            llama.llama_model_free(self.handle)
            self.handle = None


def has_gpu() -> bool:
    """Say whether this build of llama.cpp can compute on a GPU."""
    return bool(llama.llama_supports_gpu_offload())


def last_log() -> str:
    """Return the end of what llama.cpp warned of since a model was loaded, in one line."""
    return " ".join("".join(_log).split())[-300:]


def _why_not_loaded(path: Path) -> str:
    """Return why llama.cpp refused the file, from its log, and what to do."""
    text = " ".join("".join(_log).split())
    if "unknown model architecture" in text:
        kind = text.split("unknown model architecture:")[-1].split()[0].strip("'\"")
        return (
            f"The installed llama.cpp does not know the architecture {kind!r} of {path}."
            f" Update it (`pip install -U 'roteiro[local]'`) or choose another model."
        )
    if "not within the file bounds" in text or "incomplete" in text:
        return f"The model file {path} is truncated or corrupt. Fetch it again: `roteiro model pull`."
    if "alloc" in text or "mmap" in text:
        size = path.stat().st_size / _GIB
        return (
            f"There is no memory for {path} ({size:.1f} GiB; this machine has {memory_bytes() / _GIB:.1f} GiB)."
            f" Choose a smaller model."
        )
    reason = text[-300:] or "it gave no reason"
    return f"llama.cpp could not load {path}: {reason}. Fetch the file again or choose another model."
