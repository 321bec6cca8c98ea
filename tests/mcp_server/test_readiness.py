"""The index in the background: usable, building, failed."""

import threading

import pytest

from graph.errors import RootError
from graph.progress import Phase, Progress
from mcp_server.readiness import NotReadyError, Readiness

LONG_S = 20.0


class Repository:
    """Stands in for a repository whose build waits until it is let go."""

    def __init__(self, *, is_indexed, error=None):
        self.is_indexed = is_indexed
        self.error = error
        self.go = threading.Event()
        self.building = threading.Event()
        self.stopped = threading.Event()
        self.closed = 0

    def sync(self, progress):
        try:
            while not self.go.is_set():
                progress(Progress(Phase.EXTRACTING, 3, 10))
                self.building.set()
                self.go.wait(0.01)
        except BaseException:
            self.stopped.set()
            raise
        if self.error:
            raise self.error

    def close(self):
        self.closed += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _started(repository):
    readiness = Readiness(lambda: repository)
    readiness.start()
    return readiness


def test_an_older_index_answers_while_it_is_refreshed():
    """Nobody waits for the build."""
    repository = Repository(is_indexed=True)
    readiness = _started(repository)
    assert readiness.wait(LONG_S) is repository
    repository.go.set()
    readiness.stop(LONG_S)


def test_a_first_build_is_waited_for():
    """The call gets the repository once the build is done."""
    repository = Repository(is_indexed=False)
    readiness = _started(repository)
    assert repository.building.wait(LONG_S)
    repository.go.set()
    assert readiness.wait(LONG_S) is repository
    readiness.stop(LONG_S)


def test_a_build_that_takes_longer_says_how_far_it_is():
    """The model can come back."""
    repository = Repository(is_indexed=False)
    readiness = _started(repository)
    assert repository.building.wait(LONG_S)
    with pytest.raises(NotReadyError, match=r"reading files \(3 of 10\).*Call again"):
        readiness.wait(0.0)
    repository.go.set()
    readiness.stop(LONG_S)


def test_a_failed_build_is_told_to_every_call():
    """In the words of the error."""
    repository = Repository(is_indexed=False, error=RootError("git refuses this folder"))
    repository.go.set()
    readiness = _started(repository)
    for _ in range(2):
        with pytest.raises(NotReadyError, match="git refuses this folder"):
            readiness.wait(LONG_S)
    assert readiness.has_failed()
    readiness.stop(LONG_S)


def test_a_failed_refresh_leaves_the_older_index_in_use():
    """Its answers say how old they are."""
    repository = Repository(is_indexed=True, error=RootError("no"))
    repository.go.set()
    readiness = _started(repository)
    readiness.stop(LONG_S)
    assert not readiness._failure


def test_a_repository_that_cannot_be_opened_is_told_to_every_call():
    """The server runs all the same."""

    def refuse():
        raise RootError("there is no folder /x")

    readiness = Readiness(refuse)
    readiness.start()
    with pytest.raises(NotReadyError, match="no folder /x"):
        readiness.wait(LONG_S)


def test_stopping_ends_a_running_build_and_closes_the_repository():
    """The build is left at its next step; its transaction rolls back."""
    repository = Repository(is_indexed=False)
    readiness = _started(repository)
    assert repository.building.wait(LONG_S)
    readiness.stop(LONG_S)
    assert repository.stopped.is_set()
    assert repository.closed == 2
