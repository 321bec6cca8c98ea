"""The command line, run inside the test's own process."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import jsonschema
import pytest
from msgspec import Struct

from tests.commands import run_here

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


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
    """Return a function that runs a command line; models, settings and stores of this test are its own.

    Whatever a command prints with `--json` is held against its schema.
    """
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg-data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg-config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg-state"))

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run_here(arguments)
        out, err = capsys.readouterr()
        if "--json" in arguments and out:
            is_error = json.loads(out).keys() == {"error"}
            schema = schema_of(["error"] if is_error else arguments)
            jsonschema.validate(json.loads(out), schema, cls=jsonschema.Draft202012Validator)
        return Ran(code, out, err)

    return run


def schema_of(arguments: Sequence[object]) -> dict[str, object]:
    """Return the schema of what a command line prints with `--json`."""
    words = [str(argument) for argument in arguments]
    path = SCHEMAS / f"{words[0]}.json"
    return json.loads((path if path.exists() else SCHEMAS / f"{words[0]}-{words[1]}.json").read_text())
