"""A repository made to break or to misuse whoever reads it: nothing runs, nothing is lost, everything is told."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


@pytest.fixture
def nasty(repository: Path, tmp_path: Path) -> Path:
    """Return a repository with every kind of file that a reader stumbles over."""
    secret = tmp_path / "outside" / "secret.py"
    secret.parent.mkdir()
    secret.write_text("def outside_secret():\n    pass\n")
    (repository / "broken.py").write_text("def broken(:\n    pass\n\n\nclass Fine:\n    def works(self): pass\n")
    (repository / "latin.py").write_bytes("def caf\xe9():\n    pass\n".encode("latin-1"))
    (repository / "nul.py").write_bytes(b"x = 1\0\0\0")
    with (repository / "huge.py").open("wb") as huge:
        huge.truncate(50_000_000)
    (repository / "deep.py").write_text("x = " + "(" * 20_000 + ")" * 20_000 + "\n")
    (repository / "loop").symlink_to(repository / "loop")
    (repository / "round").symlink_to(repository)
    (repository / "link.py").symlink_to(secret)
    (repository / "new\nline.py").write_text("def odd_name():\n    pass\n")
    os.mkfifo(repository / "pipe.py")
    git(repository, "add", "-A", ":!pipe.py")
    git(repository, "commit", "-q", "-m", "nasty")
    return repository


def test_every_kind_of_bad_file_is_survived_and_the_good_ones_are_there(run, nasty):
    """Skipped files are counted, and what could be read of a broken one is in the graph."""
    done = run("sync", "--root", nasty, "--json")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["skipped"] >= 1
    assert run("callers", "reserve", "--root", nasty).returncode == 0
    assert run("source", "broken.py#Fine.works", "--root", nasty).returncode == 0


def test_a_file_outside_the_root_is_never_read(run, nasty):
    """Neither through a link nor by its path."""
    run("sync", "--root", nasty)
    assert "outside_secret" not in run("dump", "--root", nasty).stdout
    for path in ("link.py", "../outside/secret.py", "/etc/passwd", "round/shop/orders.py"):
        done = run("source", path, "--root", nasty)
        assert done.returncode == 1, path
        assert "outside_secret" not in done.stdout
        assert done.stderr.startswith("roteiro: ")


def test_git_settings_of_the_repository_run_nothing(run, repository, tmp_path):
    """A file monitor, hooks, filters, a pager, an editor, an ssh command, aliases of the very commands we use."""
    canary = tmp_path / "canary"
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho ran "$0" "$@" >> {canary}\ncat\n')
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "diff.external",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "alias.ls-files",
        "alias.rev-parse",
        "pager.ls-files",
        "credential.helper",
        "gpg.program",
    ):
        value = f"!{trap}" if key.startswith(("alias", "credential")) else str(trap)
        git(repository, "config", key, value)
    git(repository, "config", "filter.evil.required", "true")
    git(repository, "config", "core.hooksPath", str(tmp_path / "hooks"))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"):
        (tmp_path / "hooks" / hook).write_text(trap.read_text())
        (tmp_path / "hooks" / hook).chmod(0o755)
    (repository / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    git(repository, "config", "diff.evil.textconv", str(trap))
    os.utime(repository / "shop" / "orders.py", (1, 1))
    for command in (["sync"], ["status"], ["search", "reserve"], ["doctor"], ["sync", "--rebuild"]):
        done = run(*command, "--root", repository)
        assert done.returncode in {0, 1}, done.stderr
    assert not canary.exists(), canary.read_text()


def test_a_store_that_came_with_the_tree_is_not_used(run, repository, tmp_path):
    """Without git, `.roteiro` is where ours would be; a foreign one is left alone and the cache folder serves."""
    plain = tmp_path / "plain"
    (plain / ".roteiro").mkdir(parents=True)
    (plain / ".roteiro" / "graph.db").write_bytes(b"prepared by somebody else")
    (plain / "a.py").write_text("def honest():\n    pass\n")
    done = run("sync", "--root", plain, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert not report["store"].startswith(str(plain))
    assert "was not made here by this user" in report["elsewhere"]
    assert (plain / ".roteiro" / "graph.db").read_bytes() == b"prepared by somebody else"


def test_a_folder_that_git_refuses_is_explained(run, repository):
    """A `.git` that is no repository."""
    broken = repository / "broken"
    broken.mkdir()
    (broken / ".git").mkdir()
    (broken / "a.py").write_text("def lonely():\n    pass\n")
    done = run("sync", "--root", broken)
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1, 2}
