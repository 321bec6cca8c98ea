"""Whether the servers that answer instead of a local model can be asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from roteiro.config import Config
from roteiro.config.address import is_loopback
from roteiro.doctor.finding import Finding, without_setting

__all__ = ["look_at_upstreams"]

_TIMEOUT_S = 3.0


def look_at_upstreams(_root: Path, config: Config) -> Iterator[Finding]:
    """Yield one finding for each upstream: its key is not there, it does not answer, or it does."""
    import httpx

    without = without_setting(config, "serve.upstream")
    for upstream in config.serve.upstream:
        variable = upstream.api_key_env
        if variable and not os.environ.get(variable):
            message = f"{variable}, which should hold the key for {upstream.base_url}, is not set; type it after this:"
            yield Finding(
                check="upstream", level="problem", message=message, cure=f"read -rs {variable} && export {variable}"
            )
            continue
        try:
            host = urlsplit(upstream.base_url).hostname or ""
            # As the engine does: a server of this machine is never behind the proxy that the environment names.
            httpx.get(f"{upstream.base_url.rstrip('/')}/models", timeout=_TIMEOUT_S, trust_env=not is_loopback(host))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = f"{upstream.base_url} does not answer ({error or type(error).__name__}): start it, or do without it"
            yield Finding(check="upstream", level="problem", message=said, cure=without)
        else:
            message = f"{upstream.base_url} answers; source leaves the machine with it"
            yield Finding(check="upstream", level="ok", message=message)
