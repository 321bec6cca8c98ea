"""Edges that one file gives to a function of another: they come and go with all who give them."""

from __future__ import annotations

from pathlib import Path

from graph.repository import Repository
from graph.store import Store

TOOLS = "def run(task):\n    task()\n"
USER = "from tools import run\nfrom jobs import job\n\nrun(job)\n"


def _edges(store: Store) -> list[tuple[str, str, str]]:
    rows = store.read().execute(
        "SELECT s.qualname, d.qualname, f.path FROM edge AS e JOIN node AS s ON s.id = e.src "
        "JOIN node AS d ON d.id = e.dst JOIN file AS f ON f.id = e.file WHERE e.kind = 'calls' AND s.qualname = 'run'"
    )
    return sorted((src, dst, path) for src, dst, path in rows)


def test_the_edge_stays_while_anybody_hands_the_function_over(tmp_path: Path) -> None:
    """Of two files that give it the first one stands; the edge goes with the last one."""
    root = tmp_path / "repo"
    root.mkdir()
    for path, text in (("tools.py", TOOLS), ("jobs.py", "def job(): pass\n"), ("a.py", USER), ("b.py", USER)):
        (root / path).write_text(text)
    with Repository.open(root, cache_home=tmp_path / "home") as repository:
        repository.sync()
        assert _edges(repository.store) == [("run", "job", "a.py")]
        (root / "a.py").unlink()
        repository.sync()
        assert _edges(repository.store) == [("run", "job", "b.py")]
        assert repository.store.verify() == []
        (root / "b.py").write_text("from tools import run\n")
        repository.sync()
        assert _edges(repository.store) == []


def test_the_edge_follows_what_the_function_does(tmp_path: Path) -> None:
    """It goes when the function stops calling its parameter, and the function's own edge stands before it."""
    root = tmp_path / "repo"
    root.mkdir()
    for path, text in (("tools.py", TOOLS), ("jobs.py", "def job(): pass\n"), ("a.py", USER)):
        (root / path).write_text(text)
    with Repository.open(root, cache_home=tmp_path / "home") as repository:
        repository.sync()
        (root / "tools.py").write_text("def run(task):\n    return [task]\n")
        repository.sync()
        assert _edges(repository.store) == []
        (root / "tools.py").write_text(f"from jobs import job\n{TOOLS}    job()\n")
        repository.sync()
        assert _edges(repository.store) == [("run", "job", "tools.py")]
        (root / "tools.py").write_text(f"# a comment\n{TOOLS}")
        repository.sync()
        assert _edges(repository.store) == [("run", "job", "a.py")]
        assert repository.store.verify() == []
