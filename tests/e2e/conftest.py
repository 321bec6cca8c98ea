"""A real `roteiro` process, started as a person starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).parent / "roteiro"
DEADLINE_S = 60


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the processes of a test models, settings, caches and logs of their own; return the folder of all."""
    base = tmp_path / "xdg"
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(base / name.lower()))
    return base


@pytest.fixture
def run(home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs a command to its end."""

    def run_it(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(SCRIPT), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    return run_it


@pytest.fixture
def served(home: Path) -> Iterator[Callable[..., dict[str, object]]]:
    """Return a function that starts a server and gives what it says when it is ready; all end with the test."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> dict[str, object]:
        command = [str(SCRIPT), "serve", "--json", "--port", "0", *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
        processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, f"the server ended with code {process.wait(DEADLINE_S)}"
        return {**json.loads(line), "process": process}

    yield start
    for process in processes:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE_S)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return a script of one written reply, said to every question."""
    path = tmp_path / "replies.jsonl"
    path.write_text('{"text": "`place` calls `reserve`."}\n')
    return path
