"""Reading lists."""

import pytest

from graph.context import reading_list


@pytest.fixture
def read_lines(shop_root):
    def read(path, start, end):
        return "\n".join((shop_root / path).read_text().splitlines()[start - 1 : end]) + "\n"

    return read


def _roles(context):
    return [(item.role, item.name) for item in context.items]


def test_a_reading_list_has_the_code_and_what_stands_around_it(shop, read_lines):
    """In the order of use: the symbol, callers, callees, prose, tests."""
    found = reading_list(shop, read_lines, "price")
    assert _roles(found) == [
        ("symbol", "price"),
        ("caller", "Cart.total"),
        ("caller", "helper"),
        ("callee", "tax"),
        ("doc", "Prices"),
        ("test", "test_price"),
    ]
    assert found.items[0].text.startswith("def price(cart):")
    assert "29: return price(cart)" in found.items[2].text
    assert found.left_out == ()


def test_a_method_comes_with_its_class_and_what_it_overrides(shop, read_lines):
    """Headlines only."""
    found = reading_list(shop, read_lines, "GiftCart.total")
    assert _roles(found)[1:3] == [("container", "GiftCart"), ("base", "Cart.total")]


def test_what_does_not_fit_is_counted_and_named(shop, read_lines):
    """Nothing is dropped in silence, and the budget holds."""
    found = reading_list(shop, read_lines, "price", budget_tokens=30)
    assert found.used_tokens <= 30
    assert any("caller" in left for left in found.left_out)


def test_a_class_far_larger_than_its_room_is_shown_as_its_outline(shop, read_lines):
    """Its first lines would say little."""
    found = reading_list(shop, read_lines, "Cart", budget_tokens=40)
    assert found.items[0].role == "outline"
    assert found.items[0].text == ("class Cart:\n    A cart.\n4-5: def __init__(self, owner):\n7-8: def total(self):")
    assert found.left_out[0] == "its code (`source`)"


def test_long_code_is_cut_to_whole_lines_and_says_how_to_go_on(shop, read_lines):
    """The surroundings keep their share of the budget."""
    found = reading_list(shop, read_lines, "helper", budget_tokens=25)
    assert found.items[0].text.splitlines()[0] == "def helper():"
    assert "`source` with path src/shop/cart.py and lines" in found.left_out[0]


def test_a_long_docstring_goes_before_any_line_of_code(shop, read_lines):
    """Its first paragraph stays, and the answer says how much is left out."""
    code = (
        "def price(cart):\n" + '    """Return it.\n\n' + "    Words and words.\n" * 40 + '    """\n    return tax(1)\n'
    )
    found = reading_list(shop, lambda *_: code, "price", budget_tokens=120)
    assert found.items[0].text == 'def price(cart):\n    """Return it.\n    [...]"""\n    return tax(1)'
    assert found.left_out[0] == "41 lines of its docstring (`source`)"
