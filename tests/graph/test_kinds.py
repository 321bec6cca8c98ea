"""The symbols of a kind."""

import pytest

from graph.kinds import list_kind


def test_tests_are_a_kind_to_ask_for(shop):
    """Though a test is stored as a function."""
    assert [symbol.name for symbol in list_kind(shop, "test").symbols] == ["test_price"]


def test_a_list_is_paged_by_place(shop):
    """By path and line, so that pages do not overlap."""
    names = []
    cursor = ""
    while True:
        page = list_kind(shop, "function", limit=2, cursor=cursor)
        names += [symbol.name for symbol in page.symbols]
        cursor = page.cursor
        if not cursor:
            break
    assert names == ["price", "tax", "helper", "main", "test_price"]
    assert page.total == 5


@pytest.mark.parametrize(
    ("path", "count"), [("src/shop", 4), ("src/shop/", 4), ("src/sho", 0), ("./tests", 1), ("", 5)]
)
def test_a_path_is_a_whole_folder_or_file(shop, path, count):
    """A prefix of a name is none."""
    assert list_kind(shop, "function", path=path).total == count
