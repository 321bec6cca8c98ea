"""What counts as an installed model, and where a name leads."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from roteiro.errors import ModelError, UsageError
from roteiro.models.digest import file_sha256
from roteiro.models.folder import ModelFolder

GGUF = b"GGUF" + struct.pack("<IQQ", 3, 0, 0) + b"\1" * 1000


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """Return a file that begins like a model."""
    path = tmp_path / "Mine.gguf"
    path.write_bytes(GGUF)
    return path


def test_an_empty_folder_says_how_to_get_a_model(folder):
    """With both ways: pull, or an upstream."""
    with pytest.raises(ModelError, match=r"roteiro model pull qwen2\.5-coder-1\.5b.*--upstream URL"):
        folder.locate("")


def test_an_unknown_model_names_the_nearest(folder):
    """A slip of the finger."""
    with pytest.raises(UsageError, match=r"no model 'tinny' is known\. Nearest: tiny\."):
        folder.locate("tinny")


def test_a_known_model_that_is_not_installed_names_the_command(folder):
    """Known but absent."""
    with pytest.raises(ModelError, match="`roteiro model pull tiny`"):
        folder.locate("tiny")


def test_a_file_of_ones_own_is_used_where_it_lies(folder, gguf):
    """Adding copies nothing."""
    added = folder.add(gguf)
    assert (added.id, added.path, added.state) == ("mine", gguf, "ready")
    assert folder.locate("mine").path == gguf
    assert folder.locate("").path == gguf
    assert folder.locate(str(gguf)).path == gguf


def test_a_known_digest_is_recorded_under_its_own_id(folder, tmp_path, model, publisher):
    """Whatever the file is called."""
    path = tmp_path / "whatever.gguf"
    path.write_bytes(publisher.content)
    assert folder.add(path, "other-name").id == "tiny"


def test_another_file_cannot_take_the_name_of_a_known_model(folder, gguf):
    """The name promises a digest."""
    with pytest.raises(UsageError, match="this is not tiny"):
        folder.add(gguf, "tiny")


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\3\4 a zip", b"<html>"])
def test_what_is_no_gguf_file_is_refused(folder, tmp_path, content):
    """By its first bytes."""
    path = tmp_path / "page.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="is not a GGUF file"):
        folder.add(path)
    with pytest.raises(ModelError, match="is not a GGUF file"):
        folder.locate(str(path))


def test_a_truncated_file_is_found_without_reading_it(folder, gguf):
    """The size on record tells, in the list and when it is asked for."""
    folder.add(gguf)
    gguf.write_bytes(GGUF[:500])
    assert [model.state for model in folder.installed()] == ["damaged"]
    with pytest.raises(ModelError, match=r"is truncated: 500 bytes of 1,024.*roteiro model remove mine"):
        folder.locate("mine")


def test_a_changed_file_of_the_same_size_is_read_before_it_is_handed_out(folder, gguf):
    """Its time differs, so its digest is compared again: other bytes are refused, the same bytes pass."""
    folder.add(gguf)
    gguf.write_bytes(GGUF[:-1] + b"!")
    os.utime(gguf, ns=(1, 1))
    with pytest.raises(ModelError, match="its SHA-256 is"):
        folder.locate("mine")
    gguf.write_bytes(GGUF)
    os.utime(gguf, ns=(2, 2))
    assert folder.locate("mine").state == "ready"
    assert [model.state for model in folder.installed()] == ["ready"]


def test_a_file_that_is_gone_says_so(folder, gguf):
    """With the way to forget it."""
    folder.add(gguf)
    gguf.unlink()
    with pytest.raises(ModelError, match="the file of mine is gone"):
        folder.locate("mine")


def test_removing_deletes_what_was_fetched_and_leaves_what_was_added(folder, gguf):
    """A file of one's own is only forgotten."""
    folder.add(gguf)
    assert folder.remove("mine") is None
    assert gguf.exists()
    inside = folder.folder / "in.gguf"
    inside.write_bytes(GGUF)
    folder.keep("in", inside, "0" * 64)
    assert folder.remove("in") == inside
    assert not inside.exists()
    with pytest.raises(ModelError, match="not installed"):
        folder.remove("in")


def test_verify_reads_the_whole_file(folder, gguf):
    """Also when nothing seems to have changed."""
    folder.add(gguf)
    stat = gguf.stat()
    gguf.write_bytes(GGUF[:-1] + b"!")
    os.utime(gguf, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert folder.locate("mine").state == "ready"
    assert folder.verify("mine").state == "damaged"


def test_a_damaged_record_is_told_with_its_cure(tmp_path):
    """It names the file to delete."""
    folder = ModelFolder(tmp_path)
    (tmp_path / "records.json").write_text("{")
    with pytest.raises(ModelError, match=r"records\.json: cannot be read"):
        folder.installed()


def test_a_truncated_file_is_not_added(folder, tmp_path):
    """Its header names more data than there is; a digest of what is there would prove nothing."""
    path = tmp_path / "cut.gguf"
    tensor = struct.pack("<Q", 1) + b"w" + struct.pack("<IQIQ", 1, 1_000, 0, 0)
    whole = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + tensor
    whole += b"\0" * (-len(whole) % 32 + 4_000)
    path.write_bytes(whole[:-1])
    with pytest.raises(ModelError, match="truncated"):
        folder.add(path)
    path.write_bytes(whole)
    assert folder.add(path).state == "ready"


def test_a_truncated_file_that_is_on_record_is_found_by_verify(folder, tmp_path):
    """It was recorded by an earlier version."""
    path = tmp_path / "cut.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 1, 0))
    folder.keep("cut", path, file_sha256(path))
    assert folder.verify("cut").state == "damaged"
