"""`sync`, `status`, `dump`: the graph itself, from the command line."""

from __future__ import annotations

import sqlite3

import pytest


def database(repository):
    return repository / ".git" / "roteiro" / "graph.db"


def test_sync_builds_and_then_brings_up_to_date(roteiro, repository):
    """The second time nothing changed; after an edit one file did."""
    first = roteiro("sync", "--root", repository, "--json")
    assert first.code == 0
    assert first.json["indexed"] == 4  # three of Python, one of prose
    assert roteiro("sync", "--root", repository, "--json").json["changed"] == 0
    (repository / "shop" / "stock.py").write_text(
        "def reserve(item):\n    return True\n\n\ndef count():\n    return 1\n"
    )
    assert roteiro("sync", "--root", repository, "--json").json["changed"] == 1


def test_status_of_a_new_repository_says_that_there_is_no_index(roteiro, repository):
    """Exit code 1, and the command that helps."""
    ran = roteiro("status", "--root", repository)
    assert ran.code == 1
    assert "not indexed yet: run `roteiro sync`" in ran.out
    assert not database(repository).exists()


def test_status_counts_and_names_the_places(roteiro, repository):
    """For a person and for a program."""
    roteiro("sync", "--root", repository)
    ran = roteiro("status", "--root", repository, "--json")
    assert ran.code == 0
    assert ran.json["is_fresh"] is True
    assert ran.json["counts"]["files"] == 4
    assert ran.json["places"]["store"]["path"] == str(database(repository))
    assert "up to date" in roteiro("status", "--root", repository).out


def test_status_says_how_far_behind_the_index_is(roteiro, repository):
    """Without doing anything about it."""
    roteiro("sync", "--root", repository)
    (repository / "new.py").write_text("x = 1\n")
    ran = roteiro("status", "--root", repository, "--json")
    assert (ran.json["is_fresh"], ran.json["changed_files"]) == (False, 1)


def test_dump_holds_the_calls_that_callers_shows(roteiro, repository):
    """Nodes and edges by id."""
    graph = roteiro("dump", "--root", repository).json
    names = {node["id"]: node["name"] for node in graph["nodes"]}
    calls = {(names[edge["src"]], names[edge["dst"]]) for edge in graph["edges"] if edge["kind"] == "calls"}
    assert calls == {("place", "reserve")}


def test_a_query_indexes_first_and_says_so(roteiro, repository):
    """A newcomer need not know about sync."""
    ran = roteiro("callers", "reserve", "--root", repository, "--json")
    assert ran.code == 0
    assert ran.err.startswith(f"indexing {repository} (the first time)")
    assert [call["name"] for call in ran.json["calls"]] == ["place"]


def test_a_query_sees_what_was_just_written(roteiro, repository):
    """A stale index is refreshed before it answers."""
    roteiro("sync", "--root", repository)
    (repository / "late.py").write_text("from shop.stock import reserve\n\n\ndef late():\n    reserve('x')\n")
    ran = roteiro("callers", "reserve", "--root", repository, "--json")
    assert [call["name"] for call in ran.json["calls"]] == ["place", "late"]


def test_a_corrupt_store_is_told_and_rebuilt_on_request(roteiro, repository):
    """Nothing is lost: the graph comes from the files."""
    roteiro("sync", "--root", repository)
    database(repository).write_bytes(b"not a database at all" * 500)
    ran = roteiro("search", "place", "--root", repository)
    assert ran.code == 1
    assert ran.err.startswith("roteiro: ")
    assert "--rebuild" in ran.err
    assert roteiro("sync", "--rebuild", "--root", repository).code == 0
    assert roteiro("search", "place", "--root", repository).code == 0


def test_a_store_of_a_newer_roteiro_is_left_as_it_is(roteiro, repository):
    """It is named, and not one byte changes."""
    roteiro("sync", "--root", repository)
    with sqlite3.connect(database(repository)) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = database(repository).read_bytes()
    ran = roteiro("search", "place", "--root", repository)
    assert ran.code == 1
    assert "newer Roteiro" in ran.err
    assert database(repository).read_bytes() == before


@pytest.mark.parametrize("command", [["sync"], ["overview"], ["search", "x"], ["status"]])
def test_an_empty_folder_is_no_error_of_the_program(roteiro, tmp_path, command):
    """Not a repository, nothing in it: an answer, never a traceback."""
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = roteiro(*command, "--root", empty)
    assert ran.code in {0, 1}
    assert "Traceback" not in ran.err
    if command == ["sync"]:
        assert "is this the right folder?" in ran.out


def test_a_folder_without_git_keeps_its_store_beside_the_files(roteiro, tmp_path):
    """In a folder that ignores itself."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("def lonely():\n    pass\n")
    assert roteiro("search", "lonely", "--root", tmp_path / "plain").code == 0
    assert (tmp_path / "plain" / ".roteiro" / ".gitignore").read_text() == "*\n"


def test_status_lists_what_was_left_out_and_why(roteiro, repository):
    """On request: there may be thousands."""
    (repository / "app.min.js").write_text("x=1")
    (repository / ".env").write_text("KEY=1\n")
    (repository / ".roteiroignore").write_text("shop/stock.py\n")
    roteiro("sync", "--root", repository)
    rows = roteiro("status", "--skipped", "--root", repository, "--json").json["skipped"]
    listed = {row["path"]: row["reason"] for row in rows}
    assert listed[".env"] == "may hold a secret"
    assert listed["shop/stock.py"] == "excluded by .roteiroignore"
    assert listed["app.min.js"].startswith("minified")
    assert "shop/stock.py  excluded by .roteiroignore" in roteiro("status", "--skipped", "--root", repository).out
    assert roteiro("status", "--root", repository, "--json").json["skipped"] == []


def test_status_says_when_nothing_was_left_out(roteiro, repository):
    """Not an empty end that looks like a fault."""
    roteiro("sync", "--root", repository)
    assert "no file was left out" in roteiro("status", "--skipped", "--root", repository).out


def test_files_without_a_language_of_ours_are_counted(roteiro, tmp_path):
    """They are not lost: the person learns that they were seen."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "notes.txt").write_text("milk\n")
    assert "1 is listed without one" in roteiro("sync", "--root", folder).out
    assert "1 without a language of ours" in roteiro("status", "--root", folder).out
