"""Words become the terms that index and query share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.search.analyzer import analyzed, content_words, is_identifier_like, parts, squeezed, terms
from graph.search.stemmer import stem


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("getUserAgent", ("get", "user", "agent")),
        ("get_user_agent", ("get", "user", "agent")),
        ("HTTPServer_v2", ("http", "server", "v", "2")),
        ("parseURL", ("parse", "url")),
        ("__init__", ("init",)),
        ("SECRET_KEY", ("secret", "key")),
        ("größeÄndern", ("gr", "öß", "e", "ä", "ndern")),
        ("_", ()),
    ],
)
def test_identifiers_are_split_at_underscores_capitals_and_digits(identifier, expected):
    """Camel, snake, capitals and digits all split."""
    assert parts(identifier) == expected


def test_spellings_of_one_name_share_every_term():
    """`getUser`, `get_user` and `GET_USER` are found by each other."""
    assert terms("getUser") == terms("get_user") == terms("GET_USER") == ("getuser", "get", "user")


def test_short_forms_meet_the_long_words():
    """A question that writes the word out finds code that abbreviates it."""
    assert terms("config") == terms("configuration")
    assert terms("auth") == terms("authentication")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("signing", "sign"),
        ("signed", "sign"),
        ("signs", "sign"),
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("hoping", "hope"),
        ("falling", "fall"),
        ("relational", "relat"),
        ("generalizations", "gener"),
        ("oscillators", "oscil"),
        ("probate", "probat"),
        ("controlling", "control"),
        ("as", "as"),
        ("utf8", "utf8"),
    ],
)
def test_words_are_stemmed_as_porter_describes(word, expected):
    """The examples of the paper, and words that stay."""
    assert stem(word) == expected


def test_questions_lose_their_stop_words_unless_nothing_else_is_left():
    """What is asked about stays; a question of stop words keeps them all."""
    assert content_words("Where is the session cookie signed?") == ["session", "cookie", "signed"]
    assert content_words("what is it") == ["what", "is", "it"]


def test_only_what_code_alone_is_written_like_counts_as_an_identifier():
    """A plain word is none, whatever its case."""
    assert all(map(is_identifier_like, ("get_user", "getUser", "HTTPServer", "_private", "MAX_SIZE")))
    assert not any(map(is_identifier_like, ("session", "Session", "URL", "a")))


@given(st.text(max_size=200))
def test_any_text_is_analyzed_to_clean_terms(text):
    """No text breaks the analyzer or gives a term that the index would split again."""
    for term in analyzed(text).split():
        assert '"' not in term
        assert term == term.lower()
        assert "_" not in term


@given(st.from_regex(r"[A-Za-z_]{1,30}", fullmatch=True))
def test_squeezing_forgets_case_and_underscores_only(identifier):
    """Two spellings are equal exactly when their letters are."""
    assert squeezed(identifier) == squeezed(identifier.upper()) == squeezed(f"_{identifier}_")
