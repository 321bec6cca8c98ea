"""A real `roteiro`: as a process where the process is the point, inside the test's own process where it is not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.commands import run_here

SCRIPT = Path(sys.executable).parent / "roteiro"
DEADLINE_S = 60
REPLY = '{"text": "`place` calls `reserve`."}\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the processes of a test models, settings, caches and logs of their own; return the folder of all."""
    base = tmp_path / "xdg"
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(base / name.lower()))
    return base


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs a command to its end in this process: the same code without the second of imports."""

    def run_it(*arguments: object) -> subprocess.CompletedProcess[str]:
        capsys.readouterr()
        code = run_here(arguments)
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    return run_it


@pytest.fixture
def process(home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs a command to its end as a process of its own."""

    def run_it(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [str(SCRIPT), *map(str, arguments)]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=DEADLINE_S, check=False)

    return run_it


def start_server(*arguments: object, environment: Mapping[str, str]) -> dict[str, object]:
    """Start a server and return what it says when it is ready, with its process."""
    command = [str(SCRIPT), "serve", "--json", "--port", "0", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(environment))
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"the server ended with code {process.wait(DEADLINE_S)}"
    return {**json.loads(line), "process": process}


def end_server(server: dict[str, object]) -> None:
    """Interrupt a server and wait for it."""
    process = server["process"]
    assert isinstance(process, subprocess.Popen)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE_S)


@pytest.fixture
def served(home: Path) -> Iterator[Callable[..., dict[str, object]]]:
    """Return a function that starts a server and gives what it says when it is ready; all end with the test."""
    servers: list[dict[str, object]] = []

    def start(*arguments: object) -> dict[str, object]:
        servers.append(start_server(*arguments, environment=os.environ))
        return servers[-1]

    yield start
    for server in servers:
        end_server(server)


@pytest.fixture(scope="module")
def running(repository_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    """Give a server with a repository of its own that tests of a module ask, and do not change."""
    base = tmp_path_factory.mktemp("running")
    root = shutil.copytree(repository_template, base / "shop")
    (base / "replies.jsonl").write_text(REPLY)
    folders = {f"XDG_{name}_HOME": str(base / name.lower()) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
    options = ("--root", root, "--engine", "scripted", "--script", base / "replies.jsonl")
    server = start_server(*options, environment={**os.environ, **folders})
    yield {**server, "root": root, "address": str(server["url"]).removeprefix("http://")}
    end_server(server)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return a script of one written reply, said to every question."""
    path = tmp_path / "replies.jsonl"
    path.write_text(REPLY)
    return path
