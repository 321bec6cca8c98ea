"""Fetching a model from its publisher's repository, or a mirror of it, over HTTP.

The file grows as `ID.gguf.part`; a broken connection is taken up where it broke, now or at the next pull. Whether the
bytes are right is not decided here but by the digest, in `pull.py`.
"""

from __future__ import annotations

from pathlib import Path

import httpx

from roteiro.config.settings import ModelSettings
from roteiro.errors import ModelError, UnreachableError
from roteiro.models.progress import Progress
from roteiro.models.registry import KnownModel, PublisherFile

__all__ = ["fetch_from_publisher", "publisher_url"]

_READ_TIMEOUT_S = 60.0  # a stalled connection is broken off and resumed
_RESUMES_WITHOUT_GAIN = 2
_OK, _PARTIAL, _RANGE_REFUSED = 200, 206, 416


def publisher_url(file: PublisherFile, mirror: str) -> str:
    """Return the address of the file; the newest revision, since the digest decides."""
    return f"{mirror.rstrip('/')}/{file.repository}/resolve/main/{file.file}"


def fetch_from_publisher(
    model: KnownModel, file: PublisherFile, part: Path, settings: ModelSettings, progress: Progress
) -> None:
    """Bring `part` to the size of the model, going on from what is there.

    Proxies (`HTTPS_PROXY`) and a certificate authority of one's own (`SSL_CERT_FILE`) are honoured.

    Raises:
        UnreachableError: no connection, an error status, or a connection that keeps breaking; `part` keeps its bytes.
        ModelError: the server has other bytes than the model.

    """
    url = publisher_url(file, settings.mirror)
    timeout = httpx.Timeout(_READ_TIMEOUT_S, connect=settings.connect_timeout_s)
    without_gain = 0
    with httpx.Client(timeout=timeout, follow_redirects=True) as client:
        while (have := _size(part)) < model.bytes:
            try:
                _go_on(client, url, part, model, progress)
            except httpx.HTTPError as error:
                without_gain = 0 if _size(part) > have else without_gain + 1
                if without_gain > _RESUMES_WITHOUT_GAIN or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
                    raise UnreachableError(_broken(url, part, model, error)) from error
    if _size(part) > model.bytes:
        part.unlink()
        raise ModelError(f"{url}: more than the {model.bytes:,} bytes of {model.id} came. Pull again.")


def _go_on(client: httpx.Client, url: str, part: Path, model: KnownModel, progress: Progress) -> None:
    have = _size(part)
    # `identity`: a compressed body would make ranges and sizes mean something else.
    headers = {"Range": f"bytes={have}-", "Accept-Encoding": "identity"}
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == _RANGE_REFUSED and have:
            part.unlink()
            return
        if response.status_code not in {_OK, _PARTIAL}:
            raise UnreachableError(f"{url}: the server said {response.status_code} {response.reason_phrase}")
        is_continued = response.status_code == _PARTIAL
        if is_continued and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            raise UnreachableError(f"{url}: the server sent another range than the one asked for")
        done = have if is_continued else 0
        with part.open("ab" if is_continued else "wb") as file:
            # As it arrives: collecting larger pieces would lose the last one when the connection breaks.
            for chunk in response.iter_raw():
                file.write(chunk)
                done += len(chunk)
                progress("fetching", done, model.bytes)
                if done > model.bytes:
                    return
    if done < model.bytes and response.headers.get("Content-Length") == str(done - (have if is_continued else 0)):
        raise ModelError(f"{url}: ends after {done:,} bytes, {model.id} has {model.bytes:,}. This is another file.")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _broken(url: str, part: Path, model: KnownModel, error: httpx.HTTPError) -> str:
    kept = _size(part)
    rest = f"; {kept:,} of {model.bytes:,} bytes are kept, the next pull goes on there" if kept else ""
    return f"{url}: {error or type(error).__name__}{rest}"
