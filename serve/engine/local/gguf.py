"""What can be told of a model file before llama.cpp sees it: that it is there, a GGUF, whole, and fits the machine.

The header is read by this module because llama.cpp's own refusal names no cure, and a file of another kind is by far
the commonest mistake. Only lengths are read; nothing is allocated by a number that the file claims.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

from serve.errors import EngineError

__all__ = ["check_file", "check_whole", "memory_bytes"]

_GIB = 1024**3
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of each scalar type of the GGUF format; 8 is a string, 9 an array."""
_BLOCKS = {
    **dict.fromkeys((0, 26), (1, 4)),
    **dict.fromkeys((1, 25, 30), (1, 2)),
    **dict.fromkeys((27, 28), (1, 8)),
    24: (1, 1),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 36),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    29: (256, 56),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
}
"""Weights in a block and its bytes, by the tensor types of ggml (`ggml.h`); a type not here is taken as one byte."""
_FOREIGN = {
    b"PK\x03\x04": "a zip archive or PyTorch checkpoint",
    b"<!DO": "a web page, perhaps the error page of a download",
    b"<htm": "a web page, perhaps the error page of a download",
    b"vers": "a Git LFS pointer, not the file itself",
    b"tjgg": "a GGML file of before August 2023",
    b"lmgg": "a GGML file of before August 2023",
}


def check_file(path: Path) -> None:
    """Make sure that `path` is a whole GGUF file that this machine can hold.

    Raises:
        EngineError: says what was found and what to do.
    """
    size = check_whole(path)
    memory = memory_bytes()
    if size > memory:
        raise EngineError(
            f"The model file {path} needs {size / _GIB:.1f} GiB of memory; this machine has {memory / _GIB:.1f} GiB."
            f" Choose a smaller model."
        )


def check_whole(path: Path) -> int:
    """Return the bytes of a GGUF file that has all the tensor data that its header names.

    Raises:
        EngineError: says what was found and what to do.
    """
    try:
        size = path.stat().st_size if path.is_file() else -1
        if size < 0:
            raise EngineError(
                f"There is no model file {path}. Run `roteiro model pull`, or name another with `--model`."
            )
        with path.open("rb") as file:
            needed = _needed_bytes(file, path, size)
    except OSError as error:
        raise EngineError(f"The model file {path} cannot be read: {error.strerror}. Check its permissions.") from error
    if needed is None:
        raise EngineError(
            f"The model file {path} is truncated or corrupt: its header does not end within its {size:,} bytes."
            f" Fetch it again: `roteiro model pull`."
        )
    if size < needed:
        raise EngineError(
            f"The model file {path} is truncated: {size:,} bytes, and its own header asks for at least {needed:,}."
            f" Fetch it again: `roteiro model pull`."
        )
    return size


def memory_bytes() -> int:
    """Return the memory that this process may use: the machine's, or less where a container limits it."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return total
    return min(total, limit)


def _needed_bytes(file: BinaryIO, path: Path, size: int) -> int | None:
    """Return the fewest bytes that a file with this header has; None where the header itself breaks off."""
    magic = file.read(4)
    if magic != b"GGUF":
        raise EngineError(
            f"The file {path} is no GGUF model: it opens with {magic!r}, {_FOREIGN.get(magic, 'a format unknown here')}"
            f". Choose a file in GGUF format."
        )
    try:
        version, tensors, pairs = struct.unpack("<IQQ", file.read(20))
        if version not in {2, 3}:
            raise EngineError(
                f"The file {path} is GGUF version {version}; versions 2 and 3 can be read. Choose another file."
            )
        if max(tensors, pairs) > size:
            raise EngineError(f"The header of {path} is corrupt. Fetch the file again: `roteiro model pull`.")
        alignment = 32
        for _ in range(pairs):
            key = _string(file, size)
            kind = _number(file, "<I")
            if key == b"general.alignment" and kind == 4:
                alignment = max(1, _number(file, "<I"))
            else:
                _skip(file, kind, size)
        last = 0
        for _ in range(tensors):
            _string(file, size)
            length = _tensor_bytes(file)
            last = max(last, _number(file, "<Q") + length)
    except (struct.error, KeyError, RecursionError, OverflowError):
        return None
    start = -(-file.tell() // alignment) * alignment
    return start + last


def _tensor_bytes(file: BinaryIO) -> int:
    """Return the bytes of the data of a tensor, from its dimensions and type."""
    weights = 1
    for _ in range(min(_number(file, "<I"), 8)):
        weights *= _number(file, "<Q")
    in_block, block_bytes = _BLOCKS.get(_number(file, "<I"), (weights or 1, 1))
    return -(-weights // in_block) * block_bytes


def _number(file: BinaryIO, layout: str) -> int:
    return int(struct.unpack(layout, file.read(struct.calcsize(layout)))[0])


def _string(file: BinaryIO, size: int) -> bytes:
    length = _number(file, "<Q")
    if length > size:
        raise struct.error("a string longer than the file")
    if length > 256:
        file.seek(length, os.SEEK_CUR)
        return b""
    return file.read(length)


def _skip(file: BinaryIO, kind: int, size: int) -> None:
    """Move past one value."""
    if kind == 8:
        _string(file, size)
    elif kind == 9:
        item = _number(file, "<I")
        count = _number(file, "<Q")
        if count > size:
            raise struct.error("an array longer than the file")
        if item in _SIZES:
            file.seek(_SIZES[item] * count, os.SEEK_CUR)
        else:
            for _ in range(count):
                _skip(file, item, size)
    else:
        file.seek(_SIZES[kind], os.SEEK_CUR)
