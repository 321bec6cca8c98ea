"""`init` and `init --remove`: what is written, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import subprocess

import pytest


@pytest.fixture
def init(roteiro, repository, tmp_path, monkeypatch):
    """Return a function that runs `init` on the small shop, with a Codex home of the test's own."""
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    return lambda *arguments: roteiro("init", *arguments, "--root", repository)


def _tree(*folders):
    """Return every file with its bytes and mode, git's objects and our store left out."""
    return {
        path: (path.read_bytes(), path.stat().st_mode)
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {"objects", "roteiro", "xdg-data", "xdg-state"}.intersection(path.parts)
    }


def test_init_and_remove_leave_every_byte_as_it_was(init, repository, tmp_path):
    """Whatever was asked for."""
    (repository / "AGENTS.md").write_bytes(b"# Ours\r\n\r\nNo line break at the end")
    (repository / ".mcp.json").write_text('{"mcpServers":{"other":{"command":"x"}}}')
    (tmp_path / "codex").mkdir()
    (tmp_path / "codex" / "config.toml").write_text('model = "m"\n')
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec true\n")
    hook.chmod(0o755)
    before = _tree(repository, tmp_path / "codex")
    options = ("--client", "codex", "--client", "claude", "--client", "vscode", "--hook", "--yes", "--json")
    ran = init(*options)
    assert ran.code == 0, ran.err
    files = {file["path"].removeprefix(str(repository)): file["action"] for file in ran.json["files"]}
    assert files["/.roteiroignore"] == "created"
    assert files["/AGENTS.md"] == files["/.mcp.json"] == files["/.git/hooks/post-commit"] == "changed"
    assert files["/.vscode/mcp.json"] == "created"
    assert json.loads((repository / ".mcp.json").read_text())["mcpServers"].keys() == {"other", "roteiro"}
    assert "[mcp_servers.roteiro]" in (tmp_path / "codex" / "config.toml").read_text()
    assert (tmp_path / "xdg-data" / "roteiro" / "codex" / "config.toml").exists()
    assert init(*options).json == {"files": [], "refused": []}
    assert init("--remove", "--yes").code == 0
    assert _tree(repository, tmp_path / "codex") == before
    assert not (repository / ".vscode").exists()
    assert not (tmp_path / "xdg-data" / "roteiro" / "codex").exists()
    assert init("--remove", "--yes").out == "nothing to do\n"


def test_the_difference_is_shown_and_asked_for(init, repository):
    """Without a terminal there is nobody to say yes."""
    ran = init()
    assert ran.code == 2
    assert "+## Finding your way in this repository" in ran.err
    assert "Pass --yes" in ran.err
    assert not (repository / "AGENTS.md").exists()


@pytest.mark.parametrize("answer", [True, False])
def test_nothing_is_written_after_a_no(init, repository, monkeypatch, answer):
    """Exit code 1, as for anything that was not done."""
    monkeypatch.setattr("roteiro.commands.initialising_run.confirm", lambda _question: answer)
    assert init().code == (0 if answer else 1)
    assert (repository / "AGENTS.md").exists() == answer


def test_what_was_written_since_stays(init, repository):
    """The block goes, the sentence of a person does not."""
    init("--yes")
    page = repository / "AGENTS.md"
    page.write_text(f"First.\n{page.read_text()}Last.\n")
    (repository / ".roteiroignore").write_text("mine/\n")
    ran = init("--remove", "--yes")
    assert page.read_text() == "First.\nLast.\n"
    assert (repository / ".roteiroignore").read_text() == "mine/\n"
    assert ".roteiroignore is left alone" in ran.err


def test_an_edited_block_is_left_alone(init, repository):
    """It is somebody's work now."""
    init("--yes")
    page = repository / "AGENTS.md"
    page.write_text(page.read_text().replace("start here", "begin here"))
    ran = init("--remove", "--yes")
    assert "left alone: what was added has been edited" in ran.err
    assert "begin here" in page.read_text()


@pytest.mark.parametrize("linked", ["AGENTS.md", ".roteiroignore", ".mcp.json", ".vscode", ".git/hooks"])
def test_no_link_of_a_stranger_is_followed(init, repository, tmp_path, linked):
    """A repository may hold a link to a file of the person's own."""
    outside = tmp_path / "outside"
    outside.mkdir()
    is_folder = linked in {".vscode", ".git/hooks"}
    target = outside if is_folder else outside / "file"
    if not is_folder:
        target.write_text("# mine\n")
    if (repository / linked).is_dir():
        (repository / linked).rename(tmp_path / "moved")
    (repository / linked).symlink_to(target)
    before = _tree(outside)
    ran = init("--yes", "--hook", "--client", "claude", "--client", "vscode")
    assert ran.code == 0
    assert "is left alone" in ran.err
    assert _tree(outside) == before
    assert (repository / linked).is_symlink()


def test_a_link_to_nothing_is_not_written_through(init, repository, tmp_path):
    """It would make a file wherever a stranger likes."""
    (repository / "AGENTS.md").symlink_to(tmp_path / "made")
    init("--yes")
    assert not (tmp_path / "made").exists()


def test_the_hook_lets_git_go_on(init, repository):
    """It is executable, starts in the background, and says nothing."""
    init("--hook", "--yes")
    (repository / "new.py").write_text("x = 1\n")
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}  # without roteiro: then the hook does nothing
    for command in (["add", "new.py"], ["commit", "-q", "-m", "second"]):
        done = subprocess.run(
            ["git", "-C", str(repository), *command], capture_output=True, text=True, env=environment, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert os.access(repository / ".git" / "hooks" / "post-commit", os.X_OK)


def test_a_hook_needs_git_and_a_client_that_exists(roteiro, init, tmp_path):
    """Bad use, with what would work."""
    (tmp_path / "plain").mkdir()
    assert "no git checkout" in roteiro("init", "--hook", "--yes", "--root", tmp_path / "plain").err
    ran = init("--client", "emacs")
    assert ran.code == 2
    assert "Known: codex, claude, vscode." in ran.err


def test_a_damaged_record_is_told(init, tmp_path):
    """Nothing is taken out on its word."""
    init("--yes")
    (record,) = (tmp_path / "xdg-data" / "roteiro" / "init").glob("*.json")
    record.write_text("{")
    ran = init("--remove", "--yes")
    assert ran.code == 1
    assert "is damaged" in ran.err
