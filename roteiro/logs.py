"""The log of the server: a file in the state folder, cut off in time. Prompts are not in it unless asked for.

Each line holds the id of the request that it belongs to, or `-`; clients get the id as `x-request-id`.
"""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from roteiro.config import LogSettings
from roteiro.folders import log_file
from serve.http.request_id import REQUEST_ID

__all__ = ["start_logging"]

_FILE_BYTES = 2 * 1024 * 1024
_FILES_KEPT = 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s [%(request)s]: %(message)s"


def start_logging(settings: LogSettings, path: Path | None = None) -> Path:
    """Send the log of this process to the file and return its path.

    Raises:
        OSError: the folder cannot be written.

    """
    file = path or log_file()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handler = logging.handlers.RotatingFileHandler(
        file, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter(_FORMAT))
    handler.addFilter(_with_request)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.level.upper())
    # These say every request and every connection at info; the server's own line per request is enough.
    for name in ("httpx", "httpcore", "uvicorn.access"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return file


def _with_request(record: logging.LogRecord) -> bool:
    """Give a record the id of its request, and let it pass."""
    record.request = REQUEST_ID.get()
    return True
