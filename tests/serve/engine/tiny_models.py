# ruff: noqa: FBT003 - C calls take what the header says
"""Small GGUF models with random weights, made in a second: attention, sliding window, hybrid and recurrent.

Their own vocabulary is real enough for templates: every byte, the ChatML control tokens and a user-defined tag; another
model's vocabulary and template can stand in. The same architecture, sizes and vocabulary give the same file.
"""

from __future__ import annotations

import ctypes
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

ARCHITECTURES = {
    "attention": "llama",
    "sliding": "gemma3",
    "hybrid": "lfm2",
    "linear": "qwen35",
    "recurrent": "mamba2",
}
CONTROL = ("<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>")
USER_DEFINED = ("<tool_call>", "</tool_call>")
NORMAL, UNKNOWN_TYPE, CONTROL_TYPE, USER_TYPE, BYTE_TYPE = 1, 2, 3, 4, 6
UINT32, INT32, FLOAT32 = 4, 5, 6
SLIDING = {"attention.sliding_window": 32, "attention.sliding_window_pattern": 2}
STATE = 128
"""Numbers that a recurrent head remembers for each of its own."""
_held: list[object] = []
"""Callbacks that llama.cpp may call as long as it lives."""


@dataclass(frozen=True)
class Sizes:
    """What decides how large a model is, and how often a layer of a hybrid one attends."""

    embedding: int = 256
    layers: int = 4
    feed_forward: int = 384
    heads: int = 2
    attends_every: int = 2
    trained_tokens: int = 8_192


def vocabulary() -> tuple[list[bytes], list[int]]:
    """Return the tokens and their types."""
    tokens = [*(text.encode() for text in (*CONTROL, *USER_DEFINED)), *(b"<0x%02X>" % byte for byte in range(256))]
    types = [UNKNOWN_TYPE, *[CONTROL_TYPE] * (len(CONTROL) - 1), *[USER_TYPE] * len(USER_DEFINED), *[BYTE_TYPE] * 256]
    return tokens, types


def make(kind: str, path: Path, sizes: Sizes | None = None, vocabulary_of: Path | None = None) -> Path:
    """Write a model of a kind to `path`, with the vocabulary and the template of another file where one is named."""
    from llama_cpp import llama_cpp as llama

    made = _Metadata(ARCHITECTURES[kind])
    tokens = made.borrow(vocabulary_of) if vocabulary_of else made.own_vocabulary()
    made.describe(kind, sizes or Sizes(), tokens)
    _held.append(llama.llama_log_callback(lambda *_: None))
    llama.llama_log_set(_held[-1], None)
    fill = llama.llama_model_set_tensor_data_t(made.fill)
    model = llama.llama_model_init_from_user(made.gguf, fill, None, llama.llama_model_default_params())
    assert model, f"llama.cpp could not make a {made.arch} model"
    llama.llama_model_save_to_file(model, os.fsencode(path))
    llama.llama_model_free(model)
    return path


class _Metadata:
    """The head of a file in the making, and the weights that it asks for."""

    def __init__(self, arch: str) -> None:
        self.arch = arch
        self._base = _library()
        self.gguf = self._base.gguf_init_empty()

    def own_vocabulary(self) -> int:
        """Write the vocabulary of this module; return its size."""
        base, gguf = self._base, self.gguf
        tokens, types = vocabulary()
        base.gguf_set_val_str(gguf, b"tokenizer.ggml.model", b"llama")
        base.gguf_set_arr_str(gguf, b"tokenizer.ggml.tokens", (ctypes.c_char_p * len(tokens))(*tokens), len(tokens))
        scores = (ctypes.c_float * len(tokens))()
        base.gguf_set_arr_data(gguf, b"tokenizer.ggml.scores", FLOAT32, scores, len(tokens))
        kinds = (ctypes.c_int32 * len(tokens))(*types)
        base.gguf_set_arr_data(gguf, b"tokenizer.ggml.token_type", INT32, kinds, len(tokens))
        for key, value in (("bos", 1), ("eos", 4), ("unknown", 0)):
            base.gguf_set_val_u32(gguf, f"tokenizer.ggml.{key}_token_id".encode(), value)
        base.gguf_set_val_bool(gguf, b"tokenizer.ggml.add_bos_token", False)
        base.gguf_set_val_bool(gguf, b"tokenizer.ggml.add_space_prefix", False)
        return len(tokens)

    def borrow(self, path: Path) -> int:
        """Write what another file says of its tokens and its template; return how many tokens there are."""
        other = self._base.gguf_init_from_file(os.fsencode(path), _InitParams(True, None))
        assert other, f"{path} is no GGUF file"
        self._base.gguf_set_kv(self.gguf, other)
        self._base.gguf_free(other)
        return int(self._base.gguf_get_arr_n(self.gguf, self._base.gguf_find_key(self.gguf, b"tokenizer.ggml.tokens")))

    def describe(self, kind: str, sizes: Sizes, tokens: int) -> None:
        """Write architecture and sizes."""
        base, gguf, arch = self._base, self.gguf, self.arch
        base.gguf_set_val_str(gguf, b"general.architecture", arch.encode())
        own = {"sliding": SLIDING, "linear": _linear(sizes)}.get(kind, {})
        for key, value in (_numbers(sizes, tokens) | own).items():
            base.gguf_set_val_u32(gguf, f"{arch}.{key}".encode(), value)
        for key in ("attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon"):
            base.gguf_set_val_f32(gguf, f"{arch}.{key}".encode(), 1e-5)
        if kind == "hybrid":
            attends = [(layer + 1) % sizes.attends_every == 0 for layer in range(sizes.layers)]
            heads = (ctypes.c_uint32 * sizes.layers)(*[sizes.heads * one for one in attends])
            base.gguf_set_arr_data(gguf, f"{arch}.attention.head_count_kv".encode(), UINT32, heads, sizes.layers)
        if kind == "linear":
            sections = (ctypes.c_int32 * 4)(11, 11, 10, 0)
            base.gguf_set_arr_data(gguf, f"{arch}.rope.dimension_sections".encode(), INT32, sections, 4)

    def fill(self, tensor: int, _data: object) -> None:
        """Put the random weights of a tensor in place, always the same ones for its name."""
        import numpy as np

        base = self._base
        name, count = base.ggml_get_name(tensor), base.ggml_nelements(tensor)
        values = np.random.default_rng(zlib.crc32(name)).normal(0, 0.1, count).astype(np.float32)
        if b"ssm_a" in name:
            values = -np.abs(values)
        if b"norm" in name:
            values += 1
        size = base.ggml_nbytes(tensor)
        data = values if size == 4 * count else values.astype(np.float16)
        base.ggml_backend_tensor_set(tensor, data.ctypes.data, 0, size)


class _InitParams(ctypes.Structure):
    _fields_ = (("no_alloc", ctypes.c_bool), ("ctx", ctypes.c_void_p))


def _library() -> ctypes.CDLL:
    """Return the functions of ggml that the bindings leave out."""
    import llama_cpp

    base = ctypes.CDLL(str(Path(llama_cpp.__file__).parent / "lib" / "libggml-base.so"))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, arguments, result in (
        ("gguf_init_empty", [], pointer),
        ("gguf_init_from_file", [text, _InitParams], pointer),
        ("gguf_set_kv", [pointer, pointer], None),
        ("gguf_free", [pointer], None),
        ("gguf_find_key", [pointer, text], ctypes.c_int64),
        ("gguf_get_arr_n", [pointer, ctypes.c_int64], ctypes.c_size_t),
        ("gguf_set_val_u32", [pointer, text, ctypes.c_uint32], None),
        ("gguf_set_val_f32", [pointer, text, ctypes.c_float], None),
        ("gguf_set_val_bool", [pointer, text, ctypes.c_bool], None),
        ("gguf_set_val_str", [pointer, text, text], None),
        ("gguf_set_arr_data", [pointer, text, ctypes.c_int, pointer, ctypes.c_size_t], None),
        ("gguf_set_arr_str", [pointer, text, ctypes.POINTER(text), ctypes.c_size_t], None),
        ("ggml_nelements", [pointer], ctypes.c_int64),
        ("ggml_nbytes", [pointer], ctypes.c_size_t),
        ("ggml_get_name", [pointer], text),
        ("ggml_backend_tensor_set", [pointer, pointer, ctypes.c_size_t, ctypes.c_size_t], None),
    ):
        function = getattr(base, name)
        function.argtypes, function.restype = arguments, result
    return base


def _numbers(sizes: Sizes, tokens: int) -> dict[str, int]:
    return {
        "vocab_size": tokens,
        "context_length": sizes.trained_tokens,
        "embedding_length": sizes.embedding,
        "block_count": sizes.layers,
        "feed_forward_length": sizes.feed_forward,
        "full_attention_interval": sizes.attends_every,
        "attention.head_count": sizes.heads,
        "attention.head_count_kv": sizes.heads,
        "attention.key_length": 128,
        "attention.value_length": 128,
        "rope.dimension_count": 128,
        "ssm.inner_size": 2 * sizes.embedding,
        "ssm.conv_kernel": 4,
        "ssm.state_size": STATE,
        "ssm.time_step_rank": 2,
        "ssm.group_count": 2,
        "shortconv.l_cache": 3,
    }


def _linear(sizes: Sizes) -> dict[str, int]:
    """Return what linear attention wants otherwise: as many heads as fill the width."""
    heads = sizes.embedding // STATE
    return {"ssm.inner_size": sizes.embedding, "ssm.time_step_rank": heads, "ssm.group_count": heads}
