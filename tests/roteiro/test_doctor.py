"""Each finding carries a cure, and a cure that is a command, run as it is printed, removes the finding."""

from __future__ import annotations

import shlex
import socket
import sqlite3

import pytest


@pytest.fixture
def doctor(roteiro, repository, monkeypatch):
    """Return a function that gives the findings by check; the address is a free one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ROTEIRO_SERVE_ADDR", f"127.0.0.1:{free.getsockname()[1]}")

    def examine(check):
        ran = roteiro("doctor", "--root", repository, "--json")
        assert ran.code == (0 if ran.json["is_well"] else 1)
        return [finding for finding in ran.json["findings"] if finding["check"] == check]

    return examine


def cure(roteiro, finding):
    """Run a cure as it is printed."""
    words = shlex.split(finding["cure"])
    assert words[0] == "roteiro"
    assert roteiro(*words[1:]).code == 0


def test_a_repository_that_is_not_indexed_is_cured_by_sync(roteiro, doctor):
    """The warning becomes an ok."""
    (finding,) = doctor("index")
    assert finding["level"] == "warning"
    cure(roteiro, finding)
    assert [finding["level"] for finding in doctor("index")] == ["ok"]


def test_a_stale_index_is_cured_by_sync(roteiro, doctor, repository):
    """One file is newer."""
    roteiro("sync", "--root", repository)
    (repository / "new.py").write_text("x = 1\n")
    (finding,) = doctor("index")
    assert "1 files are newer" in finding["message"]
    cure(roteiro, finding)
    assert [finding["level"] for finding in doctor("index")] == ["ok"]


def test_a_corrupt_store_is_a_problem_cured_by_a_rebuild(roteiro, doctor, repository):
    """Exit code 1 until then."""
    roteiro("sync", "--root", repository)
    (repository / ".git" / "roteiro" / "graph.db").write_bytes(b"garbage" * 5000)
    (finding,) = doctor("index")
    assert finding["level"] == "problem"
    cure(roteiro, finding)
    assert [finding["level"] for finding in doctor("index")] == ["ok"]


def test_a_store_that_contradicts_itself_is_cured_by_a_rebuild(roteiro, doctor, repository):
    """`verify` is part of the examination."""
    roteiro("sync", "--root", repository)
    with sqlite3.connect(repository / ".git" / "roteiro" / "graph.db") as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM node WHERE name = 'reserve'")
    connection.close()
    (finding,) = doctor("index")
    assert finding["level"] == "problem"
    cure(roteiro, finding)
    assert [finding["level"] for finding in doctor("index")] == ["ok"]


def test_a_truncated_model_is_a_problem_and_can_be_forgotten(roteiro, doctor, tmp_path):
    """One that is not in the table cannot be fetched again."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF" + b"\1" * 100)
    roteiro("model", "add", path)
    assert [finding["level"] for finding in doctor("model")] == ["ok"]
    path.write_bytes(b"GGUF")
    (finding,) = doctor("model")
    assert finding["level"] == "problem"
    cure(roteiro, finding)
    assert [finding["level"] for finding in doctor("model")] == ["warning"]


def test_a_taken_address_is_a_problem_with_a_way_out(doctor, monkeypatch):
    """Another program listens there."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("ROTEIRO_SERVE_ADDR", f"127.0.0.1:{taken.getsockname()[1]}")
        (finding,) = doctor("address")
    assert finding["level"] == "problem"
    assert "--port" in finding["cure"]


def test_an_upstream_that_does_not_answer_is_a_problem(doctor, monkeypatch):
    """It names the address."""
    monkeypatch.setenv("ROTEIRO_SERVE_UPSTREAM", "http://127.0.0.1:9/v1")
    (finding,) = doctor("upstream")
    assert finding["level"] == "problem"
    assert "127.0.0.1:9" in finding["message"]


def test_settings_that_cannot_be_read_are_the_first_problem(roteiro, doctor, repository):
    """The rest cannot be judged without them."""
    (repository / "roteiro.toml").write_text("[serve]\nqueue = 1\n")
    (finding,) = doctor("settings")
    assert finding["level"] == "problem"
    assert "cannot be set by a repository" in finding["message"]


def test_for_a_person_every_finding_is_a_line_and_every_cure_another(roteiro, repository):
    """No colours where there is no terminal."""
    out = roteiro("doctor", "--root", repository).out
    assert "cure: roteiro sync --root" in out
    assert "\x1b" not in out
