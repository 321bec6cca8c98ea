"""The scripts that complete commands in a shell."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import typer.main

from roteiro.cli import build

COMMANDS = typer.main.get_command(build()).commands  # type: ignore[attr-defined] - it is a group


def _completed(script, *words):
    typed = f"COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}"
    code = f"{script}\n{typed}\n_roteiro\necho ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_and_options(roteiro):
    """By what is there, without starting anything."""
    script = roteiro("completion", "bash").out
    assert _completed(script, "roteiro", "call") == ["callers", "callees"]
    assert _completed(script, "roteiro", "callers", "--inc") == ["--include-inferred"]
    assert _completed(script, "roteiro", "model", "pu") == ["pull"]
    assert "--yes" in _completed(script, "roteiro", "model", "pull", "--")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_in_every_script(roteiro, shell):
    """None is forgotten, because the script is made from the command line itself."""
    script = roteiro("completion", shell).out
    for name in COMMANDS:
        assert name in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_read_its_script(roteiro, shell):
    """Where that shell is installed."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    script = roteiro("completion", shell).out
    done = subprocess.run([program, "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell_is_refused(roteiro):
    """With those that exist."""
    ran = roteiro("completion", "tcsh")
    assert ran.code == 2
    assert "bash" in ran.err
