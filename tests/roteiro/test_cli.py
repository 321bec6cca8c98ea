"""The command line as a whole: what exists, how it is told, and what a mistake looks like."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from graph.tools import tool_table
from roteiro.cli import build

SCRIPT = Path(sys.executable).parent / "roteiro"

COMMANDS = typer.main.get_command(build()).commands  # type: ignore[attr-defined] - it is a group
LEAVES = [
    (name, *sub)
    for name, command in COMMANDS.items()
    for sub in ([(s,) for s in getattr(command, "commands", {})] or [()])
]


def leaf(words):
    command = COMMANDS[words[0]]
    return command.commands[words[1]] if len(words) > 1 else command


@pytest.mark.parametrize("words", [w for w in LEAVES if w != ("mcp",)], ids=" ".join)
def test_every_command_takes_root_and_json(words):
    """Scripts rely on both being everywhere."""
    options = {option for parameter in leaf(words).params for option in parameter.opts}
    assert {"--root", "--json"} <= options


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_command_says_what_it_does_in_one_line(words):
    """The help page lists it whole, not cut off."""
    command = leaf(words)
    assert command.help
    assert command.get_short_help_str(60) == command.help.strip().splitlines()[0].rstrip(".") + "."


@pytest.mark.parametrize("tool", tool_table(), ids=lambda tool: tool.name)
def test_every_tool_of_the_table_is_a_command_with_the_same_arguments(tool):
    """What an agent can ask, a person can."""
    import msgspec

    names = {field.encode_name for field in msgspec.structs.fields(tool.arguments)} - {"project"}
    command = COMMANDS[tool.name.replace("_", "-")]
    options = {option.lstrip("-").replace("-", "_") for parameter in command.params for option in parameter.opts}
    metavars = {str(parameter.metavar).lower().strip("[]") for parameter in command.params if parameter.metavar}
    given = options | {part for metavar in metavars for part in metavar.split("|")}
    assert names <= given


def test_help_loads_neither_the_graph_nor_the_server():
    """It is printed in a moment because nothing is imported for it."""
    code = "import sys, roteiro.cli; roteiro.cli.main(['--help']); print([m for m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for module in ("graph.tools", "serve.turns", "msgspec", "sqlite3", "httpx", "litestar", "rich", "asyncio"):
        assert f"'{module}'" not in done.stderr, module


def test_no_command_at_all_prints_the_help(roteiro):
    """And that is no mistake."""
    ran = roteiro()
    assert ran.code == 0
    assert "Usage: roteiro" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frob"], "No such command 'frob'. See `roteiro --help`."),
        (["search"], "Missing argument 'QUERY'. See `roteiro search --help`."),
        (["search", "--limt", "1", "x"], "--limit). See `roteiro search --help`."),
        (["search", "--limit", "0", "x"], "--limit"),
        (["serve", "--engine", "scripted"], "--engine scripted and --script FILE go together."),
        (["model"], "Missing command. See `roteiro model --help`."),
        (["mcp", "--rot", "x"], "unrecognized arguments: --rot x. See `roteiro mcp --help`."),
        (["ask", " "], "the question is empty"),
        (["sync", "--root", "/does/not/exist"], "--root /does/not/exist: no such folder."),
        (["config", "--root", "/etc/hostname"], "--root /etc/hostname: this is a file."),
    ],
)
def test_bad_use_is_one_line_and_exit_code_two(roteiro, arguments, said):
    """It begins with the program's name and says what to do."""
    ran = roteiro(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("roteiro: ")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_the_version_is_printed(roteiro):
    """As the package says."""
    import roteiro as package

    assert roteiro("--version").out == f"roteiro {package.__version__}\n"


def test_a_reader_that_goes_away_is_no_error(repository):
    """`roteiro dump | head -c 1` ends in silence."""
    command = f"{SCRIPT} dump --root {repository} | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_folder_deleted_under_a_command_is_told(tmp_path):
    """Without a traceback."""
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["bash", "-c", f"cd {gone} && rmdir {gone} && exec {SCRIPT} sync"],
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "the folder you stand in was deleted" in done.stderr
    assert "Traceback" not in done.stderr
