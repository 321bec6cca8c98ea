"""What the docs tell a reader to type or to copy works."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from roteiro.cli import build
from tests.serving import live_server, scripted, service_of

TREE = Path(__file__).parents[2]
PAGES = [TREE / "README.md", *sorted((TREE / "docs").glob("*.md")), *sorted((TREE / "docs" / "how-to").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    """Return (page, text) of every block of a language."""
    return [
        (page.name, text)
        for page in PAGES
        for text in re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    ]


def command_lines() -> list[str]:
    """Return every command line of this program in a block of the shell or in running text."""
    typed = [
        line.removeprefix("$ ")
        for language in ("sh", "console")
        for _, text in blocks(language)
        for line in text.splitlines()
    ]
    inline = [found for page in PAGES for found in re.findall(r"`(roteiro [^`\n]+)`", page.read_text())]
    lines = [line.partition("  #")[0].strip() for line in (*typed, *inline)]
    return sorted({line for line in lines if line.startswith("roteiro ")})


@pytest.mark.parametrize("line", command_lines())
def test_a_command_line_has_options_that_exist(line):
    """And its command does."""
    words = shlex.split(line)[1:]
    command = typer.main.get_command(build())
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        command = command.commands[words.pop(0)]
    if command.name == "mcp":
        return  # it has a parser of its own
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-") and word != "-"} <= known | {"--help"}


@pytest.mark.parametrize(("page", "text"), blocks("json"))
def test_json_can_be_copied(page, text):
    """It is whole."""
    json.loads(text)


@pytest.mark.parametrize(("page", "text"), blocks("python"))
def test_python_runs_against_a_server(page, text, tmp_path):
    """With a script in place of the model."""
    engine = scripted(tmp_path, [{"text": "In sessions.py."}], model="qwen2.5-coder-1.5b")
    printed = io.StringIO()
    with live_server(service_of(engine), engine) as live, contextlib.redirect_stdout(printed):
        exec(compile(text.replace("http://127.0.0.1:8017", live.url), page, "exec"), {})  # noqa: S102 - our own docs
    assert "In sessions.py." in printed.getvalue()
