"""The SHA-256 of a file, with progress: a model takes seconds to read."""

from __future__ import annotations

import hashlib
from pathlib import Path

from roteiro.models.progress import Progress, no_progress

__all__ = ["file_sha256"]

_CHUNK_BYTES = 4 * 1024 * 1024


def file_sha256(path: Path, progress: Progress = no_progress) -> str:
    """Return the digest in hex; `progress` is told the bytes read so far and in all."""
    total = path.stat().st_size
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            done += len(chunk)
            progress("checking", done, total)
    return digest.hexdigest()
