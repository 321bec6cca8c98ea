"""A file that is no usable model is told apart before llama.cpp sees it, with what to do."""

import struct

import pytest

from serve.engine.local import gguf
from serve.errors import EngineError


def text(value):
    return struct.pack("<Q", len(value)) + value


def model(*, version=3, pairs=b"", count=0, tensors=b"", tensor_count=0, data=b""):
    head = b"GGUF" + struct.pack("<IQQ", version, tensor_count, count) + pairs + tensors
    return head + b"\0" * (-len(head) % 32) + data


TENSOR = text(b"w") + struct.pack("<IQIQ", 1, 8, 0, 0)
PAIRS = (
    text(b"general.architecture")
    + struct.pack("<I", 8)
    + text(b"llama")
    + text(b"tokens")
    + struct.pack("<IIQ", 9, 8, 2)
    + text(b"a")
    + text(b"b")
    + text(b"scores")
    + struct.pack("<IIQff", 9, 6, 2, 1.0, 2.0)
)
WHOLE = model(pairs=PAIRS, count=3, tensors=TENSOR, tensor_count=1, data=b"\0" * 32)


def check(tmp_path, data):
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    gguf.check_file(path)


def test_whole_file_passes(tmp_path):
    """Metadata of every shape is passed over."""
    check(tmp_path, WHOLE)


@pytest.mark.parametrize("size", [4, 20, 40, 100, len(WHOLE) - 32, len(WHOLE) - 1])
def test_truncated_file_is_told(tmp_path, size):
    """Wherever it breaks off."""
    with pytest.raises(EngineError, match=r"truncated.*roteiro model pull"):
        check(tmp_path, WHOLE[:size])


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"PK\x03\x04....", "zip archive"),
        (b"<!DOCTYPE html>", "web page"),
        (b"version https://git-lfs", "Git LFS pointer"),
        (b"", "no GGUF model"),
        (b"\0" * 100, "format unknown here"),
        (model(version=9), "version 9"),
        (model(count=2**60), "corrupt"),
        (model(pairs=struct.pack("<Q", 2**60), count=1), "truncated"),
    ],
)
def test_foreign_and_corrupt_files_are_named(tmp_path, data, found):
    """What was found, in words."""
    with pytest.raises(EngineError, match=found):
        check(tmp_path, data)


def test_missing_file_says_how_to_get_one(tmp_path):
    """Also for a folder."""
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(EngineError, match=r"no model file.*roteiro model pull"):
            gguf.check_file(path)


def test_file_larger_than_the_memory_is_refused(tmp_path, monkeypatch):
    """With both sizes."""
    monkeypatch.setattr(gguf, "memory_bytes", lambda: 16)
    with pytest.raises(EngineError, match=r"needs .* GiB of memory; this machine has"):
        check(tmp_path, WHOLE)


def test_quantized_tensors_are_counted_in_whole_blocks(tmp_path):
    """300 weights of Q4_K are two blocks of 144 bytes."""
    tensor = text(b"w") + struct.pack("<IQIQ", 1, 300, 12, 0)
    check(tmp_path, model(tensors=tensor, tensor_count=1, data=b"\0" * 288))
    with pytest.raises(EngineError, match="truncated"):
        check(tmp_path, model(tensors=tensor, tensor_count=1, data=b"\0" * 287))


def test_a_tensor_of_a_type_unknown_here_is_let_pass(tmp_path):
    """llama.cpp may know it."""
    tensor = text(b"w") + struct.pack("<IQIQ", 1, 300, 99, 0)
    check(tmp_path, model(tensors=tensor, tensor_count=1, data=b"\0"))
