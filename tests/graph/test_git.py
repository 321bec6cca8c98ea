"""Git is asked, and nothing that a hostile repository names is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from graph import git
from graph.errors import RootError
from graph.git import blob_id, find_worktree, head_commit, listed_paths, special_entries


def run_git(folder: Path, *arguments: str) -> str:
    """Run the real git as the owner of a test repository would."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        [*command, "-C", str(folder), *arguments], env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "a.py").write_text("x = 1\n")
    (folder / ".gitignore").write_text("*.log\n")
    run_git(tmp_path, "init", "-q", str(folder))
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "one")
    return folder


def plant_programs(folder: Path, canary: Path) -> None:
    """Name a program in every place of a repository where git would run one."""
    program = folder.parent / "evil.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {canary}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external"):
        run_git(folder, "config", key, str(program))
    for key in ("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"):
        run_git(folder, "config", key, str(program))
    run_git(folder, "config", "core.hooksPath", str(folder / "hooks"))
    run_git(folder, "config", "alias.ls-files", f"!{program}")
    run_git(folder, "config", "alias.rev-parse", f"!{program}")
    (folder / "hooks").mkdir()
    for hook in ("post-index-change", "pre-auto-gc", "fsmonitor-watchman", "post-checkout", "reference-transaction"):
        (folder / "hooks" / hook).write_text(program.read_text())
        (folder / "hooks" / hook).chmod(0o755)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil\n")


def test_a_folder_inside_a_checkout_finds_its_top(checkout: Path) -> None:
    """Any folder of a work tree leads to its top and its git folders."""
    found = find_worktree(checkout / "pkg")
    assert found is not None
    assert (found.top, found.git_dir, found.common_dir) == (checkout, checkout / ".git", checkout / ".git")


def test_a_folder_outside_git_has_no_worktree(tmp_path: Path) -> None:
    """Without git above there is nothing to find."""
    assert find_worktree(tmp_path) is None


def test_a_bare_repository_has_no_worktree(tmp_path: Path) -> None:
    """A bare repository holds no files to read, and its configuration is not honoured."""
    run_git(tmp_path, "init", "-q", "--bare", str(tmp_path / "bare.git"))
    assert find_worktree(tmp_path / "bare.git") is None


def test_without_git_installed_every_folder_is_plain(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without git still works, by walking."""
    monkeypatch.setenv("PATH", "/nonexistent")
    git._git.cache_clear()
    try:
        assert find_worktree(checkout) is None
    finally:
        git._git.cache_clear()


def test_git_is_not_taken_from_a_relative_path_entry(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry such as `.` on PATH must not find a program called git in the analysed folder."""
    (checkout / "git").write_text("#!/bin/sh\nexit 0\n")
    (checkout / "git").chmod(0o755)
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    git._git.cache_clear()
    try:
        assert (git._git() or "").startswith("/")
    finally:
        git._git.cache_clear()


def test_lists_tracked_and_untracked_and_not_ignored(checkout: Path) -> None:
    """The list is what a person would call the files of the repository."""
    (checkout / "new.py").write_text("")
    (checkout / "x.log").write_text("")
    assert sorted(listed_paths(checkout)) == [".gitignore", "new.py", "pkg/a.py"]


def test_lists_what_is_tracked_and_no_plain_file(checkout: Path) -> None:
    """A link is told from a file by git's index, whatever stands in its place on disk."""
    assert special_entries(checkout) == []
    (checkout / "link.py").symlink_to("pkg/a.py")
    run_git(checkout, "add", "link.py")
    assert [(entry.mode, entry.path) for entry in special_entries(checkout)] == [("120000", "link.py")]


def test_the_commit_is_named_and_empty_before_the_first(checkout: Path, tmp_path: Path) -> None:
    """A repository without a commit is no error."""
    assert head_commit(checkout) == run_git(checkout, "rev-parse", "HEAD").strip()
    run_git(tmp_path, "init", "-q", str(tmp_path / "empty"))
    assert head_commit(tmp_path / "empty") == ""


def test_blob_ids_are_those_of_git(checkout: Path) -> None:
    """Our hash of the bytes is the id that git gives them."""
    assert blob_id(b"x = 1\n") == run_git(checkout, "rev-parse", "HEAD:pkg/a.py").strip()


def test_nothing_that_the_repository_names_is_run(checkout: Path, tmp_path: Path) -> None:
    """Monitors, filters, hooks, pagers and aliases in a repository's own configuration stay unused."""
    canary = tmp_path / "ran"
    plant_programs(checkout, canary)
    canary.unlink(missing_ok=True)
    (checkout / "pkg" / "a.py").write_text("x = 2\n")
    assert find_worktree(checkout) is not None
    listed_paths(checkout)
    special_entries(checkout)
    head_commit(checkout)
    assert not canary.exists()


def test_the_planted_programs_do_run_under_plain_git(checkout: Path, tmp_path: Path) -> None:
    """The trap of the test above is armed: plain git falls into it."""
    canary = tmp_path / "ran"
    plant_programs(checkout, canary)
    subprocess.run(["git", "-C", str(checkout), "ls-files", "-o"], capture_output=True, check=False)
    assert canary.exists()


def test_git_variables_of_the_caller_are_not_passed_on(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GIT_DIR in the environment, as in a hook, does not lead to another repository."""
    monkeypatch.setenv("GIT_DIR", "/nonexistent/.git")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent/index")
    found = find_worktree(checkout)
    assert found is not None
    assert found.top == checkout
    assert len(listed_paths(checkout)) == 2


def test_a_work_tree_elsewhere_is_refused(checkout: Path, tmp_path: Path) -> None:
    """A stranger's `core.worktree` must not make us index somebody's home folder."""
    (tmp_path / "home").mkdir()
    run_git(checkout, "config", "core.worktree", str(tmp_path / "home"))
    with pytest.raises(RootError, match=r"core\.worktree"):
        find_worktree(checkout)


def test_another_owner_is_explained(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal says what git objects to and the command that lifts it."""
    monkeypatch.setattr(git, "_VARIABLES", {**git._VARIABLES, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    with pytest.raises(RootError, match=r"another user owns it.*git config --global --add safe\.directory"):
        find_worktree(checkout)


def test_a_broken_repository_is_reported_with_the_words_of_git(checkout: Path) -> None:
    """A configuration that git cannot parse is a message, not a traceback."""
    (checkout / ".git" / "config").write_text("[core\n")
    with pytest.raises(RootError, match="bad config"):
        find_worktree(checkout)
