"""A query is taken apart without guessing: filters are known or refused."""

from __future__ import annotations

import pytest

from graph.errors import ArgumentError
from graph.search.parsing import MAX_QUERY, parse, plain


def test_filters_phrases_and_excluded_terms_leave_the_text():
    """Each part goes where it belongs."""
    query = parse('session "secret key" -legacy path:src kind:class lang:py test:no -path:docs')
    assert query.text == "session secret key"
    assert query.phrases == ("secret key",)
    assert query.excluded == ("legacy",)
    assert query.filters.paths == ("src",)
    assert query.filters.not_paths == ("docs",)
    assert query.filters.kinds == ("class",)
    assert query.filters.languages == ("python",)
    assert query.filters.is_test is False


@pytest.mark.parametrize("text", ["std::vector", "http://host/x", "at 10:30", "note: this", "localhost:8080", "a:b"])
def test_colons_of_ordinary_text_are_no_filters(text):
    """Text with a colon in it is searched for."""
    assert parse(text).text == text


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("owner:me x", "path:, kind:, lang:, test:"),
        ("kind:widget x", "function"),
        ("test:maybe x", "test:yes"),
        ("-kind:class x", "only path:"),
    ],
)
def test_a_filter_that_is_not_known_is_refused_with_those_that_are(query, names):
    """Nothing is silently ignored."""
    with pytest.raises(ArgumentError, match=names.replace(".", r"\.")):
        parse(query)


def test_a_question_is_searched_as_it_stands():
    """Plain text has no syntax at all."""
    assert plain("why is kind:widget -ignored?").text == "why is kind:widget -ignored?"


def test_control_characters_separate_words_and_long_queries_are_cut():
    """A NUL does not end the query, and a pasted file is cut and says so."""
    assert parse("a\0b\x1bc").text == "a b c"
    assert plain("x\ud800y").text == "x y"
    cut = plain("word " * 3_000)
    assert cut.is_cut
    assert len(cut.text) <= MAX_QUERY
