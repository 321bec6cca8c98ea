"""What a reference means."""

import pytest

from graph.errors import ArgumentError, KeyNotFoundError, PathError
from graph.lookup import find_node, first_sentence, module_name


@pytest.mark.parametrize(
    "reference",
    [
        "sym:python:src/shop/cart.py#Cart.total",
        "src/shop/cart.py#Cart.total",
        "./src/shop/cart.py#Cart.total",
        "src/shop/cart.py:7",
        "src/shop/cart.py:7-8",
        "Cart.total",
        "Cart::total",
        "cart.Cart.total",
        "shop.cart.Cart.total",
        "src.shop.cart.Cart.total",
        "shop.Cart.total",
        "`Cart.total()`",
        " Cart.total ",
    ],
)
def test_a_symbol_may_be_written_in_many_ways(shop, reference):
    """Whatever an answer or a person writes leads to the same node."""
    assert find_node(shop, reference).key == "sym:python:src/shop/cart.py#Cart.total"


def test_a_line_means_the_smallest_symbol_around_it(shop):
    """Outside every symbol it is the file."""
    assert find_node(shop, "src/shop/cart.py:2").qualname == "Cart"
    assert find_node(shop, "src/shop/cart.py:10").kind == "file"


def test_a_path_means_the_file(shop):
    """With and without the prefix of its key."""
    assert find_node(shop, "src/shop/cart.py").key == find_node(shop, "file:src/shop/cart.py").key


def test_a_name_with_two_meanings_is_refused_with_both_keys(shop):
    """Nothing is picked by chance."""
    with pytest.raises(ArgumentError, match=r"cart\.py#Cart\.total.*cart\.py#GiftCart\.total") as raised:
        find_node(shop, "total", argument="from")
    assert raised.value.argument == "from"


def test_a_misspelt_name_leads_to_the_nearest(shop):
    """The message carries keys that work."""
    with pytest.raises(KeyNotFoundError) as raised:
        find_node(shop, "src/shop/cart.py#prise")
    assert raised.value.nearest[0] == "sym:python:src/shop/cart.py#price"


def test_a_file_that_was_left_out_says_why(shop):
    """The reason is the one that the index recorded."""
    with pytest.raises(PathError, match="minified"):
        find_node(shop, "dist/app.min.js#x")


def test_a_line_past_the_end_is_refused(shop):
    """The message says how many lines there are."""
    with pytest.raises(PathError, match="29 lines"):
        find_node(shop, "src/shop/cart.py:300")


@pytest.mark.parametrize("reference", ["", "  ", "``"])
def test_an_empty_reference_is_refused_by_name(shop, reference):
    """The argument is named."""
    with pytest.raises(ArgumentError, match="`key`"):
        find_node(shop, reference)


def test_modules_are_paths_without_suffix_and_package_file():
    """`__init__`, `index` and `mod` stand for their folder."""
    assert module_name("src/flask/app.py") == "src.flask.app"
    assert module_name("src/flask/__init__.py") == "src.flask"
    assert module_name("setup.py") == "setup"


def test_the_first_sentence_ends_at_its_stop_or_its_paragraph():
    """Abbreviated documents stay on one line."""
    assert first_sentence("One thing.  Another.") == "One thing."
    assert first_sentence("A title\nover lines\n\nMore.") == "A title over lines"
    assert len(first_sentence("word " * 100)) <= 160


def test_tags_of_a_doc_comment_are_no_sentence():
    """They describe parts; the mark of a module is passed over."""
    assert first_sentence("Parse it\n@param x the thing\n@returns more") == "Parse it"
    assert first_sentence("@module\nBody utility.") == "Body utility."
    assert first_sentence("@module") == ""
