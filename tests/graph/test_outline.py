"""What is in a file or a class."""

from graph.lookup import find_node
from graph.outline import clipped, members, outline_lines


def test_members_come_in_the_order_of_the_file(shop):
    """Of a class its methods, of a file its symbols with theirs."""
    assert [node.name for node in members(shop, find_node(shop, "Cart"))] == ["__init__", "total"]
    names = [node.qualname for node in members(shop, find_node(shop, "src/shop/cart.py"))]
    assert names[:4] == ["Cart", "Cart.__init__", "Cart.total", "GiftCart"]
    assert members(shop, find_node(shop, "tax")) == ()


def test_an_outline_is_indented_by_depth(shop):
    """Each line names the lines of its symbol."""
    lines = outline_lines(shop, find_node(shop, "src/shop/cart.py"))
    assert lines[:2] == ("1-8: class Cart:", "    4-5: def __init__(self, owner):")


def test_a_long_signature_is_clipped():
    """A list has no room for thirty parameters."""
    assert clipped("def f(a)") == "def f(a)"
    assert len(clipped("x" * 300)) == 140
