"""The store opens, migrates, isolates readers from the writer, and says what is wrong with it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from graph import store as store_module
from graph.errors import StoreCorruptError, StoreError, StoreNewerError
from graph.schema import SCHEMA_VERSION
from graph.store import Store, delete_database, snapshot
from graph.store_connection import connected


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graph.db"


@pytest.fixture
def store(path: Path, tmp_path: Path):
    opened = Store.open(path, root=tmp_path, create=True)
    yield opened
    opened.close()


def add_file(store: Store, name: str) -> int:
    with store.write() as connection:
        row = connection.execute(
            "INSERT INTO file(project, path, status) VALUES (?, ?, 'other') RETURNING id", (store.project_id, name)
        )
        return int(row.fetchone()[0])


def test_a_missing_store_is_created_only_on_request(path: Path, tmp_path: Path) -> None:
    """A reader of a repository without an index is told to sync, and leaves nothing behind."""
    with pytest.raises(StoreError, match="not indexed yet"):
        Store.open(path, root=tmp_path, create=False)
    assert not path.exists()


def test_a_new_store_has_the_newest_tables_and_its_project(store: Store, path: Path) -> None:
    """Migrations run in order, the version is kept in the file."""
    assert store.read().execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert store.read().execute("SELECT id, name FROM project").fetchall() == [(store.project_id, "default")]
    assert store.verify() == []


def test_migrations_run_only_from_the_version_of_the_file(
    store: Store, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older store keeps its rows and gets what is new; a migration that fails leaves it as it was."""
    add_file(store, "kept.py")
    store.close()
    broken = (*store_module.MIGRATIONS, "CREATE TABLE extra (x);\nCREATE TABLE extra (x);")
    monkeypatch.setattr(store_module, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    monkeypatch.setattr(store_module, "MIGRATIONS", broken)
    with pytest.raises(StoreError, match="already exists"):
        Store.open(path, root=tmp_path, create=True)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    connection.close()
    monkeypatch.setattr(store_module, "MIGRATIONS", (*store_module.MIGRATIONS[:-1], "CREATE TABLE extra (x);"))
    reopened = Store.open(path, root=tmp_path, create=False)
    assert reopened.read().execute("SELECT path FROM file").fetchall() == [("kept.py",)]
    assert reopened.read().execute("SELECT * FROM extra").fetchall() == []
    reopened.close()


def test_a_newer_store_is_refused_and_untouched(store: Store, path: Path, tmp_path: Path) -> None:
    """Not a byte changes, so the newer Roteiro finds everything as it left it."""
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 7}")
    connection.close()
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(StoreNewerError, match="newer Roteiro"):
            Store.open(path, root=tmp_path, create=create)
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_store_says_how_to_replace_it(path: Path, tmp_path: Path, damage: bytes) -> None:
    """Damage is never repaired: the files can be read again."""
    path.write_bytes(damage)
    with pytest.raises(StoreCorruptError, match="roteiro sync --rebuild"):
        Store.open(path, root=tmp_path, create=True)


def test_damage_in_the_middle_is_found_by_verify(store: Store, path: Path, tmp_path: Path) -> None:
    """A page overwritten after the store was opened is a problem in words, not a traceback."""
    for number in range(300):
        add_file(store, f"{number}.py")
    store.shrink()
    store.close()
    data = bytearray(path.read_bytes())
    third = len(data) // 3
    data[-third:] = b"\x5a" * third
    path.write_bytes(data)
    reopened = Store.open(path, root=tmp_path, create=False)
    assert reopened.verify()
    reopened.close()


def test_a_reader_sees_the_store_as_it_was_until_the_commit(store: Store) -> None:
    """Nothing of a running sync shows, and readers do not wait for it."""
    count = "SELECT count(*) FROM file"
    with store.write() as connection:
        connection.execute("INSERT INTO file(project, path, status) VALUES (?, 'a', 'other')", (store.project_id,))
        assert store.read().execute(count).fetchone() == (0,)
    assert store.read().execute(count).fetchone() == (1,)


def test_an_exception_rolls_everything_back(store: Store) -> None:
    """Ctrl-C in the middle of a write leaves the store as it was."""
    with suppress(KeyboardInterrupt), store.write() as connection:
        connection.execute("INSERT INTO file(project, path, status) VALUES (?, 'a', 'other')", (store.project_id,))
        raise KeyboardInterrupt
    assert store.read().execute("SELECT count(*) FROM file").fetchone() == (0,)
    add_file(store, "b.py")


def test_a_reader_cannot_write(store: Store) -> None:
    """A query that would change something is refused by SQLite itself."""
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.read().execute("DELETE FROM project")


def test_each_thread_reads_by_its_own_connection(store: Store) -> None:
    """Connections of ended threads are closed when the next one comes."""
    seen: list[sqlite3.Connection] = []
    for _ in range(5):
        thread = threading.Thread(target=lambda: seen.append(store.read()))
        thread.start()
        thread.join()
    assert len(set(map(id, seen))) == 5
    assert len(store._readers) == 1


def test_a_replaced_database_is_opened_anew(store: Store, path: Path, tmp_path: Path) -> None:
    """Another process may have replaced a damaged store."""
    add_file(store, "old.py")
    assert store.read().execute("SELECT path FROM file").fetchone() == ("old.py",)
    store.shrink()
    other = Store.open(tmp_path / "other.db", root=tmp_path, create=True)
    add_file(other, "new.py")
    other.shrink()
    other.close()
    (tmp_path / "other.db").replace(path)
    assert store.read().execute("SELECT path FROM file").fetchone() == ("new.py",)


def test_opening_for_reading_does_not_wait_for_a_writer(store: Store, path: Path, tmp_path: Path) -> None:
    """A sync may hold the write lock for half a minute; a query opens the store at once."""
    with store.write():
        reader = Store.open(path, root=tmp_path, create=False)
        assert reader.project_id == store.project_id
        reader.close()


def test_two_writers_wait_and_then_say_so(store: Store, path: Path, tmp_path: Path, monkeypatch) -> None:
    """The second one gives up with a message that says what is going on."""
    monkeypatch.setattr(store_module, "_BUSY_MS", 50)
    other = Store.open(path, root=tmp_path, create=False)
    with (
        store.write(),
        pytest.raises(StoreError, match="being written by another process"),
        other.write(),
    ):
        pass
    other.close()


def test_projects_share_a_store_and_not_their_rows(store: Store, path: Path, tmp_path: Path) -> None:
    """Every row belongs to a project."""
    other = Store.open(path, project="second", root=tmp_path / "elsewhere", create=True)
    add_file(store, "same.py")
    add_file(other, "same.py")
    assert other.project_id != store.project_id
    assert [row[1] for row in snapshot(other) if row[0] == "file"] == ["same.py"]
    other.close()


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE node SET parent = 'sym:nothing'", "parent"),
        ("UPDATE file SET status = 'skipped'", "not indexed"),
        ("DELETE FROM node", "without a node"),
        ("UPDATE edge SET confidence = 2", "confidence"),
        ("UPDATE edge SET file = 77", "gone"),
        ("DELETE FROM search_file", "search does not know"),
        ("INSERT INTO search_document(id, file, node) VALUES (99, 1, 99)", "search documents"),
        ("UPDATE search_file SET file = 50", "texts of files"),
    ],
)
def test_verify_names_each_kind_of_disagreement(store: Store, statement: str, problem: str) -> None:
    """A consistent store has no problems; each break of a rule is found."""
    file_id = add_file(store, "a.py")
    with store.write() as connection:
        connection.execute("UPDATE file SET status = 'indexed'")
        connection.execute(
            "INSERT INTO node(project, file, key, kind, name, qualname, start_line, end_line) "
            "VALUES (?, ?, 'file:a.py', 'file', 'a.py', 'a.py', 0, 1)",
            (store.project_id, file_id),
        )
        connection.execute("INSERT INTO search_file(file, text, documents) VALUES (?, x'00', x'00')", (file_id,))
        connection.execute("INSERT INTO search_document(id, file, node) VALUES (1, ?, 1)", (file_id,))
        connection.execute(
            "INSERT INTO edge VALUES (?, 1, 1, 'calls', ?, 'derived', 1.0, '1')", (store.project_id, file_id)
        )
    assert store.verify() == []
    raw = sqlite3.connect(store.path, isolation_level=None)
    raw.execute(statement)
    raw.close()
    assert any(problem in found for found in store.verify())


def test_deleting_a_database_takes_its_logs_along(path: Path) -> None:
    """A log left behind would be replayed into the next database of that name."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).write_bytes(b"x")
    delete_database(path)
    assert list(path.parent.iterdir()) == []
    delete_database(path)


def test_a_store_may_be_created_by_many_at_once(tmp_path: Path) -> None:
    """An editor that starts three servers in a new repository meets no lock."""
    failures: list[BaseException] = []

    def create(path: Path, barrier: threading.Barrier) -> None:
        try:
            barrier.wait(30)
            Store.open(path, root=tmp_path, create=True).close()
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            failures.append(error)

    for number in range(8):
        barrier = threading.Barrier(6)
        path = tmp_path / f"{number}.db"
        threads = [threading.Thread(target=create, args=(path, barrier)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert failures == []


def test_a_store_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    """SQLite does not wait for whoever switches to the write-ahead log at the same moment, so the store does."""
    path = tmp_path / "graph.db"
    Store.open(path, root=tmp_path, create=True).close()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.2, other.close)
    release.start()
    connection = connected(path, mode="rw", timeout_s=0)
    store_module._enter_wal(connection)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    release.join()


def test_damage_in_the_middle_is_told_by_every_way_of_reading(store: Store, path: Path, tmp_path: Path) -> None:
    """A damaged page is met in the first step or in a later one; each says how to replace the store."""
    for number in range(300):
        add_file(store, f"{number}.py")
    store.shrink()
    store.close()
    data = bytearray(path.read_bytes())
    third = len(data) // 3
    data[-third:] = b"\x5a" * third
    path.write_bytes(data)
    reopened = Store.open(path, root=tmp_path, create=False)
    everything = "SELECT path, status FROM file ORDER BY size, path"
    ways = (
        lambda rows: rows.fetchone(),
        lambda rows: rows.fetchall(),
        lambda rows: rows.fetchmany(1000),
        list,
        next,
    )
    for read in ways:
        with pytest.raises(StoreCorruptError, match="roteiro sync --rebuild"):
            read(reopened.read().execute(everything))
    assert reopened.is_damaged()
    reopened.close()


def test_bytes_that_are_no_text_are_damage(store: Store) -> None:
    """SQLite does not check text; Python does when it reads it."""
    with store.write() as connection:
        connection.execute("UPDATE project SET built_commit = CAST(x'ff00ff' AS TEXT)")
    with pytest.raises(StoreCorruptError):
        store.read().execute("SELECT built_commit FROM project").fetchall()


def test_an_interrupted_query_and_a_wrong_statement_keep_their_errors(store: Store) -> None:
    """Neither is damage: a deadline is handled by its caller, a mistake in a statement is ours."""
    connection = store.read()
    connection.set_progress_handler(lambda: 1, 1)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connection.execute("SELECT count(*) FROM project").fetchall()
    connection.set_progress_handler(None, 0)
    with pytest.raises(sqlite3.OperationalError, match="syntax"):
        connection.execute("SELEKT 1")


def test_a_deleted_database_is_noticed_and_not_made_anew_by_reading(store: Store, path: Path) -> None:
    """Only a writer creates a store."""
    assert store.is_current
    delete_database(path)
    assert not store.is_current
    with pytest.raises(StoreError, match="roteiro sync"):
        store.read()
    assert not path.exists()
