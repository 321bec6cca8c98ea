"""The text index follows the files: incremental equals cold, and nothing is left of what is gone."""

from __future__ import annotations

import random
import sqlite3

from graph.search.indexing import SEARCH_VERSION, read_file, remove
from graph.search.search import search


def rows(repository):
    """Return every entry of the inverted index with its document named by path and key instead of by id."""
    connection = sqlite3.connect(
        repository.store.path
    )  # our own: a reader of the store may not make even a temporary table
    named = dict(
        connection.execute(
            "SELECT d.id, f.path || ' ' || n.key FROM search_document d JOIN node n ON n.id = d.node "
            "JOIN file f ON f.id = d.file"
        )
    )
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.entry USING fts5vocab('main', 'search_text', 'instance')"
    )
    entries = connection.execute("SELECT term, doc, col, offset FROM temp.entry")
    found = sorted((named[document], column, offset, term) for term, document, column, offset in entries)
    connection.close()
    return found


def test_an_index_changed_step_by_step_equals_one_built_anew(make_repository, files):
    """After edits, deletions and new files the rows are those of a cold build."""
    changing = make_repository(files)
    choice = random.Random(7)  # noqa: S311 - a fixed walk, not a secret
    current = dict(files)
    for step in range(6):
        path = choice.choice(sorted(path for path in current if path.endswith(".py")))
        action = choice.choice(("edit", "delete", "add"))
        if action == "delete" and len(current) > 3:
            del current[path]
            (changing.root / path).unlink()
        else:
            target = path if action == "edit" else f"src/app/new_{step}.py"
            current[target] = current[path] + f"\n\ndef step_{step}():\n    return {step}\n"
            (changing.root / target).write_text(current[target])
        changing.sync()
    assert rows(changing) == rows(make_repository(current))


def test_what_was_removed_is_no_longer_found(make_repository):
    """A deleted file leaves no entry, no document and no text."""
    repository = make_repository({"a.py": "def kept():\n    pass\n", "b.py": "def vanishing():\n    pass\n"})
    (repository.root / "b.py").unlink()
    repository.sync()
    assert search(repository.store, "vanishing").hits == ()
    assert all("b.py" not in row[0] for row in rows(repository))
    connection = repository.store.read()
    assert connection.execute("SELECT count(*) FROM search_file").fetchone() == (1,)


def test_removing_what_is_not_there_changes_nothing(make_repository, files):
    """Unknown file ids are passed over."""
    repository = make_repository(files)
    before = rows(repository)
    with repository.store.write() as connection:
        remove(connection, repository.store.project_id, [987_654])
    assert rows(repository) == before


def test_the_body_of_a_class_is_its_own_lines_and_the_names_of_its_members(repository):
    """A method's words belong to the method; the class keeps their names."""
    connection = repository.store.read()
    (file_id,) = connection.execute("SELECT id FROM file WHERE path = 'src/app/sessions.py'").fetchone()
    found = read_file(connection, file_id)
    assert found is not None
    text, documents = found
    by_name = {document.qualname: document for document in documents}
    own = by_name["CookieSession"]
    shown = "\n".join("\n".join(text.split("\n")[start - 1 : end]) for start, end in own.lines)
    assert "signed cookie" in shown
    assert "URLSafeTimedSerializer" not in shown
    assert own.members == "salt get_signing_serializer open_session"


def test_a_file_that_is_not_utf8_is_indexed_all_the_same(make_repository):
    """Bytes that are no text become marks; the names are found."""
    repository = make_repository({"ok.py": "x = 1\n"})
    (repository.root / "latin.py").write_bytes(b"def caf\xe9_opens():\n    pass\n\n\ndef other_door():\n    pass\n")
    repository.sync()
    page = search(repository.store, "other_door")
    assert [hit.path for hit in page.hits][:1] in (["latin.py"], [])


def test_the_version_is_part_of_the_promise(repository):
    """A change of any row needs another version: these are the terms of version 1."""
    assert SEARCH_VERSION == 1
    entries = [row for row in rows(repository) if row[0].endswith("#login_required")]
    assert [(column, term) for _, column, _, term in entries if column in {"name", "parts"}] == [
        ("name", "loginrequired"),
        ("name", "login"),
        ("name", "requir"),
        ("parts", "loginrequired"),
        ("parts", "login"),
        ("parts", "requir"),
    ]
