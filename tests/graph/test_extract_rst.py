"""Facts of reStructuredText files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.extract.facts import Constant, Marker
from graph.extract.rst import extract_rst
from graph.extract.rst_inline import plain_text, section_anchor

SAMPLES = Path(__file__).parent.parent / "fixtures" / "languages" / "rst"

COUNTED = {
    "guide.rst": [
        ("Title", 1, "title", 3, 42),
        ("Section One", 2, "section-one", 11, 34),
        ("Sub", 3, "sub", 30, 34),
        ("Section Two", 2, "section-two", 35, 42),
    ],
    "0001-one-store.rst": [
        ("1. Keep one store", 1, "1-keep-one-store", 1, 22),
        ("Context", 2, "context", 7, 11),
        ("Decision", 2, "decision", 12, 18),
        ("Consequences", 2, "consequences", 19, 22),
    ],
    "api.rst": [
        ("API", 1, "api", 1, 40),
        ("Inventory", 2, "inventory", 10, 27),
        ("Options", 2, "options", 28, 36),
        ("Options", 2, "options-1", 37, 40),
    ],
    "index.rst": [("Shop", 1, "shop", 1, 16), ("Indices", 2, "indices", 13, 16)],
}


@pytest.mark.parametrize("name", COUNTED)
def test_sections_of_the_samples_are_those_counted_by_hand(name: str) -> None:
    """Title, level, anchor and lines."""
    found = extract_rst((SAMPLES / name).read_bytes()).sections
    assert [(item.title, item.level, item.anchor, item.start_line, item.end_line) for item in found] == COUNTED[name]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Call ``run_it()`` or ``a b``.", [("run_it", 1)]),
        (":func:`~app.core.run` and :py:meth:`run <App.run>`", [("app.core.run", 1), ("App.run", 1)]),
        (":doc:`/guide/start` and\n:doc:`more <other>`", [("guide/start.rst", 1), ("other.rst", 2)]),
        ("`text <src/app.py>`_ and `site <https://example.org>`_", [("src/app.py", 1)]),
        (":ref:`label` :pep:`8` `phrase`_", []),
        ("`Inventory`", [("Inventory", 1)]),
        (".. include:: ../CHANGES.rst\n", [("../CHANGES.rst", 1)]),
        (".. autoclass:: shop.Inventory\n   :members:\n", [("shop.Inventory", 1)]),
        (".. py:function:: open(path)\n", [("open", 1)]),
        (".. toctree::\n\n   a\n   B <b/c>\n", [("a.rst", 3), ("b/c.rst", 4)]),
        (".. _x: docs/x.md\n", [("docs/x.md", 1)]),
        (".. code-block:: sh\n\n   ``not`` this\n", []),
        ("[[src/app.py#App.run]]", [("src/app.py#App.run", 1)]),
        ("* item ``one``\n\n  * item ``two``\n", [("one", 1), ("two", 3)]),
    ],
)
def test_prose_mentions_identifiers_and_paths(source: str, expected: list[tuple[str, int]]) -> None:
    """In literals, roles, links, directives and tables of contents; nothing outside the repository."""
    assert list(extract_rst(source.encode()).mentions) == expected


def test_levels_are_those_of_the_adornments() -> None:
    """Whatever the characters are; a line above makes another style."""
    text = "===\nA\n===\n\nB\n===\n\nC\n---\n\nD\n===\n"
    assert [(item.title, item.level) for item in extract_rst(text.encode()).sections] == [
        ("A", 1), ("B", 2), ("C", 3), ("D", 2),
    ]  # fmt: skip


def test_a_target_leads_to_the_heading_below_it() -> None:
    """Under the name that `:ref:` uses."""
    facts = extract_rst(b".. _one:\n.. _two:\n\nA b\n===\n\n.. _loose:\n\ntext\n")
    assert facts.exports == (("one", Constant("str", "a-b")), ("two", Constant("str", "a-b")))


def test_markers_are_found_in_comments() -> None:
    """Prose that speaks of TODO is no debt."""
    assert extract_rst(b"TODO lists\n\n.. TODO(x): write\n").markers == (Marker("TODO", "write", 3),)


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("X\n=\n\n:Status: Accepted\n\nContext\n-------\n\na\n\nDecision\n--------\n\nb\n", "accepted"),
        ("X\n=\n\nStatus\n------\n\nProposed\n\nContext\n-------\n\nDecision\n--------\n", "proposed"),
        ("X\n=\n\nContext\n-------\n\nDecision\n--------\n", "unknown"),
        ("X\n=\n\nContext\n-------\n", ""),
    ],
)
def test_decision_records_are_known_by_their_sections(source: str, status: str) -> None:
    """And by nothing else: facts do not know the path."""
    assert extract_rst(source.encode()).decision_status == status


def test_the_first_paragraph_describes_a_file_and_a_section() -> None:
    """As a reader sees it."""
    facts = extract_rst(b"A\n=\n\nThe *first* :class:`~x.Y` and ``z``.\n\nMore.\n")
    assert (facts.doc, facts.sections[0].summary) == ("The first Y and z.", "The first Y and z.")


@pytest.mark.parametrize(("title", "anchor"), [("What's new?", "what-s-new"), ("C++", "c"), ("???", "section")])
def test_anchors_are_those_of_docutils(title: str, anchor: str) -> None:
    """Letters and digits joined by hyphens."""
    assert section_anchor(title) == anchor


def test_plain_text_keeps_what_is_shown() -> None:
    """The title of a link or role, not where it leads."""
    assert plain_text(":ref:`the guide <guide>` and `more <x.rst>`_, |name|") == "the guide and more, name"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="=-~`:*.|_<> \n\tab[]", max_size=200))
def test_any_text_gives_sections_that_lie_in_the_file(text: str) -> None:
    """Anchors are unique, lines in order."""
    facts = extract_rst(text.encode())
    anchors = [section.anchor for section in facts.sections]
    assert len(anchors) == len(set(anchors))
    for section in facts.sections:
        assert 1 <= section.start_line <= section.end_line <= max(facts.line_count, 1)
