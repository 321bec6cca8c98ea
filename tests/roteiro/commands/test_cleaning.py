"""`clean`: what may be deleted, after a yes."""

from __future__ import annotations

from roteiro.folders import cache_folder


def test_cleaning_needs_a_yes(roteiro, repository):
    """Without a terminal nothing is deleted."""
    roteiro("sync", "--root", repository)
    ran = roteiro("clean", "--root", repository)
    assert ran.code == 2
    assert "Pass --yes" in ran.err
    assert (repository / ".git" / "roteiro" / "graph.db").exists()


def test_the_index_goes_and_comes_back_with_the_next_sync(roteiro, repository):
    """Files of the repository are never touched."""
    roteiro("sync", "--root", repository)
    before = (repository / "shop" / "orders.py").read_text()
    ran = roteiro("clean", "--yes", "--root", repository, "--json")
    assert ran.code == 0
    assert ran.json["bytes"] > 0
    assert not (repository / ".git" / "roteiro").exists()
    assert (repository / "shop" / "orders.py").read_text() == before
    assert roteiro("sync", "--root", repository).code == 0


def test_models_stay_unless_they_are_named(roteiro, repository, tmp_path):
    """A gigabyte is not fetched twice by accident."""
    models = tmp_path / "xdg-data" / "roteiro" / "models"
    models.mkdir(parents=True)
    (models / "some.gguf").write_bytes(b"GGUF")
    (models / "half.gguf.part").write_bytes(b"GG")
    roteiro("clean", "--yes", "--root", repository)
    assert (models / "some.gguf").exists()
    assert not (models / "half.gguf.part").exists()
    roteiro("clean", "--models", "--yes", "--root", repository)
    assert not models.exists()


def test_indexes_of_other_repositories_stay_unless_all_are_named(roteiro, repository):
    """Cleaning up here must not cost minutes elsewhere."""
    roteiro("sync", "--root", repository)
    other = cache_folder() / "stores" / "django-0123"
    other.mkdir(parents=True)
    (other / "graph.db").write_bytes(b"x" * 1000)
    roteiro("clean", "--yes", "--root", repository)
    assert other.exists()
    ran = roteiro("clean", "--yes", "--all", "--root", repository)
    assert str(other) in ran.err
    assert not other.exists()


def test_what_lies_inside_another_place_is_counted_once(roteiro, repository):
    """The shared cache of facts is a folder inside of the store's."""
    roteiro("sync", "--root", repository)
    store = repository / ".git" / "roteiro"
    size = sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
    ran = roteiro("clean", "--yes", "--root", repository, "--json")
    assert ran.json["deleted"].count(str(store)) == 1
    assert str(store / "blobs") not in ran.json["deleted"]
    assert size <= ran.json["bytes"] < 2 * size


def test_a_running_server_of_this_repository_is_named(roteiro, repository, monkeypatch):
    """It goes on, and has to index again."""
    monkeypatch.setattr("roteiro.serving_record.find_server", lambda _root, _address: "127.0.0.1:9")
    roteiro("sync", "--root", repository)
    assert "runs at http://127.0.0.1:9" in roteiro("clean", "--yes", "--root", repository).err
