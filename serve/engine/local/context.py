"""One live context: a sequence of evaluated tokens that can grow, go back to a cut, and be stopped while it computes.

`tokens` and `ends` say what was evaluated and in which chunks; after any failure the sequence is emptied, so they
never claim more than is there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from serve.engine.local.native import NativeModel, llama
from serve.engine.local.schedule import PREFILL_STEP
from serve.errors import EngineError

__all__ = ["Aborted", "Context"]

_BUCKET = 4_096
"""The smallest window, doubled as needed."""


class Aborted(Exception):  # noqa: N818 - a way out of a computation, not an error
    """The computation was stopped by `Context.abort`."""


class Context:
    """A window over one model, at most `limit_tokens` long. Not thread-safe but for `abort`."""

    def __init__(self, model: NativeModel, limit_tokens: int, threads: int) -> None:
        self._model = model
        self._threads = threads
        self.limit_tokens = limit_tokens
        self.size_tokens = 0
        self.tokens: list[int] = []
        self.ends: list[int] = []
        self.handle: Any = None
        self._flag = ctypes.create_string_buffer(2)
        libc = ctypes.CDLL(None)
        self._abort_callback = ctypes.cast(libc.strlen, llama.ggml_abort_callback)
        self._batch: Any = llama.llama_batch_init(PREFILL_STEP, 0, 1)

    def abort(self) -> None:
        """Stop what is being computed, from any thread; it raises Aborted there. Holds until `allow`."""
        # strlen of the flag is llama.cpp's abort callback: it is asked between graph nodes and needs no GIL.
        self._flag[0] = b"\x01"

    def allow(self) -> None:
        """Take back `abort`, before the next request."""
        self._flag[0] = b"\x00"

    @property
    def is_aborted(self) -> bool:
        """Whether `abort` was called since the last `allow`."""
        return self._flag[0] != b"\x00"

    def reserve(self, tokens: int) -> None:
        """Make the window hold at least `tokens`, carrying over what was evaluated.

        Raises:
            EngineError: there is no memory for it.
        """
        if tokens <= self.size_tokens:
            return
        size = _BUCKET
        while size < tokens:
            size *= 2
        size = min(size, self.limit_tokens)
        state = self.save() if self.tokens else None
        tokens_before, ends_before = self.tokens, self.ends
        self._free()
        self._create(size)
        if state is not None and self.restore(state):
            self.tokens, self.ends = tokens_before, ends_before

    def keep(self, count: int) -> bool:
        """Go back to the first `count` tokens; True when the sequence is now exactly those, else it is empty."""
        if count == len(self.tokens):
            return True
        if self.handle is None:
            return False
        memory = llama.llama_get_memory(self.handle)
        if count and self._model.rewinds_exactly and llama.llama_memory_seq_rm(memory, 0, count, -1):
            del self.tokens[count:]
            self.ends = [end for end in self.ends if end <= count]
            return True
        self.clear()
        return count == 0

    def evaluate(self, tokens: Sequence[int]) -> None:
        """Evaluate at most PREFILL_STEP tokens after the sequence; the logits are those of the last one.

        Raises:
            Aborted: `abort` was called.
            EngineError: llama.cpp refused the batch.
        """
        batch = self._batch
        start = len(self.tokens)
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = start + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = index == len(tokens) - 1
        code = int(llama.llama_decode(self.handle, batch))
        if code == 0:
            self.tokens.extend(tokens)
            self.ends.append(len(self.tokens))
            return
        self.clear()
        if code == 2 or self.is_aborted:
            raise Aborted
        raise EngineError(f"llama.cpp could not evaluate {len(tokens)} tokens at {start} (code {code}). Try again.")

    def save(self) -> bytes:
        """Return the evaluated state of the sequence."""
        size = int(llama.llama_state_seq_get_size_ext(self.handle, 0, 0))
        buffer = (ctypes.c_uint8 * size)()
        written = int(llama.llama_state_seq_get_data_ext(self.handle, buffer, size, 0, 0))
        return bytes(buffer) if written == size else b""

    def restore(self, state: bytes) -> bool:
        """Put a saved state in place of the sequence; on failure the sequence is empty."""
        self.clear()
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if state and int(llama.llama_state_seq_set_data_ext(self.handle, buffer, len(state), 0, 0)) == len(state):
            return True
        self.clear()
        return False

    def clear(self) -> None:
        """Forget everything."""
        self.tokens, self.ends = [], []
        if self.handle is not None:
            llama.llama_memory_clear(llama.llama_get_memory(self.handle), True)  # noqa: FBT003 - a C call

    def close(self) -> None:
        """Free the context."""
        self._free()
        if self._batch is not None:
            llama.llama_batch_free(self._batch)
            self._batch = None

    def _create(self, size: int) -> None:
        params = llama.llama_context_default_params()
        params.n_ctx = size
        params.n_batch = params.n_ubatch = PREFILL_STEP
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = self._threads
        params.flash_attn_type = 0  # off: with it on, chunks of other widths differ more, and a CPU gains nothing
        params.no_perf = True
        self.handle = llama.llama_init_from_model(self._model.handle, params)
        if not self.handle:
            raise EngineError(
                f"There is no memory for a window of {size} tokens. Set max_context_tokens below it, or kv_mb lower."
            )
        self.size_tokens = size
        data = ctypes.cast(self._flag, ctypes.c_void_p)
        llama.llama_set_abort_callback(self.handle, self._abort_callback, data)

    def _free(self) -> None:
        if self.handle:
            llama.llama_free(self.handle)
        self.handle = None
        self.size_tokens = 0
        self.tokens, self.ends = [], []
