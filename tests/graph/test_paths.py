"""How two symbols are connected."""

import pytest

from graph.errors import ArgumentError, KeyNotFoundError
from graph.paths import find_path


def _shown(path):
    return [(hop.source.qualname, hop.kind, hop.forward, hop.target.qualname) for hop in path.hops]


def test_a_leads_to_b_by_the_shortest_chain(shop):
    """Each hop with its kind, lines and provenance."""
    path = find_path(shop, "helper", "tax")
    assert path.relation == "forward"
    assert _shown(path) == [("helper", "calls", True, "price"), ("price", "calls", True, "tax")]
    assert [(hop.lines, hop.provenance) for hop in path.hops] == [((29,), "derived"), ((18,), "derived")]


def test_the_other_direction_is_found_and_said(shop):
    """`from` does not lead to `to`, but `to` leads to `from`."""
    path = find_path(shop, "tax", "helper")
    assert path.relation == "backward"
    assert _shown(path)[0] == ("helper", "calls", True, "price")


def test_what_is_in_a_class_counts_as_the_class(shop):
    """A class leads where its methods lead."""
    path = find_path(shop, "Cart", "tax")
    assert _shown(path) == [("Cart.total", "calls", True, "price"), ("price", "calls", True, "tax")]


def test_two_that_share_a_caller_meet_there(shop):
    """Neither leads to the other; the answer shows what they have in common."""
    path = find_path(shop, "main", "helper")
    assert path.relation == "meeting"
    assert _shown(path) == [
        ("main", "calls", True, "Cart"),
        ("Cart", "contains", True, "Cart.__init__"),
        ("Cart.__init__", "calls", False, "helper"),
    ]


def test_an_inner_symbol_is_connected_by_containment(shop):
    """A method is in its class."""
    path = find_path(shop, "Cart.total", "src/shop/cart.py")
    assert path.relation == "meeting"
    assert [hop.kind for hop in path.hops] == ["contains", "contains"]


def test_no_path_within_the_bound_says_so(shop):
    """The reason names the bound."""
    path = find_path(shop, "helper", "tax", max_hops=1)
    assert path.relation != "forward"
    path = find_path(shop, "test_price", "main", max_hops=1)
    assert (path.relation, path.hops) == ("none", ())
    assert "within 1 hop" in path.reason


def test_a_search_past_its_deadline_stops_and_says_so(shop):
    """A clock that runs away ends the search at once."""
    ticks = iter(range(0, 1_000_000, 10))
    path = find_path(shop, "helper", "tax", clock=lambda: float(next(ticks)))
    assert path.relation == "none"
    assert "cut short" in path.reason


def test_the_same_symbol_twice_has_no_path(shop):
    """Said in words."""
    assert "same symbol" in find_path(shop, "tax", "src/shop/cart.py#tax").reason


def test_a_wrong_end_is_named(shop):
    """Which of the two ends was wrong."""
    with pytest.raises(ArgumentError, match="`to`"):
        find_path(shop, "tax", "total")
    with pytest.raises(KeyNotFoundError, match="nowhere"):
        find_path(shop, "nowhere", "tax")
