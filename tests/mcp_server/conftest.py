"""A server process over a small repository, as a client starts it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

_SERVER = """
import sys
from mcp_server.settings import McpSettings
from mcp_server.stdio import run


def open_repository():
    print("a stray print must not reach the client")
    {body}


tools = tuple(sys.argv[3].split(",")) if len(sys.argv) > 3 else ()
sys.exit(run(open_repository, McpSettings(tools=tools), "1.2.3"))
"""

_OPEN = """
    from pathlib import Path
    from graph.repository import Repository
    return Repository.open(sys.argv[1], cache_home=Path(sys.argv[2]))
"""
_REFUSE = """
    from graph.errors import RootError
    raise RootError(f"there is no folder {sys.argv[1]}.")
"""

SOURCE = '''\
"""Prices."""


def price(cart):
    """Return the price of a cart."""
    return tax(1)


def tax(amount):
    return amount
'''


@pytest.fixture
def repository_folder(tmp_path: Path) -> Path:
    """Write a repository outside git and return its folder."""
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "shop.py").write_text(SOURCE)
    return folder


@pytest.fixture
def server_command(tmp_path: Path, repository_folder: Path) -> list[str]:
    """Give the command of a server over the small repository; a last argument names the tools to offer."""
    return _command(tmp_path, repository_folder, _OPEN)


@pytest.fixture
def refusing_command(tmp_path: Path, repository_folder: Path) -> list[str]:
    """Give the command of a server whose repository cannot be opened."""
    return _command(tmp_path, repository_folder, _REFUSE)


def _command(tmp_path: Path, folder: Path, body: str) -> list[str]:
    script = tmp_path / "server.py"
    script.write_text(_SERVER.replace("    {body}\n", body))
    return [sys.executable, str(script), str(folder), str(tmp_path / "cache")]
