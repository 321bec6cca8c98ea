"""`ROTEIRO_REQUIRE`: a check that is skipped where it must run fails the run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).parents[1]


@pytest.fixture
def suite(tmp_path):
    """Return a function that runs a small suite with our conftest."""
    (tmp_path / "tests").mkdir()
    shutil.copy(TREE / "tests" / "conftest.py", tmp_path / "tests")
    # Its own settings: with ours it would need every plugin that they name, and fail for what those leave open.
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\nmarkers =\n    native: a mark\n")

    def run(body: str, require: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "tests" / "test_it.py").write_text(f"import pytest\n{body}\n")
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            cwd=tmp_path,
            env={**os.environ, "ROTEIRO_REQUIRE": require, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


SKIPPED = "@pytest.mark.native\ndef test_it():\n    pytest.skip('no library')\n"


def test_a_skip_is_a_skip_where_nothing_is_required(suite):
    """As on a developer's machine."""
    assert suite(SKIPPED, "").returncode == 0


def test_a_required_test_that_skips_fails(suite):
    """With the reason of the skip."""
    done = suite(SKIPPED, "native")
    assert done.returncode == 1
    assert "yet it was skipped" in done.stdout
    assert "no library" in done.stdout


def test_a_module_that_skips_as_a_whole_fails(suite):
    """Its marks cannot be known."""
    assert suite("pytest.importorskip('no_such_module')", "native").returncode != 0


def test_a_required_mark_without_any_test_fails(suite):
    """A misspelt selection must not look like success."""
    done = suite("def test_it():\n    pass\n", "native")
    assert done.returncode == 1
    assert "no test passed: native" in done.stdout


def test_an_unknown_mark_is_refused(suite):
    """By name."""
    done = suite("def test_it():\n    pass\n", "nativ")
    assert done.returncode != 0
    assert "unknown marks: nativ" in done.stderr + done.stdout
