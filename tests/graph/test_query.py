"""Callers and callees from a store written by hand."""

import pytest

from graph.errors import ArgumentError, KeyNotFoundError
from graph.query import CALL_EDGES, callees, callers


def _names(calls):
    return [call.qualname for call in calls.calls]


def test_callers_of_a_function_come_with_every_line_and_tests_last(shop):
    """Sources before tests, each with its call-site lines."""
    found = callers(shop, "price")
    assert [(call.qualname, call.lines, call.is_test) for call in found.calls] == [
        ("Cart.total", (8,), False),
        ("helper", (29,), False),
        ("test_price", (2,), True),
    ]
    assert (found.total, found.sites, found.cursor) == (3, 3, "")


def test_callers_of_a_class_include_those_of_its_constructor_and_say_so(shop):
    """Calling a class runs its constructor, so both lists are one."""
    found = callers(shop, "Cart")
    assert _names(found) == ["helper", "main"]
    assert any("constructor" in note for note in found.notes)
    assert any("GiftCart" in note for note in found.notes)


def test_overriding_methods_are_noted_on_both_sides(shop):
    """A call may arrive at an override; the reader learns where to look."""
    assert any("Overridden by src/shop/cart.py#GiftCart.total" in note for note in callers(shop, "Cart.total").notes)
    assert any("Overrides src/shop/cart.py#Cart.total" in note for note in callers(shop, "GiftCart.total").notes)


def test_a_candidate_is_counted_and_shown_only_when_asked_for(shop):
    """An unresolved call of the same name is no caller."""
    assert _names(callers(shop, "Cart.total")) == ["helper"]
    assert callers(shop, "Cart.total").candidates == 1
    asked = callers(shop, "Cart.total", include_inferred=True)
    assert [(call.qualname, call.provenance, call.confidence) for call in asked.calls] == [
        ("helper", "derived", 1.0),
        ("main", "inferred", 0.5),
    ]


def test_callees_come_in_the_order_of_the_calls(shop):
    """Reading order, the recursive call included."""
    assert _names(callees(shop, "helper")) == ["Cart.__init__", "Cart.total", "helper", "price"]


def test_candidates_of_callees_are_what_the_name_could_mean(shop):
    """An unresolved name has one candidate for each symbol of that name."""
    assert callees(shop, "main").candidates == 1
    asked = callees(shop, "main", include_inferred=True)
    assert _names(asked) == ["Cart", "Cart.total", "GiftCart.total"]


def test_depth_walks_callers_of_callers_each_once(shop):
    """Every symbol has its smallest depth, and the way it goes through."""
    found = callers(shop, "tax", depth=3)
    assert [(call.qualname, call.depth) for call in found.calls] == [
        ("price", 1),
        ("Cart.total", 2),
        ("helper", 2),
        ("test_price", 2),
    ]
    assert found.calls[1].through.endswith("#price")


def test_pages_join_to_the_whole_list(shop):
    """Following the cursor shows each caller exactly once."""
    seen, cursor = [], ""
    for _ in range(9):
        page = callers(shop, "price", limit=1, cursor=cursor)
        seen += _names(page)
        cursor = page.cursor
        if not cursor:
            break
    assert seen == ["Cart.total", "helper", "test_price"]


def test_a_foreign_cursor_is_refused_by_name(shop):
    """A cursor is what an answer printed."""
    with pytest.raises(ArgumentError, match="cursor"):
        callers(shop, "price", cursor="next")


def test_an_unknown_key_names_the_nearest(shop):
    """A misspelt name leads to the right key."""
    with pytest.raises(KeyNotFoundError, match=r"cart\.py#helper"):
        callers(shop, "helpr")


def test_callers_show_exactly_the_rows_of_the_shared_statement(shop):
    """What the dump prints and what `callers` shows are the same rows."""
    rows = shop.read().execute(CALL_EDGES).fetchall()
    keys = dict(shop.read().execute("SELECT id, key FROM node"))
    shown = {
        (call.key, found.of.key)
        for key in keys.values()
        for found in [callers(shop, key)]
        for call in found.calls
        if "constructor" not in "".join(found.notes)
    }
    expected = {(keys[src], keys[dst]) for src, dst, *_ in rows}
    assert {pair for pair in expected if not pair[1].endswith("#Cart")} == shown
