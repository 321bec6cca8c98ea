"""The static files of the page, read once: bytes, media type and a tag that changes with the bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from msgspec import Struct

__all__ = ["Asset", "load_assets"]

_FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class Asset(Struct, frozen=True):
    """One file."""

    body: bytes
    media_type: str
    tag: str


def load_assets() -> dict[str, Asset]:
    """Return every file by its name below `static`, such as `vendor/LICENSES.txt`."""
    return {
        path.relative_to(_FOLDER).as_posix(): _asset(path)
        for path in sorted(_FOLDER.rglob("*"))
        if path.suffix in _TYPES
    }


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    return Asset(body, _TYPES[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:20]}"')
