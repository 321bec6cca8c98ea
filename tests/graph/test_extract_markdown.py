"""Facts of Markdown files."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.extract.facts import Marker, Section
from graph.extract.markdown import extract_markdown
from graph.extract.markdown_inline import anchor_slug, plain_text


def sections(source: str) -> list[tuple[str, int, str, int, int]]:
    found = extract_markdown(source.encode()).sections
    return [(item.title, item.level, item.anchor, item.start_line, item.end_line) for item in found]


def mentions(source: str) -> list[tuple[str, int]]:
    return list(extract_markdown(source.encode()).mentions)


def test_a_section_ends_before_the_next_heading_of_its_level() -> None:
    """Deeper headings lie inside."""
    assert sections("# A\n\n## B\n\ntext\n\n# C\n") == [
        ("A", 1, "a", 1, 6),
        ("B", 2, "b", 3, 6),
        ("C", 1, "c", 7, 7),
    ]


def test_underlined_headings_count() -> None:
    """Both of their levels."""
    assert [(title, level) for title, level, *_ in sections("A\n===\n\nB\n---\n")] == [("A", 1), ("B", 2)]


def test_code_makes_no_headings() -> None:
    """Neither fenced, nor indented, nor a comment in a shell script."""
    assert sections("# A\n\n```sh\n# no\n```\n\n~~~\n## no\n~~~\n\n    # no\n") == [("A", 1, "a", 1, 11)]


def test_equal_headings_get_different_anchors() -> None:
    """As code hosts count them, also when the counted name is taken."""
    assert [anchor for _, _, anchor, *_ in sections("# A\n# A\n# A-1\n# A\n")] == ["a", "a-1", "a-1-1", "a-2"]


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Getting started", "getting-started"),
        ("What's new?", "whats-new"),
        ("C++ & C#", "c--c"),
        ("snake_case name", "snake_case-name"),
        ("Überblick", "überblick"),
        ("1.2 Notes", "12-notes"),
    ],
)
def test_anchors_are_those_of_code_hosts(title: str, anchor: str) -> None:
    """Lower case, spaces to hyphens, other punctuation left out."""
    assert anchor_slug(title) == anchor


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**bold** and `code_x` and [link](to.md)", "bold and code_x and link"),
        ("[![badge](a.svg)](b) text", "text"),
        ("a\nb <!-- hidden --> c", "a b c"),
        ("a \\* b", "a * b"),
        ("> quoted\n> on", "quoted on"),
        ("``a`b``", "a`b"),
        ("5 * 3 * 2", "5 * 3 * 2"),
    ],
)
def test_plain_text_is_what_a_reader_sees(text: str, plain: str) -> None:
    """Without markup, link targets, images and comments."""
    assert plain_text(text) == plain


def test_the_summary_is_the_first_paragraph() -> None:
    """Badges and code in front of it do not count."""
    (section,) = extract_markdown(b"# A\n\n[![b](c)](d)\n\n```\ncode\n```\n\nFirst\nparagraph.\n\nSecond.\n").sections
    assert section.summary == "First paragraph."


def test_a_summary_is_bounded() -> None:
    """500 characters."""
    (section,) = extract_markdown(b"# A\n\n" + b"word " * 1_000).sections
    assert len(section.summary) == 500


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Call `run_it()` and `App.start`.", [("run_it", 1), ("App.start", 1)]),
        ("See [this](src/app.py#run) and\n[that](./b.md).", [("src/app.py#run", 1), ("b.md", 2)]),
        ("[site](https://example.org) [top](#top) [mail](mailto:a@b)", []),
        ("`not an identifier at all`", []),
        ("[[src/app.py#App.run]]", [("src/app.py#App.run", 1)]),
        ("[x]: ../a/b.ts\n", [("../a/b.ts", 1)]),
        ('<a href="docs/x.md">x</a>', [("docs/x.md", 1)]),
        ("| a |\n|---|\n| `cell` |\n", [("cell", 3)]),
        ("- item `one`\n  - item `two`\n", [("one", 1), ("two", 2)]),
        ("`same` `same`", [("same", 1)]),
        ("```\n`code`\n```\n", []),
    ],
)
def test_prose_mentions_identifiers_and_paths(source: str, expected: list[tuple[str, int]]) -> None:
    """In backticks, links, tables and lists; not in code blocks, and nothing outside the repository."""
    assert mentions(source) == expected


def test_front_matter_describes_the_file() -> None:
    """It is no heading and no text."""
    facts = extract_markdown(b"---\ntitle: T\ndescription: 'What it is'\n---\n# A\n\ntext\n")
    assert (facts.doc, [section.title for section in facts.sections]) == ("What it is", ["A"])


def test_the_first_paragraph_describes_the_file_otherwise() -> None:
    """Wherever the first heading stands."""
    assert extract_markdown(b"Hello.\n\n# A\n\ntext\n").doc == "Hello."


def test_markers_are_found_in_comments() -> None:
    """Prose that speaks of TODO is no debt."""
    facts = extract_markdown(b"TODO lists are nice\n\n<!-- TODO: write\nFIXME(x): this -->\n")
    assert facts.markers == (Marker("TODO", "write", 3), Marker("FIXME", "this", 4))


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("# 1. X\n\n## Status\n\nAccepted\n\n## Context\n\na\n\n## Decision\n\nb\n", "accepted"),
        ("# X\n\nStatus: Proposed\n\n## Context\n\n## Consequences\n", "proposed"),
        ("---\nstatus: superseded by 7\n---\n# X\n\n## Context\n\n## Decision\n", "superseded"),
        ("# X\n\n## Context\n\n## Decision\n", "unknown"),
        ("# Guide\n\n## Context\n\ntext\n", ""),
    ],
)
def test_decision_records_are_known_by_their_sections(source: str, status: str) -> None:
    """And by nothing else: facts do not know the path."""
    assert extract_markdown(source.encode()).decision_status == status


@pytest.mark.parametrize(
    "source",
    [b"> " * 5_000 + b"x", b"` `` " * 20_000, b"[" * 50_000, b"- " * 5_000, b"*a_" * 50_000, b"<!-- " * 20_000, b""],
    ids=lambda source: source[:6].decode(),
)
def test_hostile_input_takes_linear_time(source: bytes) -> None:
    """Nesting and unclosed marks overflow nothing."""
    assert extract_markdown(source).language == "markdown"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="#`*[]()<>!-_~|\n a1=>+:\\", max_size=200))
def test_any_text_gives_sections_that_lie_in_the_file(text: str) -> None:
    """Anchors are unique, lines in order."""
    facts = extract_markdown(text.encode())
    anchors = [section.anchor for section in facts.sections]
    assert len(anchors) == len(set(anchors))
    for section in facts.sections:
        assert isinstance(section, Section)
        assert 1 <= section.start_line <= facts.line_count
        assert section.end_line <= facts.line_count


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_facts(data: bytes) -> None:
    """Nothing is raised."""
    assert extract_markdown(data).language == "markdown"
