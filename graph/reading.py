"""The bytes of one file inside a root: bounded, and never through a link.

Every read of an analysed file goes through here. The rule that must stay true: a path that leaves the root, by `..`,
by being absolute or through a symbolic link at any level, is refused before a byte is read.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["FileUnreadableError", "is_inside", "read_file"]


_FLAGS = (
    os.O_RDONLY
    # Not every system has all of these. NONBLOCK: opening a named pipe would wait for a writer for ever.
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class FileUnreadableError(OSError):
    """A file that cannot or must not be read; its text is the reason, ready to be recorded."""


def is_inside(path: str) -> bool:
    """Say whether a relative path names something below the root, judged by its text alone."""
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and "\0" not in path and not {"..", ".", ""}.intersection(parts)


def read_file(root: Path, path: str, max_bytes: int) -> bytes:
    """Return the bytes of a regular file below the root.

    Raises:
        FileUnreadableError: it is outside, behind a link, not a regular file, gone, unreadable or larger than that.

    """
    if not is_inside(path):
        raise FileUnreadableError("outside the root")
    _refuse_linked_folders(root, path)
    try:
        handle = os.open(root / path, _FLAGS)
    except OSError as error:
        raise FileUnreadableError(_reason(root / path, error)) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileUnreadableError("not a regular file")
        if found.st_size > max_bytes:
            raise FileUnreadableError(f"too large: {found.st_size:,} bytes")
        return _read_all(handle, max_bytes)
    finally:
        os.close(handle)


def _read_all(handle: int, max_bytes: int) -> bytes:
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (piece := os.read(handle, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    if left == 0:
        raise FileUnreadableError("it grew past the limit while it was read")
    return b"".join(pieces)


def _refuse_linked_folders(root: Path, path: str) -> None:
    folder = str(root)
    for part in path.split("/")[:-1]:
        folder = f"{folder}/{part}"
        if Path(folder).is_symlink():
            raise FileUnreadableError("reached through a symbolic link")


def _reason(path: Path, error: OSError) -> str:
    if path.is_symlink():
        return "a symbolic link"
    if isinstance(error, FileNotFoundError):
        return "gone since it was listed"
    return f"unreadable: {os.strerror(error.errno) if error.errno else error}"
