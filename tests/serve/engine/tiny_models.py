# ruff: noqa: FBT003 - C calls take what the header says
"""Tiny GGUF models with random weights, made in a second: attention, sliding window, hybrid and recurrent.

Their vocabulary is real enough for templates: every byte, the ChatML control tokens and a user-defined tag. The same
architecture and seed give the same file.
"""

from __future__ import annotations

import ctypes
import zlib
from pathlib import Path

ARCHITECTURES = {"attention": "llama", "sliding": "gemma3", "hybrid": "lfm2", "recurrent": "mamba2"}
EMBEDDING, LAYERS, TRAINED_TOKENS = 256, 4, 8_192
CONTROL = ("<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>")
USER_DEFINED = ("<tool_call>", "</tool_call>")
NORMAL, UNKNOWN_TYPE, CONTROL_TYPE, USER_TYPE, BYTE_TYPE = 1, 2, 3, 4, 6
UINT32, INT32, FLOAT32 = 4, 5, 6
SLIDING = {"attention.sliding_window": 32, "attention.sliding_window_pattern": 2}


def vocabulary() -> tuple[list[bytes], list[int]]:
    """Return the tokens and their types."""
    tokens = [*(text.encode() for text in (*CONTROL, *USER_DEFINED)), *(b"<0x%02X>" % byte for byte in range(256))]
    types = [UNKNOWN_TYPE, *[CONTROL_TYPE] * (len(CONTROL) - 1), *[USER_TYPE] * len(USER_DEFINED), *[BYTE_TYPE] * 256]
    return tokens, types


def make(kind: str, path: Path) -> Path:
    """Write a tiny model of a kind to `path`."""
    import llama_cpp
    import numpy as np
    from llama_cpp import llama_cpp as llama

    base = ctypes.CDLL(str(Path(llama_cpp.__file__).parent / "lib" / "libggml-base.so"))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, arguments, result in (
        ("gguf_init_empty", [], pointer),
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

    arch = ARCHITECTURES[kind]
    gguf = base.gguf_init_empty()
    base.gguf_set_val_str(gguf, b"general.architecture", arch.encode())
    tokens, types = vocabulary()
    for key, value in (_numbers(len(tokens)) | (SLIDING if kind == "sliding" else {})).items():
        base.gguf_set_val_u32(gguf, f"{arch}.{key}".encode(), value)
    for key in ("attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon"):
        base.gguf_set_val_f32(gguf, f"{arch}.{key}".encode(), 1e-5)
    if kind == "hybrid":
        heads = (ctypes.c_uint32 * LAYERS)(*[2 * (layer % 2) for layer in range(LAYERS)])
        base.gguf_set_arr_data(gguf, f"{arch}.attention.head_count_kv".encode(), UINT32, heads, LAYERS)
    base.gguf_set_val_str(gguf, b"tokenizer.ggml.model", b"llama")
    base.gguf_set_arr_str(gguf, b"tokenizer.ggml.tokens", (text * len(tokens))(*tokens), len(tokens))
    scores = (ctypes.c_float * len(tokens))()
    base.gguf_set_arr_data(gguf, b"tokenizer.ggml.scores", FLOAT32, scores, len(tokens))
    kinds = (ctypes.c_int32 * len(tokens))(*types)
    base.gguf_set_arr_data(gguf, b"tokenizer.ggml.token_type", INT32, kinds, len(tokens))
    for key, value in (("bos", 1), ("eos", 4), ("unknown", 0)):
        base.gguf_set_val_u32(gguf, f"tokenizer.ggml.{key}_token_id".encode(), value)
    base.gguf_set_val_bool(gguf, b"tokenizer.ggml.add_bos_token", False)
    base.gguf_set_val_bool(gguf, b"tokenizer.ggml.add_space_prefix", False)

    @llama.llama_model_set_tensor_data_t
    def fill(tensor: int, _data: object) -> None:
        name, count = base.ggml_get_name(tensor), base.ggml_nelements(tensor)
        values = np.random.default_rng(zlib.crc32(name)).normal(0, 0.1, count).astype(np.float32)
        if b"ssm_a" in name:
            values = -np.abs(values)
        if b"norm" in name:
            values += 1
        size = base.ggml_nbytes(tensor)
        data = values if size == 4 * count else values.astype(np.float16)
        base.ggml_backend_tensor_set(tensor, data.ctypes.data, 0, size)

    silent = llama.llama_log_callback(lambda *_: None)
    llama.llama_log_set(silent, None)
    model = llama.llama_model_init_from_user(gguf, fill, None, llama.llama_model_default_params())
    assert model, f"llama.cpp could not make a {arch} model"
    llama.llama_model_save_to_file(model, str(path).encode())
    llama.llama_model_free(model)
    return path


def _numbers(tokens: int) -> dict[str, int]:
    return {
        "vocab_size": tokens,
        "context_length": TRAINED_TOKENS,
        "embedding_length": EMBEDDING,
        "block_count": LAYERS,
        "feed_forward_length": 384,
        "attention.head_count": 2,
        "attention.head_count_kv": 2,
        "attention.key_length": 128,
        "attention.value_length": 128,
        "rope.dimension_count": 128,
        "ssm.inner_size": 2 * EMBEDDING,
        "ssm.conv_kernel": 4,
        "ssm.state_size": 128,
        "ssm.time_step_rank": 2,
        "ssm.group_count": 2,
        "shortconv.l_cache": 3,
    }
