"""One live context with a lane for each request at a time: sequences that grow, go back to a cut, and can be stopped.

`tokens` and `ends` of a lane say what was evaluated and in which chunks; after any failure the lane is emptied, so
they never claim more than is there. What one lane does changes no bit of another.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from serve.engine.local.kv import KvTypes, native_type
from serve.engine.local.native import NativeModel, last_log, llama
from serve.engine.local.schedule import PREFILL_STEP
from serve.errors import EngineError

__all__ = ["Aborted", "Context", "Lane", "Work"]

_BUCKET = 4_096
"""The smallest window of a lane, doubled as needed."""


class Aborted(Exception):  # noqa: N818 - a way out of a computation, not an error
    """The computation was stopped by `Context.abort`, or its request was given up."""


class Lane:
    """One sequence of a context."""

    def __init__(self, context: Context, number: int) -> None:
        self._context = context
        self.number = number
        self.tokens: list[int] = []
        self.ends: list[int] = []
        self.true_tokens: int | None = None
        """How far `ends` tell the truth; None is all the way. A chunk that was cut in two ends before it."""
        self.is_lost = False
        """What it held is gone, so that nothing may follow on it until it is emptied."""

    @property
    def true_ends(self) -> list[int]:
        """The ends of the chunks that were evaluated as they stand."""
        return self.ends if self.true_tokens is None else [end for end in self.ends if end <= self.true_tokens]

    def keep(self, count: int) -> bool:
        """Go back to the first `count` tokens; True when the lane now holds exactly those, else it is empty."""
        if count == len(self.tokens) and not self.is_lost:
            return True
        if count and self._context.rewind(self.number, count):
            del self.tokens[count:]
            self.ends = [end for end in self.ends if end <= count]
            whole = self.ends[-1] if self.ends else 0
            if whole < count:
                self.true_tokens = whole if self.true_tokens is None else min(whole, self.true_tokens)
            elif self.true_tokens is not None and self.true_tokens >= count:
                self.true_tokens = None
            return True
        self.clear()
        return count == 0

    def save(self) -> bytes:
        """Return the evaluated state; empty when llama.cpp does not give it."""
        handle = self._context.handle
        size = int(llama.llama_state_seq_get_size_ext(handle, self.number, 0))
        state = bytes(size)  # nobody else has it yet, so it may be written: a copy of it would double what a save takes
        buffer = ctypes.cast(ctypes.c_char_p(state), ctypes.POINTER(ctypes.c_uint8))
        written = int(llama.llama_state_seq_get_data_ext(handle, buffer, size, self.number, 0))
        return state if written == size else b""

    def restore(self, state: bytes, tokens: Sequence[int], ends: Sequence[int]) -> bool:
        """Put a saved state in place of the lane; on failure the lane is empty."""
        self.clear()
        data = ctypes.cast(ctypes.c_char_p(state), ctypes.POINTER(ctypes.c_uint8))
        read = int(llama.llama_state_seq_set_data_ext(self._context.handle, data, len(state), self.number, 0))
        if not state or read != len(state):
            self.clear()
            return False
        self.tokens, self.ends = list(tokens), list(ends)
        return True

    def clear(self) -> None:
        """Forget everything."""
        self.tokens, self.ends, self.true_tokens, self.is_lost = [], [], None, False
        self._context.forget(self.number)


class Work(Struct, frozen=True):
    """Tokens to evaluate at the end of a lane, at most PREFILL_STEP; the logits are those of the last one."""

    lane: Lane
    tokens: Sequence[int]


class Context:
    """A window for each of `lanes`, at most `limit_tokens` long. Not thread-safe but for `abort`."""

    def __init__(
        self, model: NativeModel, limit_tokens: int, threads: int, lanes: int = 1, types: KvTypes | None = None
    ) -> None:
        self._model = model
        self._threads = threads
        self._types = types or KvTypes()
        self.limit_tokens = limit_tokens
        self.size_tokens = 0
        self.handle: Any = None
        self.lanes = tuple(Lane(self, number) for number in range(lanes))
        self._flag = ctypes.create_string_buffer(2)
        libc = ctypes.CDLL(None)
        self._abort_callback = ctypes.cast(libc.strlen, llama.ggml_abort_callback)
        self._batch_tokens = PREFILL_STEP + lanes
        self._batch: Any = llama.llama_batch_init(self._batch_tokens, 0, 1)

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
        """Make each lane's window hold at least `tokens`, carrying over what was evaluated in all of them.

        Raises:
            EngineError: there is no memory for it; the window is as it was, with all that is in it.
        """
        if tokens <= self.size_tokens:
            return
        size, former = _BUCKET, self.size_tokens
        while size < tokens:
            size *= 2
        size = min(size, self.limit_tokens)
        states = [(lane, lane.save(), lane.tokens, lane.ends, lane.true_tokens) for lane in self.lanes if lane.tokens]
        self._free()
        try:
            self._create(size)
        except EngineError:
            if former:
                self._create(former)  # what others are in the middle of must go on
            raise
        finally:
            for lane, state, lane_tokens, ends, true_tokens in states:
                if self.handle and lane.restore(state, lane_tokens, ends):
                    lane.true_tokens = true_tokens
                else:
                    lane.is_lost = True

    def evaluate(self, works: Sequence[Work]) -> list[int]:
        """Evaluate one piece of work of each of some lanes in one batch; return where each one's logits are.

        Raises:
            Aborted: `abort` was called; the lanes are empty.
            EngineError: llama.cpp refused the batch, and the lanes are empty; or one of them was lost.
        """
        if any(work.lane.is_lost for work in works):
            for work in works:
                work.lane.clear()
            raise EngineError("There was no memory to keep this answer while another one needed room. Send it again.")
        batch = self._batch
        at = 0
        places: list[int] = []
        for work in works:
            start = len(work.lane.tokens)
            for index, token in enumerate(work.tokens):
                batch.token[at] = token
                batch.pos[at] = start + index
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = work.lane.number
                batch.logits[at] = index == len(work.tokens) - 1
                at += 1
            places.append(at - 1)
        batch.n_tokens = at
        code = int(llama.llama_decode(self.handle, batch))
        if code == 0:
            for work in works:
                work.lane.tokens.extend(work.tokens)
                work.lane.ends.append(len(work.lane.tokens))
            return places
        for work in works:
            work.lane.clear()
        if code == 2 or self.is_aborted:
            raise Aborted
        raise EngineError(f"llama.cpp could not evaluate {at} tokens (code {code}). Send the request again.")

    def rewind(self, number: int, count: int) -> bool:
        """Take what follows `count` tokens out of a lane; False when this model cannot, exactly."""
        if self.handle is None or not self._model.rewinds_exactly:
            return False
        memory = llama.llama_get_memory(self.handle)
        # A sliding window may have let go of what the earlier tokens need, and says True all the same.
        needed = max(0, count - self._model.sliding_tokens) if self._model.sliding_tokens else 0
        is_whole = 0 <= int(llama.llama_memory_seq_pos_min(memory, number)) <= needed
        return is_whole and bool(llama.llama_memory_seq_rm(memory, number, count, -1))

    def forget(self, number: int) -> None:
        """Empty a lane's memory."""
        if self.handle is not None:
            llama.llama_memory_seq_rm(llama.llama_get_memory(self.handle), number, -1, -1)

    def close(self) -> None:
        """Free the context."""
        self._free()
        if self._batch is not None:
            llama.llama_batch_free(self._batch)
            self._batch = None

    def _create(self, size: int) -> None:
        params = llama.llama_context_default_params()
        params.n_ctx = size * len(self.lanes)
        params.n_batch = params.n_ubatch = self._batch_tokens
        params.n_seq_max = len(self.lanes)
        params.kv_unified = False  # each lane has cells of its own: one shared pool would sum in another order
        params.swa_full = True  # a cache of the window alone could not go back
        params.n_threads = params.n_threads_batch = self._threads
        # Off unless asked for: with it on, chunks of other widths differ more, and a CPU gains nothing.
        params.flash_attn_type = int(self._types.has_flash_attention)
        params.type_k, params.type_v = native_type(self._types.keys), native_type(self._types.values)
        params.no_perf = True
        self.handle = llama.llama_init_from_model(self._model.handle, params)
        if not self.handle:
            raise EngineError(_why_no_window(size, self._types))
        self.size_tokens = size
        data = ctypes.cast(self._flag, ctypes.c_void_p)
        llama.llama_set_abort_callback(self.handle, self._abort_callback, data)

    def _free(self) -> None:
        if self.handle:
            llama.llama_free(self.handle)
        self.handle = None
        self.size_tokens = 0
        for lane in self.lanes:
            lane.tokens, lane.ends, lane.true_tokens = [], [], None


def _why_no_window(size: int, types: KvTypes) -> str:
    """Return why llama.cpp made no context, and what to do."""
    log = last_log()
    if "does not divide" in log:
        return (
            f"This model cannot keep its context as {types.keys} keys and {types.values} values: its heads are no whole"
            f" number of blocks. Set key_type and value_type to 'f16'."
        )
    return f"There is no memory for a window of {size} tokens. Set max_context_tokens below it, or kv_mb lower."
