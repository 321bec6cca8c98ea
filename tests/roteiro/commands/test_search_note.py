"""That search goes by words alone is said once on stderr, and in `status`, with what to do."""

from __future__ import annotations

import pytest

from graph.search import embedding


@pytest.fixture
def absent(monkeypatch):
    """Take the vectors away, where they are installed."""
    monkeypatch.setattr(embedding, "_installed", lambda: None)
    embedding.embedder.cache_clear()
    yield
    embedding.embedder.cache_clear()


def test_without_vectors_sync_and_status_say_so(roteiro, repository, absent):
    """And search says nothing of it."""
    assert "Install `roteiro[semantic]`" in roteiro("sync", "--root", repository).err
    assert "Install `roteiro[semantic]`" in roteiro("status", "--root", repository).out
    assert "Install" in roteiro("status", "--root", repository, "--json").json["search_note"]
    searched = roteiro("search", "reserve", "--root", repository)
    assert "semantic" not in searched.err + searched.out


def test_a_term_to_leave_out_may_begin_the_query(roteiro, repository):
    """Behind `--`, as everywhere."""
    roteiro("sync", "--root", repository)
    ran = roteiro("search", "--root", repository, "--json", "--", "-total", "reserve")
    assert ran.code == 0
    assert ran.json["results"][0]["name"] == "reserve"
