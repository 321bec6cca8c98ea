"""Snapshots: found by exact prefix and chunks, counted in bytes, kept over a restart, and removed when damaged."""

import contextlib
import errno
import os
import shutil
import stat
import subprocess

import pytest

from serve.engine.local.snapshot_files import SnapshotFiles
from serve.engine.local.snapshots import Snapshots, chunk_keys

ROOT = b"model"
TOKENS = list(range(100))


def test_longest_prefix_under_the_same_chunks_is_found():
    """And never the whole prompt, whose logits are needed."""
    kept = Snapshots(ROOT, 1_000)
    kept.put(TOKENS[:10], [10], b"a")
    kept.put(TOKENS[:30], [10, 30], b"b")
    assert kept.find(TOKENS, [10, 30, 100]).state == b"b"
    assert kept.find(TOKENS, [30, 100]) is None
    assert kept.find(TOKENS[:30], [10, 30]).state == b"a"
    assert kept.find(TOKENS[:30], [10, 30], longer_than=10) is None
    assert kept.find([*TOKENS[:9], 7, *TOKENS[10:]], [10, 30, 100]) is None


@pytest.mark.parametrize("at", range(0, 30, 7))
def test_one_other_token_is_a_miss(at):
    """Whatever its place."""
    kept = Snapshots(ROOT, 1_000)
    kept.put(TOKENS[:30], [10, 30], b"b")
    other = [*TOKENS]
    other[at] += 1
    assert kept.find(other, [10, 30, 100]) is None


def test_another_model_shares_nothing():
    """Its key is the root of all others."""
    assert chunk_keys(b"a", TOKENS, [10])[0] != chunk_keys(b"b", TOKENS, [10])[0]


def test_bytes_are_bounded_and_the_least_used_goes_first_the_base_last():
    """By the bytes that the states really have."""
    kept = Snapshots(ROOT, 10)
    kept.put([1], [1], b"base", is_base=True)
    kept.put([2], [1], b"xxx")
    kept.put([3], [1], b"yyy")
    assert kept.find([2, 0], [1, 2])
    kept.put([4], [1], b"z")
    assert [kept.find([token, 0], [1, 2]) is not None for token in (1, 2, 3, 4)] == [True, True, False, True]
    assert (kept.stats.evictions, kept.stats.bytes_held, kept.stats.entries) == (1, 8, 3)
    assert not kept.put([5], [1], b"x" * 11)
    assert kept.stats.refused == 1
    kept.put([6], [1], b"x" * 10)
    assert kept.stats.entries == 1


def files(folder, budget=100_000):
    return SnapshotFiles(folder, budget)


def stored(folder, state=b"state" * 10):
    kept = Snapshots(ROOT, 1_000, files(folder))
    kept.put(TOKENS[:30], [10, 30], state, is_base=True)
    kept.flush()
    kept.close()
    return next(folder.glob("*.state"))


def test_restart_finds_what_was_kept(tmp_path):
    """In a folder that nobody else may read."""
    folder = tmp_path / "snapshots"
    path = stored(folder)
    again = Snapshots(ROOT, 1_000, files(folder))
    found = again.find(TOKENS, [10, 30, 100])
    assert (found.state, found.ends, found.is_base) == (b"state" * 10, (10, 30), True)
    assert again.stats.disk_hits == 1
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(path.stat().st_mode)) == (0o700, 0o600)
    assert [one.name for one in folder.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:20],
        lambda data: b"",
        lambda data: b"FOREIGN\0" + data[8:],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data[:8] + b"\x07" + data[9:],
        lambda data: data + b"more",
    ],
)
def test_damaged_or_foreign_file_is_removed(tmp_path, damage):
    """And the prompt is evaluated as if there were none."""
    path = stored(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    assert Snapshots(ROOT, 1_000, files(tmp_path)).find(TOKENS, [10, 30, 100]) is None
    assert not path.exists()


def test_file_under_another_name_is_not_believed(tmp_path):
    """The key stands inside too."""
    path = stored(tmp_path)
    other = chunk_keys(ROOT, [5] * 10, [10])[0]
    path.rename(tmp_path / f"{other.hex()}.state")
    assert Snapshots(ROOT, 1_000, files(tmp_path)).find([5] * 20, [10, 20]) is None


def test_link_is_not_followed(tmp_path):
    """Neither read nor written through."""
    path = stored(tmp_path)
    target = tmp_path / "elsewhere"
    path.rename(target)
    path.symlink_to(target)
    assert Snapshots(ROOT, 1_000, files(tmp_path)).find(TOKENS, [10, 30, 100]) is None


def test_folder_is_bounded_and_keeps_the_base_longest(tmp_path):
    """The oldest files go first."""
    kept = Snapshots(ROOT, 100_000, files(tmp_path, 3_000))
    for number in range(6):
        kept.put([number], [1], b"x" * 900, is_base=number == 0)
        kept.flush()
    kept.close()
    names = {one.name for one in tmp_path.iterdir()}
    assert len(names) == 3
    assert f"{chunk_keys(ROOT, [0], [1])[0].hex()}.state" in names


def test_disk_that_cannot_be_written_fails_nothing(tmp_path):
    """There is only no snapshot."""
    (tmp_path / "file").write_text("")
    kept = Snapshots(ROOT, 1_000, files(tmp_path / "file" / "folder"))
    kept.put([1], [1], b"x")
    kept.flush()
    kept.close()
    assert kept.find([1, 2], [1, 2]).state == b"x"


@contextlib.contextmanager
def full_disk(folder):
    """Mount a file system of 64 KiB; skip where that may not be done."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], check=False, capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount here")
def test_full_disk_keeps_what_fits_and_says_so_once(tmp_path):
    """A real one: the rest is only not kept, nothing half-written stays, and room that is made is used."""
    with full_disk(tmp_path / "disk") as folder:
        kept = Snapshots(ROOT, 10**6, files(folder, 10**6))
        for number in range(4):
            kept.put([number], [1], b"x" * 30_000)
            kept.flush()
        kept.close()
        assert len(list(folder.glob("*.state"))) == 2
        assert list(folder.glob("*.tmp")) == []
        problem = kept.problem()
        assert "No space left on device" in problem
        assert "prefix_cache_disk_mb" in problem
        assert kept.problem() == ""
        assert kept.find([3, 5], [1, 2]).state == b"x" * 30_000
        next(folder.glob("*.state")).unlink()
        kept.put([9], [1], b"x" * 20_000)
        kept.close()
        assert len(list(folder.glob("*.state"))) == 2


@pytest.mark.parametrize(
    ("name", "number"),
    [("fsync", errno.ENOSPC), ("fsync", errno.EDQUOT), ("open", errno.EROFS), ("open", errno.EACCES)],
)
def test_disk_that_fails_is_told_once_and_leaves_nothing_half_written(tmp_path, monkeypatch, name, number):
    """Full, over a quota, read-only or another's: whenever it is noticed."""
    original = getattr(os, name)

    def fail(*arguments, **fields):
        if name == "fsync" or str(arguments[0]).endswith(".tmp"):
            raise OSError(number, os.strerror(number))
        return original(*arguments, **fields)

    monkeypatch.setattr(f"serve.engine.local.snapshot_files.os.{name}", fail)
    kept = Snapshots(ROOT, 1_000, files(tmp_path))
    for at in range(3):
        kept.put([at], [1], b"x")
        kept.flush()
    kept.close()
    assert os.strerror(number) in kept.problem()
    assert kept.problem() == ""
    assert list(tmp_path.iterdir()) == []


def test_what_a_dead_process_left_half_written_is_removed(tmp_path):
    """And what a living one is writing is not."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    dead, living = tmp_path / f"ab.{ended.pid}.tmp", tmp_path / f"cd.{os.getppid()}.tmp"
    for path in (dead, living):
        path.write_bytes(b"half")
    stored(tmp_path)
    assert not dead.exists()
    assert living.exists()


def test_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path):
    """It is removed like any other foreign thing."""
    path = stored(tmp_path)
    path.unlink()
    os.mkfifo(path)
    assert Snapshots(ROOT, 1_000, files(tmp_path)).find(TOKENS, [10, 30, 100]) is None
    assert not path.exists()
