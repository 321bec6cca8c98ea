"""The schemas of what commands print with `--json`; every test that runs a command holds its output against them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import typer.main

from roteiro.cli import build
from roteiro.reference.documents import documents
from roteiro.reference.pages import differences, write
from roteiro.reference.schemas import schema_files

COMMANDS = typer.main.get_command(build()).commands  # type: ignore[attr-defined] - it is a group
LEAVES = {
    " ".join(filter(None, (name, sub)))
    for name, command in COMMANDS.items()
    for sub in (getattr(command, "commands", {}) or [""])
}

ANSWERS = [
    ["sync"],
    ["status", "--skipped"],
    ["search", "reserve"],
    ["context", "place"],
    ["source", "place"],
    ["callers", "reserve"],
    ["callees", "place"],
    ["path", "place", "reserve"],
    ["impact", "reserve"],
    ["overview"],
    ["explain", "place"],
    ["outline", "shop"],
    ["list-kind", "function"],
    ["debt"],
    ["changes", "HEAD"],
    ["dump", "--include-inferred"],
    ["model", "list"],
    ["model", "verify"],
    ["doctor"],
    ["config"],
    ["init", "--yes"],
    ["init", "--remove", "--yes"],
    ["completion", "fish"],
    ["clean", "--yes"],
]


def test_every_command_has_a_schema():
    """`mcp` alone speaks its own protocol."""
    assert documents().keys() == LEAVES - {"mcp"}


@pytest.mark.parametrize("name", schema_files())
def test_a_schema_is_valid_and_closed(name):
    """A property that nobody named would be refused."""
    schema = json.loads(schema_files()[name])
    jsonschema.Draft202012Validator.check_schema(schema)
    top = schema["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    assert top["additionalProperties"] is False


def test_what_every_command_prints_is_what_its_schema_says(roteiro, repository):
    """In one repository, in an order that leaves something to say."""
    for arguments in ANSWERS:
        ran = roteiro(*arguments, "--json", "--root", repository)
        assert ran.json is not None, arguments


def test_the_check_finds_a_schema_of_a_command_that_is_gone(tmp_path: Path):
    """And one that was edited; writing mends both."""
    write(tmp_path)
    assert differences(tmp_path) == []
    (tmp_path / "schemas" / "gone.json").write_text("{}")
    (tmp_path / "schemas" / "sync.json").write_text("{}")
    assert differences(tmp_path) == ["schemas/sync.json", "schemas/gone.json"]
    write(tmp_path)
    assert differences(tmp_path) == []
