"""One sync: what is written, what a hostile file can do to it, and what an interruption leaves behind."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from graph import index, index_work
from graph.errors import GrammarError, StoreError
from graph.facts_cache import FactsCache
from graph.lock import held
from graph.progress import Phase, Progress
from graph.repository import Repository
from graph.settings import IndexSettings
from graph.store import Store, snapshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    put(folder, "app/__init__.py", "from app.core import run\n")
    put(
        folder,
        "app/core.py",
        '"""Core."""\n\n\ndef run():\n    # TODO: faster\n    return helper()\n\n\ndef helper():\n    pass\n',
    )
    put(folder, "main.py", "from app import run\n\nrun()\n")
    put(folder, "data.csv", "1,2\n")
    return folder


@pytest.fixture
def repository(root: Path, tmp_path: Path):
    with Repository.open(root, cache_home=tmp_path / "home") as opened:
        yield opened


def put(root: Path, path: str, text: str | bytes) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode() if isinstance(text, str) else text)


def rows(store: Store, query: str) -> list[tuple[object, ...]]:
    return store.read().execute(query).fetchall()


def reason(repository: Repository, path: str) -> str:
    query = "SELECT status || ': ' || reason FROM file WHERE path = ?"
    return str(repository.store.read().execute(query, (path,)).fetchone()[0])


def calls(store: Store) -> set[tuple[object, ...]]:
    return set(
        rows(
            store,
            "SELECT s.key, d.key, e.lines FROM edge e JOIN node s ON s.id = e.src JOIN node d ON d.id = e.dst "
            "WHERE e.kind = 'calls' AND e.provenance = 'derived'",
        )
    )


def test_a_sync_writes_files_nodes_edges_and_markers(repository: Repository) -> None:
    """The thin slice: definitions, a call through a re-export, a marker, the text index."""
    report = repository.sync()
    assert (report.files, report.indexed, report.changed, report.dangling_edges) == (4, 3, 3, 0)
    assert ("file:main.py", "sym:python:app/core.py#run", "3") in calls(repository.store)
    assert ("sym:python:app/core.py#run", "sym:python:app/core.py#helper", "6") in calls(repository.store)
    assert rows(repository.store, "SELECT category, line FROM marker") == [("TODO", 5)]
    assert rows(repository.store, "SELECT count(*) FROM search_file") == [(3,)]
    assert repository.store.verify() == []


def test_a_second_sync_does_nothing(repository: Repository) -> None:
    """Nothing changed, so nothing is read, resolved or written."""
    repository.sync()
    before = snapshot(repository.store)
    report = repository.sync()
    assert (report.changed, report.removed, report.resolved) == (0, 0, 0)
    assert snapshot(repository.store) == before


def test_a_touched_file_is_not_worked_on(repository: Repository, root: Path) -> None:
    """A new stat with the same bytes is only remembered."""
    repository.sync()
    os.utime(root / "main.py", (1, 1))
    assert repository.sync().changed == 0


def test_a_change_inside_a_body_resolves_one_file(repository: Repository, root: Path) -> None:
    """Who depends on the file is left alone, and its edges into the file stay."""
    repository.sync()
    put(root, "app/core.py", "\n\n\n\ndef run():\n    helper()\n    return helper()\n\n\ndef helper():\n    pass\n")
    report = repository.sync()
    assert (report.changed, report.resolved) == (1, 1)
    assert ("file:main.py", "sym:python:app/core.py#run", "3") in calls(repository.store)


def test_a_renamed_function_resolves_its_dependents(repository: Repository, root: Path) -> None:
    """The interface changed, so edges to the old name are gone."""
    repository.sync()
    put(root, "app/core.py", "def start():\n    pass\n")
    assert repository.sync().resolved >= 2
    assert not {edge for edge in calls(repository.store) if edge[0] == "file:main.py"}
    assert repository.store.verify() == []


def test_a_deleted_file_takes_everything_along(repository: Repository, root: Path) -> None:
    """Nodes, edges, markers and texts go; those who called it are resolved again."""
    repository.sync()
    (root / "app/core.py").unlink()
    assert repository.sync().removed == 1
    assert not calls(repository.store)
    assert repository.store.verify() == []


def test_progress_is_told_by_phase(repository: Repository) -> None:
    """Each phase ends with all of its files done."""
    seen: list[Progress] = []
    repository.sync(seen.append)
    last = {progress.phase: (progress.done, progress.total) for progress in seen}
    assert last == {Phase.LISTING: (0, 0), Phase.EXTRACTING: (3, 3), Phase.RESOLVING: (3, 3), Phase.SEARCH: (3, 3)}


def test_files_are_left_out_with_the_reason_recorded(repository: Repository, root: Path) -> None:
    """Each kind of file that cannot or should not be read is told apart, and the sync goes on."""
    put(root, "binary.py", b"x\0y")
    put(root, "latin.py", "name = 'caf\xe9'\n".encode("latin-1"))
    put(root, "broken.py", "def f(:\n  class\n)")
    put(root, "bundle.js", "function a(){return 1}" * 500)
    put(root, "gen.py", "# Code generated by x. DO NOT EDIT.\n")
    with (root / "big.py").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    repository.sync()
    assert reason(repository, "binary.py") == "skipped: binary"
    assert reason(repository, "latin.py") == "indexed: not UTF-8 (first in line 1): read with replacements"
    assert reason(repository, "broken.py") == "indexed: "
    assert rows(repository.store, "SELECT error_count > 0 FROM file WHERE path = 'broken.py'") == [(1,)]
    assert reason(repository, "bundle.js").startswith("skipped: minified")
    assert reason(repository, "gen.py").startswith("skipped: generated")
    assert reason(repository, "big.py").startswith("skipped: too large")


def test_a_file_that_changes_its_kind_changes_its_row(repository: Repository, root: Path) -> None:
    """Indexed, then binary, then a link, then indexed again."""
    repository.sync()
    cold = snapshot(repository.store)
    text = (root / "app/core.py").read_bytes()
    put(root, "app/core.py", b"\0")
    repository.sync()
    assert reason(repository, "app/core.py") == "skipped: binary"
    assert repository.store.verify() == []
    (root / "app/core.py").unlink()
    (root / "app/core.py").symlink_to("/etc/hostname")
    repository.sync()
    assert reason(repository, "app/core.py") == "skipped: a symbolic link out of the root"
    assert repository.store.verify() == []
    (root / "app/core.py").unlink()
    put(root, "app/core.py", text)
    repository.sync()
    assert snapshot(repository.store) == cold


def test_a_file_that_the_extractor_cannot_bear_is_skipped(
    repository: Repository, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file must not end the sync; it is not tried again until it changes."""

    def extract(language: str, data: bytes):
        if b"run()\n" in data:
            raise RecursionError("too deep")
        return real(language, data)

    real = index_work.extract
    monkeypatch.setattr(index_work, "extract", extract)
    repository.sync()
    assert reason(repository, "main.py") == "skipped: the extractor failed: RecursionError: too deep"
    assert repository.sync().changed == 0


def test_a_missing_grammar_ends_the_sync_and_changes_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never an empty graph that looks like success."""

    def extract(language: str, data: bytes):
        raise GrammarError("the grammar for python is missing")

    monkeypatch.setattr(index_work, "extract", extract)
    with pytest.raises(GrammarError):
        repository.sync()
    assert not repository.is_indexed
    assert rows(repository.store, "SELECT count(*) FROM file") == [(0,)]


def test_an_interruption_leaves_the_store_as_it_was(
    repository: Repository, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in any phase: the old graph stays, and the next sync completes."""
    repository.sync()
    before = snapshot(repository.store)
    put(root, "app/core.py", "def run():\n    pass\n")
    for phase in (Phase.LISTING, Phase.EXTRACTING, Phase.RESOLVING, Phase.SEARCH):

        def listen(progress: Progress, phase: Phase = phase) -> None:
            if progress.phase is phase:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            repository.sync(listen)
        assert snapshot(repository.store) == before
    assert repository.sync().changed == 1
    assert repository.store.verify() == []


def test_what_was_extracted_is_not_extracted_again(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another branch or worktree with the same bytes only reads the cache."""
    repository.sync()
    before = snapshot(repository.store)
    with repository.store.write() as connection:
        connection.execute("DELETE FROM search_text WHERE 0")
        index.clear_project(connection, repository.store.project_id)
        connection.execute("INSERT INTO search_text(search_text) VALUES ('delete-all')")
        connection.execute("DELETE FROM search_document")
        connection.execute("DELETE FROM search_file")
    monkeypatch.setattr(index_work, "extract", lambda language, data: pytest.fail("the cache was not used"))
    repository.sync()
    assert snapshot(repository.store) == before


def test_a_lost_or_damaged_cache_is_made_again(repository: Repository, root: Path) -> None:
    """The cache is never needed for a right answer."""
    repository.sync()
    repository.places.facts.write_bytes(b"rubbish" * 999)
    put(root, "app/__init__.py", "from app.core import run, helper\n")
    repository.sync()
    assert ("file:main.py", "sym:python:app/core.py#run", "3") in calls(repository.store)


def test_a_rebuild_uses_nothing_of_before(repository: Repository) -> None:
    """Rows that were tampered with are gone, also those in the cache."""
    repository.sync()
    cold = snapshot(repository.store)
    with repository.store.write() as connection:
        connection.execute("UPDATE node SET doc = 'tampered'")
        connection.execute("DELETE FROM edge")
    report = repository.sync(rebuild=True)
    assert report.changed == 3
    assert snapshot(repository.store) == cold


def test_a_file_that_changes_while_it_is_indexed_is_found_by_the_next_sync(repository: Repository, root: Path) -> None:
    """Not even when it is changed back meanwhile does the text index keep what was between."""
    text = (root / "main.py").read_bytes()
    stat = (root / "main.py").stat()

    def listen(progress: Progress) -> None:
        if progress.phase is Phase.RESOLVING:
            put(root, "main.py", "print('between')\n")

    repository.sync(listen)
    put(root, "main.py", text)
    os.utime(root / "main.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    repository.sync()
    warm = snapshot(repository.store)
    repository.sync(rebuild=True)
    assert warm == snapshot(repository.store)


def test_a_second_sync_waits_for_the_first_and_says_so(repository: Repository) -> None:
    """One writer at a time; the waiting one tells its listener."""
    repository.sync()
    waiting, seen = threading.Event(), []

    def listen(progress: Progress) -> None:
        seen.append(progress.phase)
        if progress.phase is Phase.WAITING:
            waiting.set()

    with held(repository.places.lock, wait_s=0):
        thread = threading.Thread(target=repository.sync, args=(listen,))
        thread.start()
        assert waiting.wait(30)
    thread.join(30)
    assert seen[0] is Phase.WAITING
    assert Phase.LISTING in seen


def test_two_syncs_at_once_end_in_one_consistent_store(root: Path, tmp_path: Path) -> None:
    """From two processes' point of view: two repositories with stores of their own on one file."""
    for number in range(20):
        put(root, f"pkg/m{number}.py", f"from app import run\n\n\ndef f{number}():\n    run()\n")
    opened = [Repository.open(root, cache_home=tmp_path / "home") for _ in range(3)]
    failures: list[BaseException] = []

    def run(repository: Repository) -> None:
        try:
            repository.sync()
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            failures.append(error)

    threads = [threading.Thread(target=run, args=(repository,)) for repository in opened]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert opened[0].store.verify() == []
    assert rows(opened[0].store, "SELECT count(*) FROM file WHERE status = 'indexed'") == [(23,)]
    for repository in opened:
        repository.close()


def test_a_lock_that_stays_held_is_a_message(tmp_path: Path) -> None:
    """Who will not wait is told who holds it."""
    with (
        held(tmp_path / "lock", wait_s=0),
        pytest.raises(StoreError, match="another Roteiro is indexing"),
        held(tmp_path / "lock", wait_s=0),
    ):
        pass


def test_facts_are_bounded_in_memory(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the latest facts stay decoded."""
    from graph import index_source
    from graph.index_plan import known_files

    repository.sync()
    monkeypatch.setattr(index_source, "_KEPT_LINES", 5)
    cache = FactsCache(repository.places.facts)
    known = known_files(repository.store.read(), repository.store.project_id)
    source = index_source.FileSource(repository.root, cache, known, 1_000_000)
    assert source.paths() == ("app/__init__.py", "app/core.py", "main.py")
    for path in source.paths():
        assert source.facts(path).line_count >= 1
    assert len(source._kept) == 1
    assert source.language("main.py") == "python"
    assert source.config_text("pyproject.toml") is None
    cache.close()


def test_a_racy_stat_is_not_trusted(repository: Repository, root: Path) -> None:
    """Two writes within one tick of the clock and of the same length look alike; the second one is found."""
    put(root, "main.py", "from app import run\n\nrun(1)\n")
    stat = (root / "main.py").stat()
    repository.sync()
    put(root, "main.py", "from app import run\n\nrun(2)\n")
    os.utime(root / "main.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert repository.sync().changed == 1


def test_a_sync_of_an_empty_folder_is_done_at_once(tmp_path: Path) -> None:
    """An empty repository is no error, and is indexed afterwards."""
    (tmp_path / "empty").mkdir()
    start = time.monotonic()
    with Repository.open(tmp_path / "empty", cache_home=tmp_path / "home", settings=IndexSettings()) as repository:
        assert repository.sync().files == 0
        assert repository.is_indexed
        assert repository.store.verify() == []
    assert time.monotonic() - start < 30


def test_a_changed_workspace_file_alone_wakes_the_importers(tmp_path):
    """No script changed, and still the import leads to a file now, and to none again after."""
    root = tmp_path / "repo"
    for path, text in {
        "app/main.ts": "import { f } from 'core'\nexport function g() { return f() }\n",
        "libs/core/index.ts": "export function f() {}\n",
        "libs/core/package.json": '{"name": "core"}',
        "package.json": "{}",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    def calls(repository):
        repository.sync()
        statement = "SELECT COUNT(*) FROM edge WHERE kind = 'calls'"
        return repository.store.read().execute(statement).fetchone()[0]

    with Repository.open(root, cache_home=tmp_path / "cache") as repository:
        assert calls(repository) == 0
        for name, text in {
            "pnpm-workspace.yaml": "packages:\n  - 'libs/*'\n",
            "lerna.json": '{"packages": ["libs/*"]}',
        }.items():
            (root / name).write_text(text.replace("libs", "other"))
            assert calls(repository) == 0
            (root / name).write_text(text)
            assert calls(repository) == 1
            (root / name).unlink()
            assert calls(repository) == 0


def test_a_package_that_is_renamed_or_declares_a_workspace_wakes_the_importers(tmp_path):
    """Only its bytes changed, and files that never looked at it find another package by name, or none."""
    root = tmp_path / "repo"
    for path, text in {
        "app/main.ts": "import { f } from 'core'\nexport function g() { return f() }\n",
        "libs/core/index.ts": "export function f() {}\n",
        "libs/core/package.json": '{"name": "other"}',
        "package.json": '{"workspaces": ["libs/*"]}',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with Repository.open(root, cache_home=tmp_path / "cache") as repository:
        for path, text, wanted in (
            ("libs/core/package.json", '{"name": "core"}', 1),
            ("package.json", '{"workspaces": []}', 0),
            ("libs/package.json", '{"name": "libs", "private": true}', 0),
            ("libs/package.json", '{"name": "libs", "workspaces": ["core"]}', 1),
            ("libs/core/package.json", '{"name": "other"}', 0),
        ):
            (root / path).write_text(text)
            repository.sync()
            statement = "SELECT COUNT(*) FROM edge WHERE kind = 'calls'"
            assert repository.store.read().execute(statement).fetchone()[0] == wanted, (path, text)
        (root / "libs/core/package.json").write_text('{"name": "other", "version": "2"}')
        assert repository.sync().resolved == 0
        assert repository.verify(deep=True) == []


def test_the_first_script_of_a_package_wakes_the_importers(tmp_path):
    """Its package.json was there before, and counts from then on."""
    root = tmp_path / "repo"
    for path, text in {
        "app/main.ts": "import { f } from 'core/inner'\nexport function g() { return f() }\n",
        "libs/core/package.json": '{"name": "core", "exports": {"./*": "./src/*.ts"}}',
        "package.json": '{"workspaces": ["libs/*"]}',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    script = root / "libs/core/src/inner.ts"
    script.parent.mkdir()
    with Repository.open(root, cache_home=tmp_path / "cache") as repository:
        for wanted in (0, 1, 0):
            repository.sync()
            statement = "SELECT COUNT(*) FROM edge WHERE kind = 'calls'"
            assert repository.store.read().execute(statement).fetchone()[0] == wanted
            assert repository.verify(deep=True) == []
            if wanted:
                script.unlink()
            else:
                script.write_text("export function f() {}\n")
