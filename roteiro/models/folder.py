"""The folder of installed models: what is there, whether it is whole, and where a name leads.

A record beside the files says what was verified, with the size and time of the file then; as long as both are
unchanged the file is trusted without reading its gigabyte again. The rule that must stay true: a file whose bytes do
not have the digest on record is never handed out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from roteiro.errors import ModelError, UsageError
from roteiro.models.digest import file_sha256
from roteiro.models.progress import Progress, no_progress
from roteiro.models.registry import DEFAULT_MODEL, REGISTRY, KnownModel, known_model
from roteiro.models.whole import incompleteness

__all__ = ["InstalledModel", "ModelFolder"]

_MAGIC = b"GGUF"

State = Literal["ready", "missing", "damaged"]


class Record(Struct, frozen=True, kw_only=True):
    """What was verified, and how the file looked then."""

    id: str
    path: str
    bytes: int
    sha256: str
    mtime_ns: int


class InstalledModel(Struct, frozen=True, kw_only=True):
    """A model on this machine."""

    id: str
    path: Path
    bytes: int
    sha256: str
    state: State
    problem: str = ""
    """What is wrong when it is not ready, and what to do."""


class ModelFolder:
    """The models in one folder; makes the folder when something is first written."""

    def __init__(self, folder: Path, registry: tuple[KnownModel, ...] = REGISTRY) -> None:
        self.folder = folder
        self.registry = registry

    @property
    def records_file(self) -> Path:
        """The file that says what was verified."""
        return self.folder / "records.json"

    def path_of(self, model: KnownModel) -> Path:
        """Return where a known model's file belongs."""
        return self.folder / f"{model.id}.gguf"

    def installed(self) -> list[InstalledModel]:
        """Return every model on record, those of the table first and in its order; cheap, reads no model."""
        order = {model.id: number for number, model in enumerate(self.registry)}
        records = sorted(self._records(), key=lambda record: (order.get(record.id, len(order)), record.id))
        return [_look_at(record) for record in records]

    def locate(self, name: str, progress: Progress = no_progress) -> InstalledModel:
        """Return the model of an id, of a path to a GGUF file, or (for an empty name) the best installed one.

        A file that changed since it was verified is read again before it is handed out.

        Raises:
            ModelError: it is not installed, or its file is missing, truncated or damaged.
            UsageError: nobody knows this name.

        """
        if _is_path(name):
            return _from_path(Path(name).expanduser())
        found = self._find(name)
        if found.state == "damaged":
            found = self.verify(found.id, progress)
        if found.state != "ready":
            raise ModelError(found.problem)
        return found

    def _find(self, name: str) -> InstalledModel:
        installed = self.installed()
        if name:
            for model in installed:
                if model.id == name:
                    return model
            known_model(name, self.registry)
            raise ModelError(f"the model {name} is not installed. Fetch it: `roteiro model pull {name}`.")
        for model in installed:
            if model.state == "ready":
                return model
        if installed:
            return installed[0]
        raise ModelError(
            f"no model is installed. Fetch one (`roteiro model pull {DEFAULT_MODEL}`), "
            f"or name a server that has one (`--upstream URL`)."
        )

    def verify(self, model_id: str, progress: Progress = no_progress) -> InstalledModel:
        """Return the model after reading its whole file; the record is renewed when the digest is right.

        Raises:
            ModelError: no such model is installed.

        """
        record = next((record for record in self._records() if record.id == model_id), None)
        if record is None:
            raise ModelError(f"the model {model_id} is not installed. `roteiro model list` shows what is.")
        looked = _look_at(record)
        if looked.state == "missing" or not _has_size(record):
            return looked
        found = file_sha256(Path(record.path), progress)
        if found != record.sha256:
            return _damaged(record, f"its SHA-256 is {found[:12]}..., expected {record.sha256[:12]}...")
        self.keep(record.id, Path(record.path), record.sha256)
        if problem := self.incompleteness_of(record.sha256, Path(record.path)):
            return _damaged(record, problem)
        return _look_at(record, is_verified=True)

    def incompleteness_of(self, sha256: str, path: Path) -> str:
        """Return what its own header says is missing of a file; empty for one whose digest its publisher gave."""
        return "" if any(model.sha256 == sha256 for model in self.registry) else incompleteness(path)

    def keep(self, model_id: str, path: Path, sha256: str) -> InstalledModel:
        """Record a file whose digest was just computed."""
        stat = path.stat()
        record = Record(id=model_id, path=str(path), bytes=stat.st_size, sha256=sha256, mtime_ns=stat.st_mtime_ns)
        self._write([record, *(other for other in self._records() if other.id != model_id)])
        return _look_at(record)

    def add(self, file: Path, name: str | None = None, progress: Progress = no_progress) -> InstalledModel:
        """Record a GGUF file that is already on this machine; it stays where it is.

        A file with the digest of a known model is recorded under that model's id.

        Raises:
            ModelError: it is no whole GGUF file.
            UsageError: the name is one that the table holds for other bytes.

        """
        path = _from_path(file.expanduser()).path
        digest = file_sha256(path, progress)
        known = next((model for model in self.registry if model.sha256 == digest), None)
        if known is None and (problem := incompleteness(path)):
            raise ModelError(problem)
        model_id = known.id if known else (name or path.stem.lower())
        if known is None and any(model.id == model_id for model in self.registry):
            raise UsageError(
                f"{path}: this is not {model_id} (its SHA-256 is {digest[:12]}...). Give it another name with --name."
            )
        return self.keep(model_id, path, digest)

    def remove(self, model_id: str) -> Path | None:
        """Forget a model and delete its file if it lies in this folder; return the file deleted.

        Raises:
            ModelError: no such model is installed.

        """
        records = self._records()
        record = next((record for record in records if record.id == model_id), None)
        if record is None:
            raise ModelError(f"the model {model_id} is not installed. `roteiro model list` shows what is.")
        self._write([other for other in records if other.id != model_id])
        path = Path(record.path)
        if path.parent != self.folder or not path.exists():
            return None
        path.unlink()
        return path

    def leftovers(self) -> Iterator[Path]:
        """Yield what interrupted pulls left behind."""
        if self.folder.is_dir():
            yield from sorted((*self.folder.glob("*.part"), *self.folder.glob("*.parts")))

    def free_bytes(self) -> int:
        """Return the free bytes of the disk that the folder is on."""
        folder = self.folder
        while not folder.exists():
            folder = folder.parent
        return shutil.disk_usage(folder).free

    def _records(self) -> list[Record]:
        path = self.records_file
        try:
            return msgspec.json.decode(path.read_bytes(), type=list[Record])
        except FileNotFoundError:
            return []
        except msgspec.DecodeError as error:
            raise ModelError(
                f"{path}: cannot be read ({error}). Delete it; `roteiro model add` finds files."
            ) from error

    def _write(self, records: list[Record]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.records_file
        new = path.with_suffix(".new")
        new.write_bytes(msgspec.json.format(msgspec.json.encode(sorted(records, key=lambda record: record.id))))
        new.replace(path)


def _is_path(name: str) -> bool:
    return name.endswith(".gguf") or os.sep in name or name.startswith("~")


def _from_path(path: Path) -> InstalledModel:
    if not path.is_file():
        raise ModelError(f"{path}: no such model file. Give a GGUF file, or an id that `roteiro model list` shows.")
    with path.open("rb") as file:
        magic = file.read(len(_MAGIC))
    if magic != _MAGIC:
        raise ModelError(f"{path}: is not a GGUF file (it begins with {magic!r}). Fetch or convert it again.")
    return InstalledModel(
        id=path.stem.lower(), path=path.resolve(), bytes=path.stat().st_size, sha256="", state="ready"
    )


def _has_size(record: Record) -> bool:
    return Path(record.path).stat().st_size == record.bytes


def _look_at(record: Record, *, is_verified: bool = False) -> InstalledModel:
    path = Path(record.path)
    if not path.is_file():
        return _model(record, "missing", f"the file of {record.id} is gone ({path}). {_cure(record)}")
    stat = path.stat()
    if stat.st_size != record.bytes:
        is_short = stat.st_size < record.bytes
        what = "is truncated" if is_short else "has grown"
        return _damaged(record, f"it {what}: {stat.st_size:,} bytes of {record.bytes:,}")
    if stat.st_mtime_ns != record.mtime_ns and not is_verified:
        return _damaged(record, "it changed since it was verified")
    return _model(record, "ready")


def _damaged(record: Record, reason: str) -> InstalledModel:
    return _model(record, "damaged", f"the file of {record.id} is damaged, {reason} ({record.path}). {_cure(record)}")


def _cure(record: Record) -> str:
    if any(known.id == record.id for known in REGISTRY):
        return f"Fetch it again: `roteiro model pull {record.id}`."
    return f"Mend the file, or forget it: `roteiro model remove {record.id}`."


def _model(record: Record, state: State, problem: str = "") -> InstalledModel:
    return InstalledModel(
        id=record.id,
        path=Path(record.path),
        bytes=record.bytes,
        sha256=record.sha256,
        state=state,
        problem=problem,
    )
