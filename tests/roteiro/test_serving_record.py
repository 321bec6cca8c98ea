"""Where servers of ours run: left word of, believed only when one answers."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from roteiro import serving_record
from roteiro.folders import servers_folder
from roteiro.serving_record import find_server, recorded

CONFIGURED = "127.0.0.1:8017"
ELSEWHERE = "127.0.0.1:9555"


@pytest.fixture(autouse=True)
def answering(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[tuple[str, Path]]:
    """Return the servers that answer, which a test fills."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    running: set[tuple[str, Path]] = set()
    monkeypatch.setattr(serving_record, "find_running", lambda address, root: (address, root) in running)
    return running


def test_a_server_on_another_port_is_found_while_it_runs(answering, tmp_path):
    """By the root that it serves."""
    answering.add((ELSEWHERE, tmp_path))
    with recorded(ELSEWHERE, tmp_path):
        assert find_server(tmp_path, CONFIGURED) == ELSEWHERE
        assert find_server(tmp_path / "other", CONFIGURED) == ""
    assert find_server(tmp_path, CONFIGURED) == ""
    assert list(servers_folder().iterdir()) == []


def test_the_configured_address_is_asked_first(answering, tmp_path):
    """It needs no record."""
    answering |= {(CONFIGURED, tmp_path), (ELSEWHERE, tmp_path)}
    with recorded(ELSEWHERE, tmp_path):
        assert find_server(tmp_path, CONFIGURED) == CONFIGURED


def test_a_record_without_an_answer_is_not_believed(answering, tmp_path):
    """The process lives, and serves something else by now."""
    with recorded(ELSEWHERE, tmp_path):
        assert find_server(tmp_path, CONFIGURED) == ""


@pytest.mark.parametrize("left", [b'{"pid":4194305,"address":"127.0.0.1:9555","root":"/"}', b"rubbish"])
def test_what_a_killed_server_left_behind_is_thrown_away(answering, tmp_path, left):
    """Its process is gone."""
    servers_folder().mkdir(parents=True)
    place = servers_folder() / "1.json"
    place.write_bytes(left)
    assert find_server(tmp_path, CONFIGURED) == ""
    assert not place.exists()


def test_nobody_else_may_read_where_servers_run(tmp_path):
    """The folder is the user's own."""
    with recorded(ELSEWHERE, tmp_path):
        assert stat.S_IMODE(servers_folder().stat().st_mode) == 0o700
        assert (servers_folder() / f"{os.getpid()}.json").exists()


def test_a_folder_that_cannot_be_made_does_not_stop_a_server(tmp_path, monkeypatch):
    """The state folder is a file."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with recorded(ELSEWHERE, tmp_path):
        assert find_server(tmp_path, CONFIGURED) == ""
