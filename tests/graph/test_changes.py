"""The symbols that differ from a revision."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graph.changes import Versions, compared
from graph.errors import ArgumentError
from graph.repository import Repository
from graph.revisions import commit_of, file_blobs, read_blobs
from graph.tools import call_tool

BEFORE = b"""\
import os


def kept():
    return 1


class Box:
    size = 1

    def grow(self):
        return 2


def gone():
    return 3
"""


def _git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


def _said(changes):
    return [(change.status, change.qualname) for change in changes]


@pytest.fixture
def checkout(tmp_path):
    """Give a checkout with one commit of `box.py`, a text and a picture."""
    root = tmp_path / "repo"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    (root / "box.py").write_bytes(BEFORE)
    (root / "notes.toml").write_text("a = 1\n")
    (root / "a.png").write_bytes(b"\x89PNG\0")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "one")
    return root


@pytest.fixture
def repository(checkout, tmp_path):
    """Give it open and indexed."""
    with Repository.open(checkout, cache_home=tmp_path / "cache") as opened:
        opened.sync()
        yield opened


def _changes(repository, base="HEAD", **arguments):
    repository.sync()
    return call_tool(repository, "changes", {"base": base, **arguments})


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (BEFORE, []),
        (BEFORE.replace(b"\n\n\n", b"\n\n\n\n\n"), []),
        (BEFORE.replace(b"return 1", b"return 9"), [("changed", "kept")]),
        (BEFORE.replace(b"return 2", b"return 9"), [("changed", "Box.grow")]),
        (BEFORE.replace(b"import os", b"import sys"), [("changed", "box.py")]),
        (BEFORE.replace(b"class Box:", b"class Box(Base):"), [("changed", "Box")]),
        (BEFORE.replace(b"def gone", b"def came"), [("removed", "gone"), ("added", "came")]),
        (BEFORE + b"\ndef more():\n    pass\n", [("added", "more")]),
        (None, [("removed", name) for name in ("box.py", "kept", "Box", "Box.size", "Box.grow", "gone")]),
    ],
    ids=["same", "blank-lines", "body", "method", "file", "class", "renamed", "added", "deleted"],
)
def test_only_the_symbol_whose_own_lines_differ_is_named(after, said):
    """A method does not make its class a changed one; standing elsewhere is no change."""
    assert sorted(_said(compared([Versions("box.py", BEFORE, after)]))) == sorted(said)


def test_a_renamed_file_is_moved_symbols(repository):
    """Not as many removed and added ones."""
    (repository.root / "box.py").rename(repository.root / "crate.py")
    answer = _changes(repository).result
    moved = {change.qualname: change.was for change in answer.changes if change.status == "moved"}
    assert moved["Box.grow"] == "sym:python:box.py#Box.grow"
    assert answer.counts == {"removed": 1, "added": 1, "moved": 5}  # the file itself has another name


def test_a_changed_signature_is_shown_as_it_was(repository):
    """What breaks callers."""
    (repository.root / "box.py").write_bytes(BEFORE.replace(b"def kept()", b"def kept(much)"))
    (change,) = _changes(repository).result.changes
    assert (change.was, change.signature) == ("def kept()", "def kept(much)")


def test_uncommitted_and_committed_changes_count_against_the_base(repository):
    """A new file that git does not know yet too."""
    (repository.root / "box.py").write_bytes(BEFORE.replace(b"return 1", b"return 9"))
    _git(repository.root, "commit", "-q", "-a", "-m", "two")
    (repository.root / "new.py").write_text("def fresh():\n    return 1\n")
    assert _said(_changes(repository, "HEAD~1").result.changes) == [
        ("changed", "kept"),
        ("added", "new.py"),
        ("added", "fresh"),
    ]
    assert _said(_changes(repository, "HEAD", path="box.py").result.changes) == []


def test_three_dots_mean_where_the_branch_left(repository):
    """What happened on the other branch since is no change of this one."""
    _git(repository.root, "checkout", "-q", "-b", "topic")
    _git(repository.root, "checkout", "-q", "main")
    (repository.root / "box.py").write_bytes(BEFORE.replace(b"return 1", b"return 9"))
    _git(repository.root, "commit", "-q", "-a", "-m", "on main")
    _git(repository.root, "checkout", "-q", "topic")
    assert _changes(repository, "main...").result.total == 0
    assert _changes(repository, "main").result.total == 1


def test_what_is_no_code_is_named_apart(repository):
    """An untouched picture is not mentioned."""
    (repository.root / "notes.toml").write_text("a = 2\n")
    text = _changes(repository).text
    assert text.startswith("No symbol differs from HEAD (")
    assert "Note: Also changed, in no language that is read: notes.toml." in text


def test_excluded_and_secret_files_are_no_difference(repository):
    """Neither when they went, nor when they are left out now."""
    (repository.root / ".roteiroignore").write_text("box.py\n")
    assert _changes(repository).result.total == 0


def test_line_ends_alone_are_no_difference(repository):
    """Git may store them as it likes."""
    (repository.root / "box.py").write_bytes(BEFORE.replace(b"\n", b"\r\n"))
    answer = _changes(repository).result
    assert (answer.total, answer.files) == (0, 0)


def test_a_repository_with_the_longer_ids_is_compared_by_its_bytes(tmp_path):
    """Its ids are not ours, so that every file is read; only the changed one differs."""
    root = tmp_path / "long"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main", "--object-format=sha256")
    (root / "box.py").write_bytes(BEFORE)
    (root / "same.py").write_bytes(BEFORE)
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "one")
    (root / "box.py").write_bytes(BEFORE.replace(b"return 1", b"return 9"))
    with Repository.open(root, cache_home=tmp_path / "cache") as opened:
        answer = _changes(opened).result
    assert ([change.key for change in answer.changes], answer.files) == (["sym:python:box.py#kept"], 1)


def test_what_never_was_a_language_of_ours_stays_out(repository):
    """A deleted picture or lock file holds no symbols."""
    (repository.root / "a.png").unlink()
    (repository.root / "notes.toml").unlink()
    answer = _changes(repository)
    assert answer.result.total == 0
    assert "a.png, notes.toml" in answer.text


def test_impact_of_a_revision_begins_at_what_changed(repository):
    """The callers of the changed symbol."""
    (repository.root / "use.py").write_text("from box import kept\n\n\ndef user():\n    return kept()\n")
    _git(repository.root, "add", ".")
    _git(repository.root, "commit", "-q", "-m", "two")
    (repository.root / "box.py").write_bytes(BEFORE.replace(b"return 1", b"return 9"))
    repository.sync()
    answer = call_tool(repository, "impact", {"base": "HEAD"}).result
    assert [symbol.name for symbol in answer.of] == ["kept"]
    assert [(one.name, one.edge) for one in answer.reached] == [("user", "calls")]


@pytest.mark.parametrize("base", ["--output=x", "-h", "", "no-such", "HEAD:box.py", "a b", "HEAD...HEAD", "x" * 300])
def test_what_is_no_revision_is_refused_before_it_can_do_harm(repository, base):
    """Git never sees an option or a path in its place."""
    with pytest.raises(ArgumentError):
        call_tool(repository, "changes", {"base": base})


def test_outside_git_there_is_nothing_to_compare_with(tmp_path):
    """Said as such."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("x = 1\n")
    with Repository.open(tmp_path / "plain", cache_home=tmp_path / "cache") as opened:
        opened.sync()
        with pytest.raises(ArgumentError, match="no git checkout"):
            call_tool(opened, "changes", {"base": "HEAD"})


def test_nothing_that_the_repository_names_is_run(repository, tmp_path):
    """Filters, monitors, drivers and hooks of a stranger stay unused."""
    proof = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    script.chmod(0o755)
    (repository.root / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    for key in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.evil.command", "diff.external"):
        _git(repository.root, "config", key, str(script))
    _git(repository.root, "config", "core.fsmonitor", str(script))
    (repository.root / "box.py").write_bytes(BEFORE.replace(b"return 1", b"return 9"))
    proof.unlink(missing_ok=True)  # configuring has called some of them
    assert _said(_changes(repository).result.changes) == [("changed", "kept")]
    assert not proof.exists()


def test_large_and_missing_blobs_are_passed_over(checkout):
    """One that a partial clone lacks reads as absent."""
    commit = commit_of(checkout, "HEAD")
    blobs = file_blobs(checkout, commit)
    assert blobs.keys() == {"a.png", "box.py", "notes.toml"}
    asked = [*blobs.values(), "0" * 40]
    assert dict(read_blobs(checkout, asked, 10)) == {blobs["notes.toml"]: b"a = 1\n", blobs["a.png"]: b"\x89PNG\0"}
