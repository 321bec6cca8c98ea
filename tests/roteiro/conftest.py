"""The command line, run inside the test's own process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

from roteiro.__main__ import _run


class Ran(Struct):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Return stdout as one JSON document."""
        return json.loads(self.out)


@pytest.fixture
def roteiro(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """Return a function that runs a command line; models, settings and stores of this test are its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg-data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg-config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg-state"))

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        try:
            code = _run([str(argument) for argument in arguments])
        except SystemExit as error:
            code = int(error.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run
