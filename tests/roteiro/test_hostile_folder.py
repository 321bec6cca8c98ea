"""Nothing of the folder that a command stands in is ever imported or run, whatever it is called.

The analysed repository is hostile data. It may hold a `graph/`, a `serve.py` or a `json.py`; each file here writes a
canary when it is imported.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).parent / "roteiro"

# Names of ours, of the standard library and of what we depend on; `runpy` and what it needs cannot be defended under
# `python -m`, where Python itself looks in the working folder before any package gets a say.
NAMES = """
graph serve mcp_server sitecustomize usercustomize json sqlite3 asyncio logging tomllib pathlib subprocess hashlib
typer click rich msgspec platformdirs httpx litestar uvicorn mcp networkx tree_sitter tree_sitter_python pathspec
llama_cpp numpy jinja2 tiktoken argparse difflib http email ssl socket shutil tempfile zipfile concurrent
multiprocessing queue fcntl pip secrets uuid
""".split()  # noqa: SIM905 - a list of fifty names reads better as text

TIMEOUT_S = 120


@pytest.fixture
def hostile(repository: Path) -> Path:
    """Return a repository full of modules that betray themselves when imported."""
    canary = f"import os, sys; open({str(repository / 'CANARY')!r}, 'a').write(__name__ + chr(10))\n"
    for name in NAMES:
        (repository / f"{name}.py").write_text(canary)
    for name in ("graph", "serve", "mcp_server", "llama_cpp", "roteiro_plugin"):
        (repository / name).mkdir()
        (repository / name / "__init__.py").write_text(canary)
    (repository / "conftest.py").write_text(canary)
    (repository / "setup.py").write_text(canary)
    (repository / "roteiro.toml").write_text("[index]\nworkers = 2\n")
    return repository


def run(folder: Path, *command: str, stdin: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
    # Without PYTHONSAFEPATH and PYTHONPATH: the protection must be ours, not the shell's.
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONSAFEPATH", "PYTHONPATH"}}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if check:
        assert done.returncode in {0, 1}, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
    return done


def assert_untouched(folder: Path) -> None:
    canary = folder / "CANARY"
    assert not canary.exists(), f"imported from the repository: {canary.read_text().split()}"


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("sync",), ("search", "place"), ("doctor",), ("model", "list")],
    ids=" ".join,
)
def test_commands_import_nothing_of_the_folder_they_stand_in(hostile, arguments):
    """By the script, which is how it is installed."""
    run(hostile, str(SCRIPT), *arguments)
    assert_untouched(hostile)


@pytest.mark.parametrize("arguments", [("search", "place"), ("doctor",)], ids=" ".join)
def test_the_module_imports_nothing_of_the_folder_it_stands_in(hostile, arguments):
    """By `python -m roteiro`; these two load the most."""
    run(hostile, sys.executable, "-m", "roteiro", *arguments)
    assert_untouched(hostile)


def test_the_mcp_server_imports_nothing_of_the_folder_it_stands_in(hostile):
    """A whole session: initialize, list, and a call that has to build the index."""
    messages = [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"query":"place"}}}',
    ]
    done = run(hostile, str(SCRIPT), "mcp", stdin="\n".join(messages) + "\n")
    assert '"callers"' in done.stdout
    assert_untouched(hostile)


def test_ask_imports_nothing_of_the_folder_it_stands_in(hostile, tmp_path):
    """With the scripted engine: retrieval, the loop and its citations."""
    script = tmp_path / "replies.jsonl"
    script.write_text('{"text": "`place` reserves an item."}\n')
    done = run(hostile, str(SCRIPT), "ask", "--script", str(script), "what does place do?")
    assert "reserves an item" in done.stdout
    assert_untouched(hostile)


def test_the_server_imports_nothing_of_the_folder_it_stands_in(hostile, tmp_path):
    """Started, ready, ended."""
    script = tmp_path / "replies.jsonl"
    script.write_text('{"text": "hello"}\n')
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONSAFEPATH", "PYTHONPATH"}}
    command = [str(SCRIPT), "serve", "--port", "0", "--engine", "scripted", "--script", str(script), "--json"]
    with subprocess.Popen(command, cwd=hostile, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT_S)
    assert '"url":"http://127.0.0.1:' in ready
    assert_untouched(hostile)


def test_a_sibling_from_another_folder_is_refused_with_both_places(tmp_path):
    """PYTHONPATH comes before the installed packages; the guard names both and the cure."""
    (tmp_path / "serve.py").write_text("raise SystemExit('this must never run')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [str(SCRIPT), "--help"], env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode != 0
    assert f"would be imported from {tmp_path / 'serve.py'}" in done.stderr
    assert "unset PYTHONPATH" in done.stderr
    assert "this must never run" not in done.stderr
