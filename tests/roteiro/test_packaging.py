"""What is shipped: the four packages and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import roteiro
from serve.settings import ServeSettings

TREE = Path(__file__).parents[2]
PROJECT = tomllib.loads((TREE / "pyproject.toml").read_text())
PACKAGES = {"roteiro", "graph", "mcp_server", "serve"}


def test_the_build_is_told_to_take_exactly_the_four_packages():
    """The guard and the names of the floors rely on it."""
    assert set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == PACKAGES


def test_the_version_is_written_in_one_way():
    """In the metadata and in the package."""
    assert PROJECT["project"]["version"] == roteiro.__version__


def test_the_default_address_is_the_documented_one():
    """The README, the page and the Makefile say 8017."""
    assert ServeSettings().addr == "127.0.0.1:8017"
    assert "127.0.0.1:8017" in (TREE / "README.md").read_text()


@pytest.mark.index
def test_the_wheel_holds_only_the_four_packages_and_their_data(tmp_path):
    """Built as pip builds it, in an environment of its own."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(TREE)]
    subprocess.run(command, check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    about = f"roteiro-{roteiro.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {*PACKAGES, about}
    assert "serve/web/static/index.html" in names
    assert "graph/py.typed" in names
    assert not [name for name in names if name.endswith((".pyc", ".gguf"))]
