"""What `roteiro init` added for a repository, so that it can be undone: one file a repository, in the user's own data.

Not in the repository: a record that came with a tree could ask for anything to be taken out of anywhere.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import platformdirs
from msgspec import Struct

from roteiro.errors import RoteiroError
from roteiro.init.edits import Edit

__all__ = ["load_record", "record_file", "save_record"]


class _Record(Struct, frozen=True):
    root: str
    edits: tuple[Edit, ...]


def record_file(root: Path) -> Path:
    """Return where the record of a repository is kept."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return platformdirs.user_data_path("roteiro") / "init" / f"{digest}.json"


def load_record(root: Path) -> tuple[Edit, ...]:
    """Return what was added; nothing when `init` never ran here.

    Raises:
        RoteiroError: the record cannot be read.
    """
    path = record_file(root)
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Record).edits
    except FileNotFoundError:
        return ()
    except msgspec.MsgspecError as error:
        raise RoteiroError(
            f"{path}: this record of `roteiro init` is damaged ({error}). Undo by hand, delete it."
        ) from None


def save_record(root: Path, edits: Sequence[Edit]) -> None:
    """Keep what was added; without any edit the record goes."""
    path = record_file(root)
    if not edits:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_suffix(".new")
    draft.write_bytes(msgspec.json.encode(_Record(str(root), tuple(edits))))
    draft.replace(path)
