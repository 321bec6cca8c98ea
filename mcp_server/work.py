"""Running one tool: waiting for the index, a deadline, and the result as the protocol wants it.

The rule that must stay true: the model reads every failure. It arrives as text with `isError`, and the text names the
argument, what was found and what would have worked.
"""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from graph.errors import ArgumentError, GraphError
from graph.progress import Progress
from graph.tools import Tool, call_tool
from mcp_server.handlers import ToolCall
from mcp_server.readiness import NotReadyError, Readiness

if TYPE_CHECKING:
    from graph.repository import Repository

__all__ = ["CALL_DEADLINE_S", "Worker", "tool_result"]

CALL_DEADLINE_S = 30.0
"""Clients give up after 60 s; every query of ours is far below this, so past it something is wrong."""
_INDEX_WAIT_S = 10.0
"""A small repository is indexed within it, so that the first call of a session answers right away."""
_RESTORE_S = 10.0
"""How long a call waits for an index to be built again that somebody deleted."""
_PROGRESS_EVERY_S = 0.5
_STEPS_BETWEEN_CHECKS = 100_000
"""SQLite's virtual machine runs about 50 million steps a second: the deadline is looked at every 2 ms."""


def tool_result(text: str, *, is_error: bool = False) -> dict[str, object]:
    """Return a `tools/call` result: text and nothing else, because clients show structured content *instead* of it."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


class Worker:
    """Runs tool calls of this server; one call a thread, any number at once."""

    def __init__(
        self, tools: tuple[Tool, ...], readiness: Readiness, answer_bytes: int, *, index_wait_s: float = _INDEX_WAIT_S
    ) -> None:
        self._names = tuple(tool.name for tool in tools)
        self._readiness = readiness
        self._answer_bytes = answer_bytes
        self._index_wait_s = index_wait_s

    def run(
        self, call: ToolCall, cancelled: threading.Event, on_progress: Callable[[Progress], None] | None = None
    ) -> dict[str, object]:
        """Return the result of a call; an error ends it early when `cancelled` is set or the deadline is over."""
        try:
            self._check_offered(call.name)
            repository = self._ready(cancelled, on_progress)
            return tool_result(self._answered(repository, call, cancelled))
        except (GraphError, NotReadyError) as error:
            return tool_result(str(error), is_error=True)
        except sqlite3.DatabaseError as error:
            return tool_result(_interrupted(call.name, error), is_error=True)
        except Exception as error:  # noqa: BLE001 (the outer edge of a call: the session goes on, the person sees the trace)
            traceback.print_exc(file=sys.stderr)
            return tool_result(
                f"`{call.name}` failed inside Roteiro ({type(error).__name__}: {error}). The server's stderr has the "
                "details; other calls still work.",
                is_error=True,
            )

    def _check_offered(self, name: str) -> None:
        if name not in self._names:
            raise ArgumentError("name", f"There is no tool `{name}` here. The tools are: {', '.join(self._names)}.")

    def _ready(self, cancelled: threading.Event, on_progress: Callable[[Progress], None] | None) -> Repository:
        """Wait for the index, telling progress meanwhile."""
        self._readiness.start()
        until = time.monotonic() + self._index_wait_s
        while True:
            left = until - time.monotonic()
            try:
                return self._readiness.wait(max(0.0, min(left, _PROGRESS_EVERY_S)))
            except NotReadyError:
                if left <= 0 or cancelled.is_set() or self._readiness.has_failed():
                    raise
                if on_progress is not None:
                    on_progress(self._readiness.progress())

    def _answered(self, repository: Repository, call: ToolCall, cancelled: threading.Event) -> str:
        deadline = time.monotonic() + CALL_DEADLINE_S
        if not repository.is_indexed:
            repository.refresh(_RESTORE_S)  # its store was deleted while we run
        connection = repository.store.read()
        connection.set_progress_handler(
            lambda: int(cancelled.is_set() or time.monotonic() > deadline), _STEPS_BETWEEN_CHECKS
        )
        try:
            return call_tool(repository, call.name, call.arguments, limit_bytes=self._answer_bytes).text
        finally:
            connection.set_progress_handler(None, 0)


def _interrupted(name: str, error: sqlite3.DatabaseError) -> str:
    if "interrupted" in str(error):
        return f"`{name}` was stopped after {CALL_DEADLINE_S:.0f} s. Narrow it: a smaller depth, limit or path."
    return f"The index could not be read: {error}. If it stays, run `roteiro sync --rebuild`."
