"""Citations in texts, and the places they name."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.citations import cited_text, exists, parse_citations, symbol_at


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("see src/a.py:12.", [("src/a.py", 12, 12)]),
        ("(`src/a.py:12-20`)", [("src/a.py", 12, 20)]),
        ("Sources: a.py:1-2, lib/b.ts:3\u20134", [("a.py", 1, 2), ("lib/b.ts", 3, 4)]),
        ("./src/a.py:7", [("src/a.py", 7, 7)]),
        ("a.py:7 and a.py:7", [("a.py", 7, 7)]),
        ("Makefile:3", [("Makefile", 3, 3)]),
        ("app/[id]/page.tsx:9", [("app/[id]/page.tsx", 9, 9)]),
        ("docs/quick-start.md:1-5", [("docs/quick-start.md", 1, 5)]),
        ("at 12:30 on localhost:8017", []),
        ("http://127.0.0.1:8017/x", []),
        ("a.py:20-10", []),
        ("a.py:0", []),
        ("nothing here", []),
    ],
)
def test_places_are_read_from_text(text, places):
    """Paths with lines; never times, hosts, or a range that runs backwards."""
    assert [(one.path, one.start_line, one.end_line) for one in parse_citations(text)] == places


@settings(deadline=None)  # the machine may be busy
@given(
    st.from_regex(r"[a-z_]{1,8}(/[a-z_]{1,8}){0,3}\.(py|ts|md)", fullmatch=True),
    st.integers(1, 9_999),
    st.integers(0, 500),
)
def test_what_is_cited_is_read_back(path, start, more):
    """`cited_text` and `parse_citations` are each other's inverse."""
    text = f"As {cited_text(path, start, start + more)} shows."
    assert [(one.path, one.start_line, one.end_line) for one in parse_citations(text)] == [(path, start, start + more)]
    assert not PurePosixPath(path).is_absolute()


def test_a_place_exists_when_the_store_has_all_of_its_lines(shop):
    """Neither past the end, nor in a file that was left out."""
    assert exists(shop, "src/shop/cart.py", 1, 29)
    assert not exists(shop, "src/shop/cart.py", 1, 30)
    assert not exists(shop, "dist/app.min.js", 1, 1)
    assert not exists(shop, "nowhere.py", 1, 1)


def test_the_symbol_at_a_line_is_the_smallest(shop):
    """Module-level lines belong to the file; unknown files to nothing."""
    assert symbol_at(shop, "src/shop/cart.py", 5).qualname == "Cart.__init__"
    assert symbol_at(shop, "src/shop/cart.py", 10).kind == "file"
    assert symbol_at(shop, "nowhere.py", 1) is None
