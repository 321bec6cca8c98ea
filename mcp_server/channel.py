"""The two pipes of stdio: lines in with a bound on their length, lines out one at a time.

The rule that must stay true: nothing but our own lines ever reaches the client. The process's own stdin and stdout are
moved away first, so that a stray print goes to stderr and a child process (git, an extraction worker) cannot read what
the client writes, nor keep the client's pipe open.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator

from mcp_server.errors import ProtocolError
from mcp_server.messages import INVALID_REQUEST

__all__ = ["MAX_LINE_BYTES", "LineReader", "LineWriter", "take_over_stdio"]

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Far above any call of ours (a query has 2,000 characters) and far below what would hurt."""
_READ_BYTES = 64 * 1024
_PARENT_CHECK_S = 2.0


def take_over_stdio() -> tuple[int, int]:
    """Return private descriptors of the client's pipes; 0 becomes empty and 1 becomes stderr for everything else."""
    stdin, stdout = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return stdin, stdout


class LineReader:
    """Reads lines until the client closes the pipe or dies."""

    def __init__(
        self, descriptor: int, *, is_orphan: Callable[[], bool] | None = None, max_bytes: int = MAX_LINE_BYTES
    ) -> None:
        self._descriptor = descriptor
        self._is_orphan = is_orphan or _orphan_check()
        self._max_bytes = max_bytes
        self.was_orphaned = False

    def lines(self) -> Iterator[bytes | ProtocolError]:
        """Yield each line without its end; an error in place of a line that is too long. Blank lines are skipped."""
        buffer, too_long = bytearray(), False
        while chunk := self._chunk():
            *ended, rest = chunk.split(b"\n")
            for part in ended:
                line = bytes(buffer + part).strip()
                buffer.clear()
                if too_long or len(line) > self._max_bytes:
                    too_long = False
                    yield self._refusal()
                elif line:
                    yield line
            buffer += rest
            if len(buffer) > self._max_bytes:
                buffer.clear()
                too_long = True
        if line := bytes(buffer).strip():
            yield line

    def _refusal(self) -> ProtocolError:
        return ProtocolError(INVALID_REQUEST, f"This line is longer than {self._max_bytes} bytes and was not read.")

    def _chunk(self) -> bytes:
        """Return the next bytes; empty at the end of the pipe or when the parent process has died."""
        # select() cannot wait for pipes on Windows; there a closed pipe alone ends the server.
        while os.name == "posix" and not select.select([self._descriptor], [], [], _PARENT_CHECK_S)[0]:
            if self._is_orphan():
                self.was_orphaned = True
                return b""
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except OSError:  # the pipe broke: the same as its end
            return b""


class LineWriter:
    """Writes whole lines from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._turn = threading.Lock()
        self.is_broken = False

    def write(self, line: bytes) -> None:
        """Write one line; does nothing once the client has gone."""
        with self._turn:
            view = memoryview(line)
            while view and not self.is_broken:
                try:
                    view = view[os.write(self._descriptor, view) :]
                except OSError:  # the client closed the pipe: nobody is left to tell
                    self.is_broken = True


def _orphan_check() -> Callable[[], bool]:
    """Return whether the parent of this moment has died: another holder of the pipe can keep it open for ever."""
    parent = os.getppid()
    return lambda: os.getppid() != parent
