"""The markers of owed work."""

import pytest

from graph.debt import debt
from graph.errors import ArgumentError


@pytest.fixture
def owing(shop):
    """Give the small store with four markers."""
    with shop.write() as connection:
        for path, category, line, text in (
            ("src/shop/cart.py", "TODO", 8, "round it"),
            ("src/shop/cart.py", "FIXME", 20, "between symbols"),
            ("src/shop/cart.py", "TODO", 17, "currencies"),
            ("tests/test_cart.py", "HACK", 2, "none"),
        ):
            (file_id,) = connection.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
            connection.execute("INSERT INTO marker VALUES (?, ?, ?, ?)", (file_id, category, line, text))
    return shop


def test_markers_come_by_place_with_the_symbol_around(owing):
    """The file where nothing smaller is around."""
    found = debt(owing)
    assert [(marker.start_line, marker.category, marker.name) for marker in found.markers] == [
        (8, "TODO", "Cart.total"),
        (17, "TODO", "price"),
        (20, "FIXME", "src/shop/cart.py"),
        (2, "HACK", "test_price"),
    ]
    assert found.counts == {"TODO": 2, "FIXME": 1, "HACK": 1}


def test_categories_and_a_path_narrow_the_list(owing):
    """Counts are of every category there, so that a reader sees what was left out."""
    found = debt(owing, "todo, hack", path="src")
    assert (found.total, found.categories) == (2, ("HACK", "TODO"))
    assert found.counts == {"TODO": 2, "FIXME": 1}


def test_markers_are_paged(owing):
    """The cursor counts what came before."""
    first = debt(owing, limit=3)
    assert (first.cursor, len(first.markers)) == ("3", 3)
    assert [marker.category for marker in debt(owing, limit=3, cursor=first.cursor).markers] == ["HACK"]


def test_an_unknown_category_is_refused_with_those_that_exist(owing):
    """Not taken for one without markers."""
    with pytest.raises(ArgumentError, match=r"no category 'BUG'.*FIXME, HACK, TODO, XXX"):
        debt(owing, "BUG")
