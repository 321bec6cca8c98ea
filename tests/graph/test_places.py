"""Where stores live, and that a folder which came with a tree is never trusted."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from graph.errors import RootError
from graph.git import find_worktree
from graph.places import Places, places_for, prepare


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def places(root: Path, home: Path) -> Places:
    worktree = find_worktree(root)
    return places_for(worktree.top if worktree else root, worktree, home)


def run_git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_a_checkout_keeps_its_store_in_its_git_folder(checkout: Path, home: Path) -> None:
    """The graph and the cache are out of sight of git and of every listing."""
    found = places(checkout, home)
    assert found.database == checkout / ".git/roteiro/graph.db"
    assert found.facts == checkout / ".git/roteiro/blobs/facts.db"
    assert found.elsewhere == ""


def test_worktrees_have_a_graph_each_and_one_cache(checkout: Path, home: Path, tmp_path: Path) -> None:
    """A linked worktree never uses the graph of the main checkout, and shares what was extracted."""
    run_git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
    run_git(checkout, "worktree", "add", "-q", str(tmp_path / "linked"))
    prepare(places(checkout, home))
    found = places(tmp_path / "linked", home)
    assert found.database == checkout / ".git/worktrees/linked/roteiro/graph.db"
    assert found.facts == checkout / ".git/roteiro/blobs/facts.db"
    assert found.elsewhere == ""


def test_without_git_the_store_ignores_itself(tmp_path: Path, home: Path) -> None:
    """`.roteiro` holds a `.gitignore`, should git come later."""
    root = tmp_path / "plain"
    root.mkdir()
    found = places(root, home)
    prepare(found)
    assert found.database == root / ".roteiro/graph.db"
    assert (root / ".roteiro/.gitignore").read_text() == "*\n"
    assert places(root, home) == found


def test_a_store_folder_that_came_with_the_tree_is_not_used(tmp_path: Path, home: Path) -> None:
    """A prepared database in a downloaded archive would answer in our name."""
    root = tmp_path / "plain"
    (root / ".roteiro").mkdir(parents=True)
    (root / ".roteiro/graph.db").write_bytes(b"prepared")
    (root / ".roteiro/mark.txt").write_text("guessed")
    found = places(root, home)
    assert found.store_folder.is_relative_to(home)
    assert "was not made here by this user" in found.elsewhere
    prepare(found)
    assert (root / ".roteiro/graph.db").read_bytes() == b"prepared"
    assert places(root, home) == found


def test_another_users_store_is_not_used(tmp_path: Path, home: Path) -> None:
    """The mark of one user does not open the store of another."""
    root = tmp_path / "plain"
    root.mkdir()
    prepare(places(root, tmp_path / "their-cache"))
    assert places(root, home).store_folder.is_relative_to(home)


@pytest.mark.parametrize("where", [".roteiro", ".git/roteiro"])
def test_a_linked_store_folder_is_not_followed(tmp_path: Path, home: Path, where: str) -> None:
    """A link would let a tree choose which of our files is overwritten."""
    root = tmp_path / "root"
    root.mkdir()
    if where.startswith(".git"):
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    (tmp_path / "victim").mkdir()
    (root / where).symlink_to(tmp_path / "victim")
    found = places(root, home)
    prepare(found)
    assert found.store_folder.is_relative_to(home)
    assert list((tmp_path / "victim").iterdir()) == []


def test_a_linked_database_in_our_own_folder_is_not_followed(checkout: Path, home: Path, tmp_path: Path) -> None:
    """Not even where the folder bears our mark."""
    prepare(places(checkout, home))
    (checkout / ".git/roteiro/graph.db").symlink_to(tmp_path / "victim")
    assert "is a symbolic link" in places(checkout, home).elsewhere


def test_a_git_entry_that_points_into_another_repository_gets_no_store_there(
    checkout: Path, home: Path, tmp_path: Path
) -> None:
    """A tree may say that its git folder is the one of a neighbour; the neighbour does not say so."""
    prepare(places(checkout, home))
    for name, plant in (
        ("linked", lambda entry: entry.symlink_to(checkout / ".git")),
        ("filed", lambda entry: entry.write_text(f"gitdir: {checkout / '.git'}\n")),
    ):
        hostile = tmp_path / name
        hostile.mkdir()
        plant(hostile / ".git")
        found = places(hostile, home)
        assert found.store_folder.is_relative_to(home), name
        assert found.elsewhere, name


def test_a_common_folder_elsewhere_gets_no_cache_there(checkout: Path, home: Path, tmp_path: Path) -> None:
    """A `commondir` file in a stranger's git folder does not choose where we write."""
    run_git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
    hostile = tmp_path / "hostile"
    shutil.copytree(checkout, hostile)
    (hostile / ".git/commondir").write_text(f"{checkout / '.git'}\n")
    assert places(hostile, home).store_folder.is_relative_to(home)


def test_a_submodule_keeps_its_store_in_its_own_git_folder(checkout: Path, home: Path, tmp_path: Path) -> None:
    """Its git folder lies in the one of its superproject, which holds it."""
    run_git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
    outer = tmp_path / "outer"
    subprocess.run(["git", "init", "-q", str(outer)], check=True)
    run_git(outer, "submodule", "add", "-q", str(checkout), "sub")
    found = places(outer / "sub", home)
    assert found.database == outer / ".git/modules/sub/roteiro/graph.db"


def test_a_folder_that_cannot_be_written_uses_the_user_cache(tmp_path: Path, home: Path, monkeypatch) -> None:
    """A read-only checkout can still be indexed."""
    root = tmp_path / "plain"
    root.mkdir()
    writable = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != root and writable(path, mode))
    found = places(root, home)
    assert found.store_folder.parent == home / "stores"
    assert found.store_folder.name.startswith("plain-")
    assert "cannot be written" in found.elsewhere


def test_no_place_at_all_is_a_message(tmp_path: Path) -> None:
    """When not even the cache folder can be made, the error says what to set."""
    (tmp_path / "file").write_text("")
    root = tmp_path / "plain"
    root.mkdir()
    with pytest.raises(RootError, match="XDG_CACHE_HOME"):
        prepare(places_for(root, None, tmp_path / "file" / "cache"))


def test_a_store_that_was_copied_with_its_tree_is_not_trusted(tmp_path: Path) -> None:
    """It has the mark of this user, made for another place."""
    root, home = tmp_path / "root", tmp_path / "home"
    root.mkdir()
    prepare(places_for(root, None, home))
    assert places_for(root, None, home).store_folder == root / ".roteiro"
    shutil.copytree(root, tmp_path / "copy")
    copied = places_for(tmp_path / "copy", None, home)
    assert home in copied.store_folder.parents
    assert "was not made here" in copied.elsewhere
