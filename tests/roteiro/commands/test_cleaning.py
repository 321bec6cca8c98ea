"""`clean`: what may be deleted, after a yes."""

from __future__ import annotations


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
