"""What is around Roteiro: Python, git, a compiler and the local engine, the address, the disk."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from graph.languages import LANGUAGES
from roteiro.config import Config
from roteiro.config.address import is_loopback, join_address, split_address
from roteiro.doctor.finding import Finding, Level, command
from roteiro.folders import models_folder
from roteiro.serving_record import find_server
from roteiro.wiring import has_local_engine

__all__ = ["look_at_address", "look_at_disk", "look_at_engine", "look_at_git", "look_at_python"]

_LOW_DISK_BYTES = 500_000_000
_PORTS_TRIED = 50

_INSTALL = {
    "apt-get": "apt-get install -y",
    "dnf": "dnf install -y",
    "pacman": "pacman -S --noconfirm",
    "apk": "apk add",
    "brew": "brew install",
}
"""What installs a package of the system, by the program that is there."""


def look_at_python() -> Iterator[Finding]:
    """Yield which Python runs, and each grammar that should be in it and is not."""
    version = sys.version.split()[0]
    yield Finding(check="python", level="ok", message=f"Python {version} at {sys.executable}")
    for grammar in sorted({language.grammar for language in LANGUAGES if language.grammar}):
        if importlib.util.find_spec(grammar) is None:
            names = ", ".join(language.name for language in LANGUAGES if language.grammar == grammar)
            yield Finding(
                check="grammar",
                level="problem",
                message=f"the grammar for {names} is missing, so no repository with such files can be indexed",
                cure=_pip_install(grammar.replace("_", "-")),
            )


def look_at_git() -> Iterator[Finding]:
    """Yield whether git is there; folders can be read without it, with less."""
    path = shutil.which("git")
    if path is None:
        message = "git is not on PATH: folders are listed without its ignore rules and commits"
        yield Finding(check="git", level="warning", message=message, cure=_system_install("git"))
        return
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    yield Finding(check="git", level="ok", message=done.stdout.strip() or path)


def look_at_engine(_root: Path, config: Config) -> Iterator[Finding]:
    """Yield whether a model can run on this machine; without one an upstream may answer."""
    if has_local_engine():
        version = importlib.metadata.version("llama-cpp-python")
        yield Finding(check="engine", level="ok", message=f"llama-cpp-python {version}")
        return
    level: Level = "ok" if config.serve.upstream else "warning"
    cure = _pip_install("llama-cpp-python")
    needs = ""
    if _compiler() is None:
        needs = ", and building it needs a C++ compiler, which is missing too"
        cure = f"{_system_install('g++')} && {cure}"
    message = f"the local engine is not installed{needs}; an upstream can answer instead"
    yield Finding(check="engine", level=level, message=message, cure="" if level == "ok" else cure)


def look_at_address(root: Path, config: Config) -> Iterator[Finding]:
    """Yield whether the address can be served on."""
    address = config.serve.addr
    if found := find_server(root, address):
        yield Finding(check="address", level="ok", message=f"Roteiro serves this repository at http://{found}")
        return
    reason = _refusal(*split_address(address))
    if reason:
        message = f"{address} cannot be served on ({reason})"
        yield Finding(check="address", level="problem", message=message, cure=_other_address(config))
    else:
        yield Finding(check="address", level="ok", message=f"{address} is free")


def look_at_disk(root: Path, _config: Config) -> Iterator[Finding]:
    """Yield how much room is left for the repository's store and for models."""
    for what, folder in (("the repository", root), ("models", models_folder())):
        existing = next(place for place in (folder, *folder.parents) if place.exists())
        free = shutil.disk_usage(existing).free
        is_low = free < _LOW_DISK_BYTES
        yield Finding(
            check="disk",
            level="warning" if is_low else "ok",
            message=f"{free / 1e9:,.1f} GB free for {what} ({existing})",
            cure=command("clean", "--root", root) if is_low else "",
        )


def _refusal(host: str, port: int) -> str:
    """Say why an address cannot be served on; empty when it can."""
    if not is_loopback(host):
        return "it is not this machine's own loopback address"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _other_address(config: Config) -> str:
    """Return the command that moves to a free port of the same host, or of 127.0.0.1 where that host is not ours."""
    host, port = split_address(config.serve.addr)
    if not is_loopback(host):
        host = "127.0.0.1"
    tried = range(port + 1, min(port + _PORTS_TRIED, 65_536))
    free = next((other for other in tried if not _refusal(host, other)), port + 1)
    address = join_address(host, free)
    if config.origin_of("serve.addr").startswith("environment "):
        return f"export ROTEIRO_SERVE_ADDR={shlex.quote(address)}"
    return command("config", "--set", f"serve.addr={address}")


def _pip_install(name: str) -> str:
    """Return how to install a package into this very environment, in the version that this installation asks for."""
    wanted = (text.partition(";")[0].strip() for text in importlib.metadata.requires("roteiro") or [])
    pinned = next((text for text in wanted if re.split(r"[^\w.-]", text)[0] == name), name)
    return shlex.join([sys.executable, "-m", "pip", "install", pinned])


def _system_install(package: str) -> str:
    manager = next((name for name in _INSTALL if shutil.which(name)), None)
    if manager is None:
        return f"Install {package} from the packages of your system."
    sudo = "" if manager == "brew" or os.geteuid() == 0 else "sudo "
    return f"{sudo}{_INSTALL[manager]} {package}"


def _compiler() -> str | None:
    return next((path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), None)
