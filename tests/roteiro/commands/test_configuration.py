"""`config`: every setting, its value, its origin."""

from __future__ import annotations


def test_every_setting_is_shown_with_its_origin(roteiro, repository, monkeypatch):
    """File, environment and default side by side."""
    (repository / "roteiro.toml").write_text("[ask]\nrounds = 2\n")
    monkeypatch.setenv("ROTEIRO_SERVE_QUEUE", "3")
    ran = roteiro("config", "--root", repository, "--json")
    values = {row["key"]: (row["value"], row["origin"]) for row in ran.json["settings"]}
    assert values["ask.rounds"] == (2, str(repository / "roteiro.toml"))
    assert values["serve.queue"] == (3, "environment ROTEIRO_SERVE_QUEUE")
    assert values["serve.addr"] == ("127.0.0.1:8017", "default")


def test_only_what_differs_can_be_asked_for(roteiro, repository, monkeypatch):
    """With where a person's own file would be."""
    monkeypatch.setenv("ROTEIRO_SERVE_QUEUE", "3")
    ran = roteiro("config", "--root", repository, "--changed")
    assert ran.out.splitlines()[0].split() == ["serve.queue", "3", "environment", "ROTEIRO_SERVE_QUEUE"]
    assert "your file: " in ran.out
    assert len(ran.out.splitlines()) == 2


def test_a_mistake_names_its_place_and_the_nearest_key(roteiro, repository, monkeypatch):
    """Exit code 2."""
    monkeypatch.setenv("ROTEIRO_SERVE_QEUE", "3")
    ran = roteiro("config", "--root", repository)
    assert ran.code == 2
    assert "environment ROTEIRO_SERVE_QEUE: sets nothing that exists. Nearest: serve.queue." in ran.err


def test_a_hostile_file_of_the_repository_does_not_hide_the_settings(roteiro, repository):
    """What holds without it is shown, and what is wrong with it."""
    (repository / "roteiro.toml").write_text('[serve]\naddr = "0.0.0.0:80"\n')
    ran = roteiro("config", "--root", repository, "--json")
    assert ran.code == 1
    assert "cannot be set by a repository" in ran.json["problem"]
    assert next(row for row in ran.json["settings"] if row["key"] == "serve.addr")["value"] == "127.0.0.1:8017"
    assert "cannot be set by a repository" in roteiro("config", "--root", repository).err
