"""Running one tool: deadlines, cancellation, defects."""

import sqlite3
import threading

import pytest

from graph.tools import tool_table
from mcp_server import work
from mcp_server.handlers import ToolCall
from mcp_server.readiness import NotReadyError
from mcp_server.work import Worker

CALL = ToolCall(name="overview", arguments={})
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"


class Ready:
    """Stands in for a repository that is there at once."""

    def __init__(self, repository):
        self.repository = repository

    def start(self):
        pass

    def has_failed(self):
        return False

    def wait(self, timeout_s):
        return self.repository


class Repository:
    """Stands in for a repository over an empty database."""

    def __init__(self):
        self.store = self
        self.is_indexed = True
        self.connection = sqlite3.connect(":memory:")

    def read(self):
        return self.connection


@pytest.fixture
def worker():
    repository = Repository()
    yield Worker(tool_table(), Ready(repository), 8_000)
    repository.connection.close()


def _answering(monkeypatch, function):
    monkeypatch.setattr(work, "call_tool", function)


def test_a_query_past_its_deadline_is_stopped_and_told(worker, monkeypatch):
    """The walk itself ends, not only the waiting for it."""
    monkeypatch.setattr(work, "CALL_DEADLINE_S", 0.05)
    _answering(monkeypatch, lambda repository, *_, **__: repository.read().execute(ENDLESS).fetchone())
    result = worker.run(CALL, threading.Event())
    assert result["isError"]
    assert "was stopped" in result["content"][0]["text"]


def test_a_cancelled_call_stops_its_query(worker, monkeypatch):
    """Nobody waits for the answer."""
    cancelled = threading.Event()
    cancelled.set()
    _answering(monkeypatch, lambda repository, *_, **__: repository.read().execute(ENDLESS).fetchone())
    assert worker.run(CALL, cancelled)["isError"]


def test_a_defect_is_told_and_the_trace_goes_to_stderr(worker, monkeypatch, capsys):
    """The session goes on."""

    def broken(*_, **__):
        message = "no such thing"
        raise KeyError(message)

    _answering(monkeypatch, broken)
    result = worker.run(CALL, threading.Event())
    assert result["isError"]
    assert "KeyError" in result["content"][0]["text"]
    captured = capsys.readouterr()
    assert "Traceback" in captured.err
    assert captured.out == ""


def test_a_damaged_index_says_what_to_do(worker, monkeypatch):
    """SQLite's own words, and the command."""

    def damaged(*_, **__):
        message = "database disk image is malformed"
        raise sqlite3.DatabaseError(message)

    _answering(monkeypatch, damaged)
    text = worker.run(CALL, threading.Event())["content"][0]["text"]
    assert "malformed" in text
    assert "roteiro sync --rebuild" in text


def test_waiting_for_the_index_tells_progress_and_then_gives_up():
    """The model is asked to come back."""
    told = []

    class Building(Ready):
        def wait(self, timeout_s):
            message = "still being built"
            raise NotReadyError(message)

        def progress(self):
            return "half"

    worker = Worker(tool_table(), Building(None), 8_000, index_wait_s=0.05)
    result = worker.run(CALL, threading.Event(), told.append)
    assert result["content"][0]["text"] == "still being built"
    assert set(told) == {"half"}
