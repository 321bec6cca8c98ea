"""No read leaves the root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graph.reading import FileUnreadableError, is_inside, read_file


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../../x", "a/./b", "a//b", "a\0b", "..", ".", "a/", "./a"]
)
def test_paths_that_could_leave_the_root_are_outside(path: str, tmp_path: Path) -> None:
    """Judged by the text alone, before the disk is touched."""
    assert not is_inside(path)
    with pytest.raises(FileUnreadableError):
        read_file(tmp_path, path, 100)


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    """Bytes in, bytes out."""
    (tmp_path / "a").write_bytes(b"\0\xff")
    assert read_file(tmp_path, "a", 2) == b"\0\xff"


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    """One byte too many is too many."""
    (tmp_path / "a").write_bytes(b"123")
    with pytest.raises(FileUnreadableError, match="too large: 3 bytes"):
        read_file(tmp_path, "a", 2)


def test_links_are_refused_at_every_level(tmp_path: Path) -> None:
    """A link as the file, and a link as a folder above it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a").write_text("x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/b").symlink_to("a")
    with pytest.raises(FileUnreadableError, match="through a symbolic link"):
        read_file(tmp_path, "link/a", 10)
    with pytest.raises(FileUnreadableError, match="a symbolic link"):
        read_file(tmp_path, "real/b", 10)


def test_pipes_folders_and_missing_files_are_refused_at_once(tmp_path: Path) -> None:
    """A named pipe must not make us wait for a writer."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path, reason in (("pipe", "not a regular file"), ("folder", "not a regular file"), ("absent", "gone")):
        with pytest.raises(FileUnreadableError, match=reason):
            read_file(tmp_path, path, 10)
