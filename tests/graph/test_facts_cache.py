"""The cache of facts forgives everything."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graph import facts_cache
from graph.extract.facts import Facts
from graph.facts_cache import FactsCache, decoded, encoded

_BLOB = "ab" * 20
_FACTS = Facts(language="python", line_count=3, doc="text")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "facts.db"


def row_count(path: Path) -> int:
    connection = sqlite3.connect(path)
    count = connection.execute("SELECT count(*) FROM facts").fetchone()[0]
    connection.close()
    return count


def test_facts_come_back_as_they_were_put(path: Path) -> None:
    """Also in another connection, and only for the same blob and language."""
    cache = FactsCache(path)
    cache.put([(_BLOB, "python", encoded(_FACTS))])
    cache.close()
    again = FactsCache(path)
    assert again.get(_BLOB, "python") == _FACTS
    assert again.get(_BLOB, "tsx") is None
    assert again.get("cd" * 20, "python") is None
    again.close()


def test_another_version_is_a_miss_and_is_pruned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed extractor never sees what its predecessor said."""
    cache = FactsCache(path)
    cache.put([(_BLOB, "python", encoded(_FACTS))])
    monkeypatch.setattr(facts_cache, "EXTRACT_VERSION", 999)
    assert cache.get(_BLOB, "python") is None
    cache.prune()
    assert cache._connection.execute("SELECT count(*) FROM facts").fetchone() == (0,)
    cache.close()


def test_a_damaged_row_is_a_miss(path: Path) -> None:
    """A flipped bit is found by the checksum."""
    data = bytearray(encoded(_FACTS))
    data[-1] ^= 1
    cache = FactsCache(path)
    cache.put([(_BLOB, "python", bytes(data))])
    assert cache.get(_BLOB, "python") is None
    assert decoded(b"") is None
    cache.close()


def test_a_damaged_file_is_replaced(path: Path) -> None:
    """The cache starts anew instead of ending the sync."""
    path.write_bytes(b"no database" * 1000)
    cache = FactsCache(path)
    cache.put([(_BLOB, "python", encoded(_FACTS))])
    cache.close()
    assert row_count(path) == 1


def test_a_place_that_cannot_be_written_is_a_cache_in_memory(tmp_path: Path) -> None:
    """The sync goes on, only slower next time."""
    cache = FactsCache(tmp_path / "absent" / "facts.db")
    cache.put([(_BLOB, "python", encoded(_FACTS))])
    assert cache.get(_BLOB, "python") == _FACTS
    cache.close()


def test_a_cache_past_its_size_forgets_the_oldest_half(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It never grows without bound."""
    cache = FactsCache(path)
    cache.put([(f"{number:040x}", "python", encoded(_FACTS)) for number in range(10)])
    monkeypatch.setattr(facts_cache, "_MAX_BYTES", 10)
    cache.prune()
    assert cache.get(f"{0:040x}", "python") is None
    assert cache.get(f"{9:040x}", "python") == _FACTS
    cache.close()
