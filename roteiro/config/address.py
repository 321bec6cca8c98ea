"""The address to serve on: host and port of `serve.addr`."""

from __future__ import annotations

import ipaddress

from roteiro.errors import ConfigError

__all__ = ["is_loopback", "join_address", "split_address", "url_of"]

_MOST_PORT = 65_535


def split_address(address: str) -> tuple[str, int]:
    """Return host and port; `[::1]:8017` gives `::1`. Whether the host may be served is the server's to say.

    Raises:
        ConfigError: it is not `host:port`.

    """
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or int(port) > _MOST_PORT:
        raise ConfigError(f"serve.addr = {address!r}: is not HOST:PORT with a port up to {_MOST_PORT:,}.")
    return host, int(port)


def join_address(host: str, port: int) -> str:
    """Return `host:port`, an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine and nothing else; names are not looked up."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def url_of(address: str) -> str:
    """Return the base URL of an address."""
    return f"http://{join_address(*split_address(address))}"
