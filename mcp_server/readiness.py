"""The repository behind the server, opened and brought up to date in the background.

The rule that must stay true: the server always starts. A repository that cannot be opened, an index that is missing or
stale and a build that fails are states that a tool call reports in words, never a reason not to answer `tools/list`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from graph.errors import GraphError
from graph.progress import Phase, Progress

if TYPE_CHECKING:  # opening a repository loads grammars; the first answers do not wait for that
    from graph.repository import Repository

__all__ = ["NotReadyError", "Readiness", "told"]


class NotReadyError(Exception):
    """There is no index to answer from; its text says why and what to do."""


class _StoppedError(Exception):
    """Thrown out of a build when the server ends: the transaction rolls back and nothing is half done."""


class Readiness:
    """Opens the repository in a thread of its own, builds or refreshes the index there, and says how far it is."""

    def __init__(self, open_repository: Callable[[], Repository]) -> None:
        self._open_repository = open_repository
        self._changed = threading.Condition()
        self._repository: Repository | None = None
        self._is_usable = False
        self._failure = ""
        self._progress = Progress(Phase.LISTING)
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin in the background; later calls do nothing."""
        with self._changed:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="roteiro-index", daemon=True)
                self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """Stop a running build at its next step and close the repository."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout_s)
        if self._repository is not None and (self._thread is None or not self._thread.is_alive()):
            self._repository.close()

    def progress(self) -> Progress:
        """Return how far the build is."""
        with self._changed:
            return self._progress

    def has_failed(self) -> bool:
        """Say whether waiting longer is of no use."""
        with self._changed:
            return bool(self._failure) or self._stopping

    def wait(self, timeout_s: float) -> Repository:
        """Return the repository once there is an index to answer from.

        Raises:
            NotReadyError: not within `timeout_s`, or never; the text is for the model.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_usable or bool(self._failure) or self._stopping, timeout_s)
            if self._is_usable and self._repository is not None:
                return self._repository
            if self._failure:
                raise NotReadyError(self._failure)
            raise NotReadyError(_still_building(self._progress))

    def _run(self) -> None:
        try:
            repository = self._open_repository()
            with self._changed:
                self._repository = repository
                # An older index answers at once; each answer says how many files are newer.
                self._is_usable = repository.is_indexed
                self._changed.notify_all()
            # A repository of its own: readers of the first one would wait for the whole build.
            with self._open_repository() as building:
                building.sync(self._on_progress)
            self._settle(usable=True)
        except _StoppedError:
            self._settle(usable=False)
        except (GraphError, OSError) as error:
            self._settle(usable=False, failure=str(error))
        except Exception as error:
            # The outer edge of the thread: without this a defect would look like a build that never ends.
            self._settle(usable=False, failure=f"The index could not be built ({type(error).__name__}: {error}).")
            raise

    def _on_progress(self, progress: Progress) -> None:
        with self._changed:
            if self._stopping:
                raise _StoppedError
            self._progress = progress
            self._changed.notify_all()

    def _settle(self, *, usable: bool, failure: str = "") -> None:
        with self._changed:
            self._is_usable = self._is_usable or usable
            self._failure = "" if self._is_usable else failure
            self._changed.notify_all()


def told(progress: Progress) -> str:
    """Return how far a build is, in words."""
    activity = {
        Phase.WAITING: "waiting for another process that is indexing it",
        Phase.LISTING: "listing files",
        Phase.EXTRACTING: "reading files",
        Phase.RESOLVING: "resolving calls",
        Phase.SEARCH: "indexing text",
    }[progress.phase]
    return f"{activity} ({progress.done} of {progress.total})" if progress.total else activity


def _still_building(progress: Progress) -> str:
    return f"The index of this repository is still being built: {told(progress)}. Call again in a few seconds."
