"""Which files count, and why others do not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from graph.errors import RootError
from graph.files import Listed, list_files
from graph.git import find_worktree
from graph.settings import IndexSettings


def listing(root: Path, **settings: object) -> dict[str, str]:
    """Return path -> reason for a root."""
    found = list_files(root, find_worktree(root), IndexSettings(**settings))
    assert list(found) == sorted(found, key=lambda listed: listed.path)
    return {listed.path: listed.skip for listed in found}


def fill(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x = 1\n")


@pytest.fixture(params=["git", "plain"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give a root with git and one without: the answers are the same."""
    folder = tmp_path / "root"
    folder.mkdir()
    if request.param == "git":
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def test_ignore_files_are_honoured(root: Path) -> None:
    """Nested `.gitignore` files work with git and without."""
    fill(root, "a.py", "build/x.py", "pkg/keep.py", "pkg/drop.py", "pkg/deep/drop.py", "other/drop.py")
    (root / ".gitignore").write_text("build/\n")
    (root / "pkg/.gitignore").write_text("drop.py\n!deep/drop.py\n")
    found = [path for path in listing(root) if path.endswith(".py")]
    assert found == ["a.py", "other/drop.py", "pkg/deep/drop.py", "pkg/keep.py"]


def test_roteiroignore_and_the_setting_also_exclude_tracked_files(root: Path) -> None:
    """A tracked vendor folder can be left out, and the reason says by what."""
    fill(root, "a.py", "vendor/x.py", "gen/a_pb2.py", "gen/keep_pb2.py")
    if (root / ".git").exists():
        subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    (root / ".roteiroignore").write_text("*_pb2.py\n!keep_pb2.py\n")
    found = listing(root, exclude=("vendor/*.py",))
    assert found["gen/a_pb2.py"] == "excluded by .roteiroignore"
    assert found["vendor/x.py"] == "excluded by [index] exclude"
    assert found["a.py"] == found["gen/keep_pb2.py"] == ""


def test_secrets_are_left_out(root: Path) -> None:
    """Files that hold keys by their names are never read; templates and sources are."""
    fill(root, ".env", ".env.local", "deploy/id_rsa", "tls/server.pem", "app/.env.example", "secrets.py", "keys.py")
    found = listing(root)
    secret = {path for path, reason in found.items() if reason == "may hold a secret"}
    assert secret == {".env", ".env.local", "deploy/id_rsa", "tls/server.pem"}


def test_a_large_file_is_left_out_by_its_size(root: Path) -> None:
    """Fifty megabytes are never read; the reason names the limit."""
    with (root / "big.py").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    assert listing(root)["big.py"].startswith("too large: 52,428,800 bytes, the limit is 1,500,000")


def test_links_are_recorded_and_never_followed(root: Path, tmp_path: Path) -> None:
    """Links out of the root, to nothing, in a loop and to folders are each left out with a reason of their own."""
    fill(root, "a.py")
    fill(tmp_path, "outside/secret.py")
    (root / "inside.py").symlink_to("a.py")
    (root / "out.py").symlink_to(tmp_path / "outside/secret.py")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to("loop")
    (root / "up").symlink_to(".")
    (root / "nothing.py").symlink_to("absent.py")
    assert {path: reason for path, reason in listing(root).items() if path != "a.py"} == {
        "inside.py": "a symbolic link",
        "out.py": "a symbolic link out of the root",
        "folder": "a symbolic link out of the root",
        "loop": "a symbolic link in a loop",
        "up": "a symbolic link",
        "nothing.py": "a symbolic link to nothing",
    }


def test_a_tracked_file_behind_a_new_link_is_not_read(tmp_path: Path) -> None:
    """A folder replaced by a link after it was tracked does not open what it points to."""
    root = tmp_path / "root"
    fill(root, "pkg/sub/a.py")
    fill(tmp_path, "outside/sub/a.py")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    (root / "pkg/sub/a.py").unlink()
    (root / "pkg/sub").rmdir()
    (root / "pkg").rmdir()
    (root / "pkg").symlink_to(tmp_path / "outside")
    assert listing(root) == {
        "pkg": "a symbolic link out of the root",
        "pkg/sub/a.py": "reached through a symbolic link",
    }


def test_deleted_tracked_files_are_not_listed(root: Path) -> None:
    """What git still tracks and the disk no longer holds is simply not there."""
    fill(root, "a.py", "b.py")
    if (root / ".git").exists():
        subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    (root / "b.py").unlink()
    assert list(listing(root)) == ["a.py"]


def test_submodules_and_repositories_inside_are_left_out(tmp_path: Path) -> None:
    """A repository inside another one is indexed by itself, not as a part."""
    root = tmp_path / "root"
    fill(root, "a.py")
    fill(root / "inner", "b.py")
    for folder in (root, root / "inner"):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    assert listing(root) == {"a.py": "", "inner/": "a repository of its own"}
    environment = os.environ | {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org"}
    environment |= {"GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}
    for folder, command in (
        (root / "inner", ("add", "-A")),
        (root / "inner", ("commit", "-qm", "x")),
        (root, ("add", "inner")),
    ):
        subprocess.run(["git", "-C", str(folder), *command], check=True, env=environment, capture_output=True)
    assert listing(root)["inner"] == "a submodule"


def test_files_in_a_merge_conflict_are_listed_once(tmp_path: Path) -> None:
    """Git names a conflicting path three times."""
    fill(tmp_path, "a.py")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    blob = subprocess.run(
        ["git", "-C", str(tmp_path), "hash-object", "-w", "a.py"], check=True, capture_output=True, text=True
    ).stdout.strip()
    stages = "".join(f"100644 {blob} {stage}\ta.py\n" for stage in (1, 2, 3))
    subprocess.run(["git", "-C", str(tmp_path), "update-index", "--index-info"], input=stages, text=True, check=True)
    assert list(listing(tmp_path)) == ["a.py"]


def test_odd_files_are_left_out_with_a_reason(root: Path) -> None:
    """Pipes, notebooks, installed code and names that are not UTF-8 are named, not read."""
    fill(root, "a.ipynb", "js/bower_components/x.js")
    os.mkfifo(root / "pipe.py")
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.py")).write_text("")
    found = listing(root)
    assert found["a.ipynb"] == "a notebook"
    assert found["caf\\xe9.py"] == "its name is not UTF-8"
    # git does not list pipes and a walk without git does not enter installed code: both are fine
    assert found.get("pipe.py", "not a regular file") == "not a regular file"
    assert found.get("js/bower_components/x.js", "installed").startswith("installed")


def test_a_store_that_came_with_the_tree_is_not_indexed(root: Path) -> None:
    """A tracked `.roteiro` folder is somebody's data."""
    fill(root, "a.py", ".roteiro/x.py")
    if (root / ".git").exists():
        subprocess.run(["git", "-C", str(root), "add", "-Af"], check=True)
    assert {path for path, reason in listing(root).items() if not reason} == {"a.py"}


def test_too_many_files_name_the_folders_that_hold_them(root: Path) -> None:
    """The refusal says where the files are and what can be done."""
    fill(root, *(f"data/{n}.py" for n in range(12)), "a.py")
    with pytest.raises(RootError, match=r"13 files, more than .*max_files. = 10.*data/ 12"):
        listing(root, max_files=10)


def test_an_unreadable_folder_is_passed_over(root: Path) -> None:
    """A folder that may not be entered does not end the listing."""
    if os.geteuid() == 0:
        pytest.skip("root may enter every folder")
    fill(root, "a.py", "closed/b.py")
    (root / "closed").chmod(0)
    try:
        assert listing(root)["a.py"] == ""
    finally:
        (root / "closed").chmod(0o755)


def test_a_stat_is_kept_for_each_file(root: Path) -> None:
    """Size, times and inode are those of the file itself."""
    fill(root, "a.py")
    (found,) = list_files(root, None, IndexSettings())
    assert isinstance(found, Listed)
    assert (found.stat.size, found.stat.inode) == (6, (root / "a.py").stat().st_ino)


def test_a_tree_of_any_depth_is_listed(root: Path) -> None:
    """More folders inside each other than Python's stack has frames."""
    depth = 1100
    handle = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("a.py", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)
    assert listing(root) == {"d/" * depth + "a.py": ""}
    (root / ("d/" * depth) / "a.py").unlink()
    (root / "stays").write_text("")
    os.removedirs(root / ("d/" * depth))
