"""The repository at a glance."""

from graph.overview import describe_repository
from graph.store import Store


def test_counts_are_those_of_the_store(shop):
    """Files, symbols, calls and what no rule resolved."""
    found = describe_repository(shop)
    assert (found.files, found.skipped, found.calls, found.candidates) == (5, 1, 8, 1)


def test_packages_come_by_size_and_tests_last(shop):
    """A reader meets the sources first."""
    found = describe_repository(shop)
    assert [one.path for one in found.packages] == ["src/shop", "tests"]


def test_entry_points_are_files_and_functions_by_custom(shop):
    """`main.py` and the function `main` in it."""
    assert [one.name for one in describe_repository(shop).entry_points] == ["main.py", "main"]


def test_hotspots_count_distinct_callers_outside_tests(shop):
    """The recursive call counts as one."""
    found = describe_repository(shop).hotspots
    assert [(one.qualname, one.callers) for one in found[:2]] == [("price", 2), ("Cart", 1)]


def test_an_empty_store_has_an_empty_overview(tmp_path):
    """Nothing fails before anything is indexed."""
    store = Store.open(tmp_path / "graph.db", root=tmp_path, create=True)
    found = describe_repository(store)
    store.close()
    assert (found.files, found.hotspots, found.packages) == (0, (), ())
