"""The real Codex CLI against the scripted engine: a text turn, and a tool round that Codex runs itself.

It is an npm package, installed into a cache folder (`ROTEIRO_CLIENTS`, else `~/.cache/roteiro-clients`) and run with a
home of its own. Without npm or the package these tests are skipped and say so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from serve.turns import Mode, Role
from tests.serving import Live, live_server, scripted, service_of

pytestmark = pytest.mark.client

CODEX_VERSION = "0.171.0"
_INSTALL_DEADLINE_S = 300
_RUN_DEADLINE_S = 120
# Read before the run gets a home and variables of its own.
_CLIENTS = Path(os.environ.get("ROTEIRO_CLIENTS") or Path.home() / ".cache" / "roteiro-clients")

_REPLIES: list[dict[str, object]] = [
    {"when": {"contains": "REMEMBER-THIS", "role": "tool"}, "text": "The file says REMEMBER-THIS."},
    {
        "when": {"contains": "Read the note", "role": "user"},
        "calls": [{"name": "exec_command", "arguments": '{"cmd": "cat note.txt"}'}],
    },
    {
        "when": {"contains": "Be too long"},
        "fail": {
            "message": "This request has 9 prompt tokens; the window of this model here is 8 tokens.",
            "status": 400,
            "kind": "invalid_request_error",
            "code": "context_length_exceeded",
        },
    },
    {"when": {"contains": "Break once"}, "times": 1, "text": ["a", "b"], "fail": {"message": "It broke.", "after": 1}},
    {"when": {"contains": ""}, "text": ["Hello from ", "Roteiro."]},
]

_CONFIG = """
model = "local-model"
model_provider = "roteiro"
web_search = "disabled"
model_reasoning_summary = "none"
model_context_window = 32768
model_auto_compact_token_limit = 28000
check_for_update_on_startup = false

[features]
goals = false
image_generation = false

[agents]
enabled = false

[skills.bundled]
enabled = false

[model_providers.roteiro]
name = "Roteiro"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 600000
"""


@pytest.fixture(scope="module")
def codex() -> Path:
    """Return the program, installed once into the cache folder."""
    program = _CLIENTS / "node_modules" / ".bin" / "codex"
    package = _CLIENTS / "node_modules" / "@openai" / "codex" / "package.json"
    if program.exists() and f'"version": "{CODEX_VERSION}"' in package.read_text():
        return program
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so the Codex CLI cannot be fetched")
    _CLIENTS.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--prefix", str(_CLIENTS), "--no-fund", "--no-audit", f"@openai/codex@{CODEX_VERSION}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_DEADLINE_S, check=False)
    if done.returncode != 0:
        pytest.skip(f"npm could not install the Codex CLI: {done.stderr.strip()[-300:]}")
    return program


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    engine = scripted(tmp_path, _REPLIES)
    with live_server(service_of(engine), engine) as server:
        yield server


def _run(codex: Path, live: Live, folder: Path, prompt: str) -> subprocess.CompletedProcess[str]:
    home, work = folder / "home", folder / "work"
    for made in (home / "codex", work):
        made.mkdir(parents=True, exist_ok=True)
    (home / "codex" / "config.toml").write_text(_CONFIG.format(url=live.url))
    (work / "note.txt").write_text("REMEMBER-THIS\n")
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ}
    environment = {**kept, "HOME": str(home), "CODEX_HOME": str(home / "codex"), "NO_PROXY": "127.0.0.1"}
    command = [str(codex), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt]
    return subprocess.run(
        command,
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_RUN_DEADLINE_S,
        check=False,
    )


def test_a_text_turn(codex, live, tmp_path):
    """Codex prints the streamed answer and asks once."""
    done = _run(codex, live, tmp_path, "Say hello.")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Hello from Roteiro."
    assert [request.mode for request in live.engine.requests] == [Mode.GENERAL]


def test_a_tool_round(codex, live, tmp_path):
    """The call is returned, Codex runs it, posts the result back, and gets the final text."""
    done = _run(codex, live, tmp_path, "Read the note.")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "The file says REMEMBER-THIS."
    first, second = live.engine.requests
    assert "exec_command" in {tool.name for tool in first.tools}
    assert second.messages[: len(first.messages)] == first.messages
    call, result = second.messages[len(first.messages) :]
    assert [made.name for made in call.tool_calls] == ["exec_command"]
    assert call.tool_calls[0].arguments == '{"cmd": "cat note.txt"}'
    assert (result.role, result.name) == (Role.TOOL, "exec_command")
    assert "REMEMBER-THIS" in result.content


def test_a_conversation_that_does_not_fit_is_final(codex, live, tmp_path):
    """Codex knows the code, says so in its own words, and does not ask again."""
    done = _run(codex, live, tmp_path, "Be too long.")
    assert done.returncode != 0
    assert "ran out of room in the model's context window" in done.stderr
    assert len(live.engine.requests) == 1


def test_a_stream_that_breaks_is_tried_again(codex, live, tmp_path):
    """The failed event in the middle of a stream makes Codex try once more, and then it gets its answer."""
    done = _run(codex, live, tmp_path, "Break once.")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Hello from Roteiro."
    assert len(live.engine.requests) == 2
