"""What holds for every test: the person's own folders and settings stay out of it, and a skip can be made a failure.

`ROTEIRO_REQUIRE=native,model` (comma-separated marks) says that this machine has what those marks need: a test with
one of them that skips fails the run, and so does a mark without a test that ran. A check that is skipped is not one.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

_REQUIRED = frozenset(filter(None, os.environ.get("ROTEIRO_REQUIRE", "").split(",")))
_RAN: set[str] = set()

# Where models are really kept; marked tests look there, all others get folders of their own.
_FOLDERS = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a mark that does not exist: a misspelt requirement would require nothing."""
    known = {line.partition(":")[0] for line in config.getini("markers")}
    if unknown := _REQUIRED - known:
        raise pytest.UsageError(f"ROTEIRO_REQUIRE names unknown marks: {', '.join(sorted(unknown))}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the skip of a required test into a failure."""
    report = yield
    marks = {mark.name for mark in item.iter_markers()}
    if report.skipped and marks & _REQUIRED and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"required by ROTEIRO_REQUIRE, yet it was skipped: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole module into a failure when anything is required: its marks cannot be known."""
    report = yield
    if report.skipped and _REQUIRED:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped as a whole while ROTEIRO_REQUIRE is set: {report.longrepr}"
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember the required marks of a test that passed."""
    if report.when == "call" and report.passed:
        _RAN.update(_REQUIRED & set(report.keywords))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which nothing of a required mark passed."""
    is_worker = hasattr(session.config, "workerinput")  # of xdist; the process that collects the results decides
    if _REQUIRED - _RAN and not is_worker and not session.config.getoption("collectonly"):
        session.exitstatus = max(session.exitstatus, pytest.ExitCode.TESTS_FAILED)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the required marks of which nothing passed."""
    if missing := sorted(_REQUIRED - _RAN):
        terminalreporter.write_line(f"required by ROTEIRO_REQUIRE, yet no test passed: {', '.join(missing)}", red=True)


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the run settings, caches and logs of its own; a variable of the person's shell sets nothing."""
    base = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for variable in _FOLDERS:
            patch.setenv(variable, str(base / variable.lower()))
        for variable in [name for name in os.environ if name.startswith(("ROTEIRO_", "GIT_"))]:
            if not variable.startswith(("ROTEIRO_REQUIRE", "ROTEIRO_TEST_")):
                patch.delenv(variable)
        # Servers of the tests run on this machine, whatever proxy the person's shell names.
        patch.setenv("NO_PROXY", "127.0.0.1,localhost")
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        # git of the tests: an author, and none of the person's settings, hooks or signing.
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        for who in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{who}_NAME", "Tester")
            patch.setenv(f"GIT_{who}_EMAIL", "tester@example.org")
        yield


@pytest.fixture(scope="session")
def repository_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small git repository of Python files with known callers; made once, never changed, only copied."""
    import subprocess

    root = tmp_path_factory.mktemp("template") / "shop"
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "__init__.py").write_text("from shop.orders import place\n")
    (root / "shop" / "orders.py").write_text(
        'from shop.stock import reserve\n\n\ndef place(item: str) -> bool:\n    """Place an order."""\n'
        "    return reserve(item)\n"
    )
    (root / "shop" / "stock.py").write_text(
        'def reserve(item: str) -> bool:\n    """Reserve one item of the stock."""\n    return bool(item)\n'
    )
    (root / "README.md").write_text("# Shop\n\nSells things. See `place`.\n")
    for command in (["init", "-q", "-b", "main", "--template="], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    return root


@pytest.fixture
def repository(repository_template: Path, tmp_path: Path) -> Path:
    """Return a small git repository of Python files with known callers, for this test to change."""
    import shutil

    return Path(shutil.copytree(repository_template, tmp_path / "shop"))
