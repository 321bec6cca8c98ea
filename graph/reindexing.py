"""Indexing once more in the background, where the store of a running process was deleted under it.

A thread of its own, so that whoever asks waits no longer than it wants to. It ends with the process or when it is
stopped: the transaction rolls back and nothing is half done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from graph.errors import GraphError
from graph.progress import Progress, ProgressListener

__all__ = ["Reindexing"]


class _StoppedError(Exception):
    """Thrown out of a sync at its next step."""


class Reindexing:
    """At most one sync at a time; `sync` is the one of the repository."""

    def __init__(self, sync: Callable[[ProgressListener], object]) -> None:
        self._sync = sync
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_stopping = False
        self.failure = ""
        """Why the last one did not work; empty while one runs and after one that did."""

    def wait(self, timeout_s: float) -> None:
        """Begin one unless one runs, and wait for its end, so long at most."""
        with self._guard:
            if self._thread is None or not self._thread.is_alive():
                self.failure = ""
                self._thread = threading.Thread(target=self._run, name="roteiro-reindex", daemon=True)
                self._thread.start()
            thread = self._thread
        thread.join(timeout_s)

    def stop(self, timeout_s: float = 5.0) -> None:
        """End a running one at its next step."""
        with self._guard:
            self._is_stopping = True
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_s)
        self._is_stopping = False

    def _run(self) -> None:
        try:
            self._sync(self._listen)
        except _StoppedError:
            pass
        except (GraphError, OSError) as error:
            self.failure = str(error)

    def _listen(self, _progress: Progress) -> None:
        if self._is_stopping:
            raise _StoppedError
