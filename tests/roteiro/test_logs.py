"""The log: in the state folder, and nowhere else. That it holds no prompt is asked of a real server in `tests/e2e`."""

from __future__ import annotations

import asyncio
import logging

import pytest

from roteiro.config import LogSettings
from roteiro.logs import start_logging
from serve.http.request_id import REQUEST_ID


@pytest.fixture
def log(tmp_path):
    """Return the path of a log file; logging is put back afterwards."""
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    yield tmp_path / "state" / "roteiro.log"
    for handler in root.handlers:
        handler.close()
    root.handlers[:], root.level = before[0], before[1]


def test_what_is_logged_stands_in_the_file_and_nowhere_else(log, capsys):
    """Stdout and stderr belong to the command."""
    start_logging(LogSettings(), log)
    logging.getLogger("serve.http").info("request %s", "r1")
    assert "INFO serve.http [-]: request r1" in log.read_text()
    assert capsys.readouterr() == ("", "")


def test_the_level_is_honoured(log):
    """`[logs] level`."""
    start_logging(LogSettings(level="error"), log)
    logging.getLogger("serve").warning("small")
    logging.getLogger("serve").error("large")
    assert "small" not in log.read_text()
    assert "large" in log.read_text()


async def test_whatever_a_request_starts_logs_its_id(log):
    """A task and a thread, as an engine and the graph run in."""
    start_logging(LogSettings(), log)

    async def answer(request_id):
        REQUEST_ID.set(request_id)
        await asyncio.create_task(asyncio.to_thread(logging.getLogger("graph").info, "read"))

    await asyncio.gather(*(asyncio.create_task(answer(request_id)) for request_id in ("r1", "r2")))
    assert sorted(line.split(" ", 2)[2] for line in log.read_text().splitlines()) == [
        "INFO graph [r1]: read",
        "INFO graph [r2]: read",
    ]
