"""Files worked on in processes of their own: the same results, and what a worker that fails costs."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from graph import index_pool
from graph.errors import GrammarError, GraphError
from graph.index_frames import Done, Job, Task
from graph.index_pool import work_on
from graph.repository import Repository


def put(root: Path, path: str, text: str | bytes) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode() if isinstance(text, str) else text)


def many(tmp_path: Path, count: int) -> tuple[list[tuple[Task, int]], Job]:
    for number in range(count):
        put(tmp_path / "many", f"m{number}.py", f"def f{number}():\n    return {number}\n" * 30)
    tasks = [(Task(f"m{number}.py"), 1000) for number in range(count)]
    return tasks, Job(str(tmp_path / "many"), str(tmp_path / "facts.db"), 1_000_000)


def test_worker_processes_give_what_one_process_gives(tmp_path: Path) -> None:
    """The same results for the same files, wherever they were worked on."""
    tasks, job = many(tmp_path, 60)
    from_workers = {done.path: done for some in work_on(tasks, job, 2) for done in some}
    here = {done.path: done for task in tasks for some in work_on([task], job, 1) for done in some}
    assert from_workers == here
    assert len(here) == 60


def test_a_worker_that_dies_costs_only_the_file_that_kills_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash of a native parser must not take the sync along."""
    tasks, job = many(tmp_path, 30)
    plant_deadly_bench(tmp_path, monkeypatch, "os._exit(11)")
    results = {done.path: done for some in work_on(tasks, job, 1) for done in some}
    assert len(results) == 30
    assert [path for path, done in results.items() if done.status == "skipped"] == ["m7.py"]
    assert "the parser crashed" in results["m7.py"].reason


def test_a_file_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile file may send a parser round in circles."""
    tasks, job = many(tmp_path, 30)
    monkeypatch.setattr(index_pool, "_BATCH_TIMEOUT_S", 1.0)
    monkeypatch.setattr(index_pool, "_FILE_TIMEOUT_S", 1.0)
    plant_deadly_bench(tmp_path, monkeypatch, "threading.Event().wait()")
    results = {done.path: done for some in work_on(tasks, job, 1) for done in some}
    assert [path for path, done in results.items() if done.status == "skipped"] == ["m7.py"]


def plant_deadly_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str) -> None:
    """Make the worker processes do something at the sight of `m7.py`, by a start-up module of their Python."""
    put(
        tmp_path / "site",
        "sitecustomize.py",
        "import os, threading\nimport graph.index_work as w\nreal = w.Bench._do\n\n\n"
        f"def do(self, task):\n    if task.path == 'm7.py':\n        {deed}\n"
        "    return real(self, task)\n\n\nw.Bench._do = do\n",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))


def test_an_error_for_all_files_comes_out_of_the_workers_as_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing grammar is the same error from a worker as from here."""
    tasks, job = many(tmp_path, 30)
    plant_deadly_bench(tmp_path, monkeypatch, "raise __import__('graph.errors').errors.GrammarError('no grammar')")
    with pytest.raises(GrammarError, match="no grammar"):
        list(work_on(tasks, job, 2))


def test_an_abandoned_pool_leaves_no_process_behind(tmp_path: Path) -> None:
    """Closing the results early, as Ctrl-C does, ends threads and processes."""
    tasks, job = many(tmp_path, 200)
    results = work_on(tasks, job, 2)
    next(results)
    results.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("index-")]


def test_workers_import_nothing_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository with a `json.py`, a `graph/` or a `zlib.py` does not run in a worker."""
    canary = tmp_path / "ran"
    tasks, job = many(tmp_path, 30)
    for name in ("json.py", "zlib.py", "msgspec.py", "graph/__init__.py", "sitecustomize.py", "usercustomize.py"):
        put(tmp_path / "many", name, f"open({str(canary)!r}, 'a').write({name!r})\n")
    monkeypatch.chdir(tmp_path / "many")
    assert sum(len(some) for some in work_on(tasks, job, 1)) == 30
    assert not canary.exists()


def test_ctrl_c_at_the_terminal_ends_a_sync_in_workers_cleanly(tmp_path: Path) -> None:
    """A real process, a real signal: the store is consistent and no worker lives on."""
    root = tmp_path / "many"
    many(tmp_path, 400)
    program = (
        "import sys\nfrom pathlib import Path\nfrom graph.repository import Repository\n"
        "repository = Repository.open(sys.argv[1], cache_home=Path(sys.argv[2]))\n"
        "def listen(progress):\n    print(progress.phase.value, flush=True)\n"
        "    if progress.phase.value == 'extracting': sys.stdin.readline()\n"
        "repository.sync(listen)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", program, root, tmp_path / "home"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "listing\n"
    assert child.stdout.readline() == "extracting\n"
    child.send_signal(2)
    assert "KeyboardInterrupt" in child.communicate(timeout=60)[1]
    with Repository.open(root, cache_home=tmp_path / "home") as repository:
        assert not repository.is_indexed
        assert repository.store.verify() == []
        assert repository.sync().indexed == 400


def test_an_unknown_error_class_of_a_worker_is_still_ours() -> None:
    """What a worker names is looked up in our own tree only."""
    assert type(index_pool._error_of(("GrammarError", "x"))) is GrammarError
    assert type(index_pool._error_of(("SystemExit", "x"))) is GraphError
    assert str(index_pool._error_of(("KeyNotFoundError", "x"))) == "x"


def test_done_defaults_to_nothing() -> None:
    """A result for unchanged bytes carries no row."""
    assert Done("a", "same").nodes == ()
