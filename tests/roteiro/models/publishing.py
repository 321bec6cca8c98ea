"""A publisher of models on this machine, and a small model that it has."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from roteiro.models.registry import IndexParts, KnownModel, PublisherFile

__all__ = ["CONTENT", "Publisher", "tiny_model"]

CONTENT = b"GGUF" + bytes(range(256)) * 400


class Publisher(ThreadingHTTPServer):
    """Serves one file; can refuse, break off, lie, and remembers what was asked."""

    content = CONTENT
    status = 200
    break_after: int | None = None
    is_range_served = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ranges: list[str] = []
        self.paths: list[str] = []

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Publisher]:
        """Serve while the block runs."""
        with cls() as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            yield server
            server.shutdown()
            thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Publisher

    def do_GET(self) -> None:
        publisher = self.server
        asked = self.headers.get("Range", "bytes=0-")
        publisher.ranges.append(asked)
        publisher.paths.append(self.path)
        if publisher.status != 200:
            self.send_error(publisher.status)
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if publisher.is_range_served else 0
        body = publisher.content[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(publisher.content) - 1}/{len(publisher.content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        limit, publisher.break_after = publisher.break_after, None
        self.wfile.write(body if limit is None else body[:limit])
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def tiny_model() -> KnownModel:
    """Return a model that both sources have, in three parts at the index."""
    return KnownModel(
        id="tiny",
        file="tiny.gguf",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        licence="MIT",
        family="chatml",
        context_tokens=128,
        summary="for tests",
        publisher=PublisherFile(repository="Maker/Tiny-GGUF", file="tiny-q4.gguf"),
        index=IndexParts(distribution="tiny-part{part}", version="1.0", parts=3, member="tiny_part{part}/data/*.bin"),
    )
