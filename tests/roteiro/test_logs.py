"""The log: in the state folder, readable by its owner, without prompts unless they are asked for."""

from __future__ import annotations

import logging

import pytest

from roteiro.config import LogSettings
from roteiro.logs import PROMPTS, start_logging


@pytest.fixture
def log(tmp_path):
    """Return the path of a log file; logging is put back afterwards."""
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    yield tmp_path / "state" / "roteiro.log"
    for handler in root.handlers:
        handler.close()
    root.handlers[:], root.level = before[0], before[1]
    logging.getLogger(PROMPTS).disabled = False


def test_what_is_logged_stands_in_the_file_and_nowhere_else(log, capsys):
    """Stdout and stderr belong to the command."""
    start_logging(LogSettings(), log)
    logging.getLogger("serve.http").info("request %s", "r1")
    assert "INFO serve.http: request r1" in log.read_text()
    assert capsys.readouterr() == ("", "")


def test_prompts_are_logged_only_when_asked(log):
    """They may hold source and secrets."""
    start_logging(LogSettings(), log)
    logging.getLogger(PROMPTS).info("hunter2")
    start_logging(LogSettings(prompts=True), log)
    logging.getLogger(PROMPTS).info("swordfish")
    text = log.read_text()
    assert "hunter2" not in text
    assert "swordfish" in text


def test_the_level_is_honoured(log):
    """`[logs] level`."""
    start_logging(LogSettings(level="error"), log)
    logging.getLogger("serve").warning("small")
    logging.getLogger("serve").error("large")
    assert "small" not in log.read_text()
    assert "large" in log.read_text()
