"""The texts that `roteiro init` adds."""

from __future__ import annotations

import json
from collections.abc import Sequence

__all__ = [
    "AGENTS_BLOCK",
    "HOOK_FILE",
    "HOOK_LINES",
    "IGNORE_FILE",
    "codex_home",
    "codex_server",
    "json_entry",
    "json_file",
]

IGNORE_FILE = """\
# Files that Roteiro leaves out of its index although git tracks them; the syntax is that of .gitignore.
# vendor/
# *.min.js
# docs/generated/
"""

AGENTS_BLOCK = """\
<!-- roteiro:begin -->
## Finding your way in this repository

A graph of this repository's code answers before you read files. The same tools exist over MCP.

- `roteiro search WORDS`: code and docs by name or by what they do; start here.
- `roteiro context NAME`: one symbol with its callers, callees, docs and tests.
- `roteiro callers NAME`, `roteiro callees NAME`, `roteiro path A B`: resolved calls, with every line.
- Before you change something: `roteiro impact NAME`. Before you commit: `roteiro impact --base HEAD`.

A NAME may be `path:line`, `path#Class.method` or a unique name.
<!-- roteiro:end -->
"""

HOOK_LINES = """\
# roteiro:begin (keeps the code graph up to date; in the background, and never in git's way)
if command -v roteiro >/dev/null 2>&1; then (roteiro sync </dev/null >/dev/null 2>&1 &); fi
# roteiro:end
"""

HOOK_FILE = f"#!/bin/sh\n{HOOK_LINES}"


def json_entry(command: str, arguments: Sequence[str], *, with_type: bool) -> str:
    """Return our entry in a JSON object of servers, as it is put behind the opening brace."""
    kind = '"type": "stdio", ' if with_type else ""
    return f'\n    "roteiro": {{{kind}"command": {json.dumps(command)}, "args": {json.dumps(list(arguments))}}}'


def json_file(key: str, entry: str) -> str:
    """Return a whole file with our entry alone."""
    return f'{{\n  "{key}": {{{entry}\n  }}\n}}\n'


def codex_server(command: str, arguments: Sequence[str]) -> str:
    """Return our MCP server as Codex's own configuration names it."""
    return f"""\
[mcp_servers.roteiro]
command = {json.dumps(command)}
args = {json.dumps(list(arguments))}
"""


def codex_home(command: str, arguments: Sequence[str], base_url: str, model: str, window: int) -> str:
    """Return the configuration of a Codex that talks to `roteiro serve`, as small as a small model needs it.

    Without web search, goals, images, agents and skills its tools take 900 tokens instead of 3,900.
    """
    return f"""\
# Use it with: CODEX_HOME=(the folder of this file) codex
model = {json.dumps(model)}
model_provider = "roteiro"
model_context_window = {window}
model_auto_compact_token_limit = {window * 3 // 4}
model_reasoning_summary = "none"
web_search = "disabled"

[features]
goals = false
image_generation = false

[agents]
enabled = false

[skills.bundled]
enabled = false

[model_providers.roteiro]
name = "Roteiro"
base_url = {json.dumps(base_url)}
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 600000

{codex_server(command, arguments)}"""
