"""What a change reaches."""

import pytest

from graph.impact import impact_of_key, impact_of_symbols


def _reached(answer):
    return {one.qualname: (one.distance, one.edge) for one in answer.reached}


def test_callers_are_followed_step_by_step(shop):
    """Each at its smallest distance, by the edge that leads there."""
    assert _reached(impact_of_key(shop, "tax", depth=2)) == {
        "price": (1, "calls"),
        "Cart.total": (2, "calls"),
        "helper": (2, "calls"),
        "test_price": (2, "calls"),
    }


def test_a_class_stands_for_what_is_in_it(shop):
    """Its subclasses, the callers of its methods, what overrides them."""
    answer = impact_of_key(shop, "Cart", depth=1)
    assert _reached(answer) == {
        "GiftCart": (1, "inherits"),
        "GiftCart.total": (1, "overrides"),
        "helper": (1, "calls"),
        "main": (1, "calls"),
    }
    assert answer.changed == 1


def test_a_method_is_reached_through_the_one_it_overrides(shop):
    """A call of the base may run it; its siblings are not touched."""
    assert _reached(impact_of_key(shop, "GiftCart.total", depth=1)) == {"helper": (1, "calls")}


def test_files_that_import_a_changed_one_are_listed_and_not_followed(shop):
    """Who uses its names is found by the edges of those names."""
    reached = _reached(impact_of_key(shop, "src/shop/cart.py", depth=5))
    assert reached["src/shop/main.py"] == (1, "imports")
    assert reached["main"] == (1, "calls")


def test_the_importers_of_a_file_that_only_uses_the_changed_one_are_not_reached(shop):
    """Else everything would be, by way of the packages that import everything."""
    with shop.write() as connection:
        connection.execute(
            "INSERT INTO edge SELECT s.project, s.id, d.id, 'references', s.file, 'derived', 1.0, '1' "
            "FROM node AS s, node AS d WHERE s.qualname = 'src/shop/cart.py' AND d.qualname = 'test_price'"
        )
    assert _reached(impact_of_key(shop, "test_price", depth=5)) == {"src/shop/cart.py": (1, "references")}


def test_the_line_of_a_constructor_stands_on_the_edge_to_its_class(shop):
    """What is written there is the name of the class."""
    with shop.write() as connection:
        connection.execute(
            "UPDATE edge SET lines = '' WHERE dst = (SELECT id FROM node WHERE qualname = 'Cart.__init__')"
        )
        connection.execute(
            "INSERT INTO edge SELECT s.project, s.id, d.id, 'calls', s.file, 'derived', 1.0, '26' "
            "FROM node AS s, node AS d WHERE s.qualname = 'helper' AND d.qualname = 'Cart'"
        )
    (helper,) = impact_of_key(shop, "Cart.__init__", depth=1).reached
    assert helper.lines == (26,)


def test_a_page_knows_the_whole(shop):
    """Totals are of the list, not of the page."""
    page = impact_of_key(shop, "tax", depth=2, limit=1, cursor="1")
    assert ([one.name for one in page.reached], page.total, page.cursor) == (["total"], 4, "2")
    assert (page.files, page.tests, page.by_distance) == (2, 1, {1: 1, 2: 3})


@pytest.mark.parametrize("keys", [[], ["sym:python:gone.py#gone"]])
def test_changes_that_are_gone_reach_nothing(shop, keys):
    """They have no edges any more."""
    assert impact_of_symbols(shop, keys, base="HEAD").total == 0


def test_several_changes_reach_what_any_of_them_reaches(shop):
    """A changed symbol is not reached by another."""
    keys = ["sym:python:src/shop/cart.py#tax", "sym:python:src/shop/cart.py#price"]
    answer = impact_of_symbols(shop, keys, base="HEAD", depth=1)
    assert _reached(answer).keys() == {"Cart.total", "helper", "test_price"}
    assert [symbol.name for symbol in answer.of] == ["price", "tax"]
