"""What people ask and what they must get: on a small repository that is really indexed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.errors import ArgumentError
from graph.repository import Repository
from graph.search.search import search, search_many


def names(page):
    return [hit.qualname for hit in page.hits]


def test_a_question_finds_the_code_before_its_test_and_the_changelog(repository):
    """The same words stand in a test and a changelog; the code comes first."""
    found = names(search(repository.store, "Where is the session cookie signed with the secret key?"))
    assert found[0] == "CookieSession.get_signing_serializer"
    assert found.index("test_session_cookie_is_signed_with_the_secret_key") > 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("get_signing_serializer", "CookieSession.get_signing_serializer"),
        ("getSigningSerializer", "CookieSession.get_signing_serializer"),
        ("CookieSession.open_session", "CookieSession.open_session"),
        ("CookieSession::open_session", "CookieSession.open_session"),
        ("open_session()", "CookieSession.open_session"),
        ("`strip_auth`", "strip_auth"),
        ("cookiesess", "CookieSession"),
        ("get user agent", "HttpClient.getUserAgent"),
        ("check", "check"),
        ("sessions.py", "src/app/sessions.py"),
        ("src/app/sessions.py", "src/app/sessions.py"),
    ],
)
def test_an_identifier_is_the_first_hit_however_it_is_written(repository, query, expected):
    """Exact, other case, qualified, called, quoted, begun, in words."""
    first = search(repository.store, query).hits[0]
    assert expected in {first.qualname, first.path}


def test_words_and_short_forms_meet(repository):
    """The question writes the word out, the code shortens it."""
    assert names(search(repository.store, "reads configuration"))[0] == "read_config"
    assert names(search(repository.store, "log in required"))[0] == "login_required"


def test_a_hit_says_where_it_is_and_why(repository):
    """Place, signature, first sentence, the lines that matter, the fields that matched."""
    hit = search(repository.store, "serializer signs cookie secret").hits[0]
    assert (hit.path, hit.start_line, hit.end_line) == ("src/app/sessions.py", 9, 11)
    assert hit.signature.startswith("def get_signing_serializer")
    assert hit.doc == "Return the serializer that signs the session cookie with the secret key."
    assert any("secret_key" in text for _, text in hit.lines)
    assert "name" in hit.why


def test_filters_hold_and_combine(repository):
    """path:, kind:, lang:, test: and excluded terms narrow, alone and together."""
    store = repository.store
    assert {hit.path for hit in search(store, "session path:tests").hits} == {"tests/test_sessions.py"}
    assert {hit.kind for hit in search(store, "session kind:class").hits} == {"class"}
    assert {hit.path for hit in search(store, "agent lang:ts").hits} == {"src/app/http_client.ts"}
    assert all(hit.is_test for hit in search(store, "session cookie test:yes").hits)
    assert "CookieSession.open_session" not in names(search(store, "session -request"))
    assert {hit.path for hit in search(store, "session", path="src/app", kind="method").hits} == {"src/app/sessions.py"}
    assert {hit.path for hit in search(store, "session path:*.py -path:tests").hits} == {"src/app/sessions.py"}


def test_quoted_phrases_are_literal(repository):
    """Quotes promise the very characters, not their stems."""
    assert "strip_auth" in names(search(repository.store, '"leads to another host"'))
    assert names(search(repository.store, '"lead to other hosts"')) == []


def test_pages_do_not_overlap_and_end(repository):
    """Every hit comes once, in the order of one long page."""
    whole = search(repository.store, "session cookie", limit=50)
    seen, cursor = [], None
    while True:
        page = search(repository.store, "session cookie", limit=2, cursor=cursor)
        seen += names(page)
        assert page.total == whole.total
        if page.cursor is None:
            break
        cursor = page.cursor
    assert seen == names(whole)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "no word"),
        ("   \0 ", "no word"),
        ("!!! ??? ()", "no word"),
        ("zzzqqq", "zzzqqq"),
        ("session path:nowhere", "path filter"),
    ],
)
def test_an_empty_page_says_why(repository, query, told):
    """Nothing found is explained, never an error."""
    page = search(repository.store, query)
    assert page.hits == ()
    assert told in page.note


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '"a" OR NEAR(',
        "a AND NOT b",
        "x'; DROP TABLE node; --",
        "name:(",
        "* ^ { }",
        "the of and",
        "\0session",
        "w " * 6_000,
    ],
)
def test_syntax_of_sql_and_fts_is_only_text(repository, query):
    """No query reaches the database as anything but data."""
    before = repository.store.read().execute("SELECT count(*) FROM node").fetchone()
    try:
        search(repository.store, query)
    except ArgumentError as error:
        assert "filter" in str(error)  # noqa: PT017 - only one of these queries looks like a filter
    assert repository.store.read().execute("SELECT count(*) FROM node").fetchone() == before


@pytest.mark.parametrize(
    "arguments", [{"limit": 0}, {"limit": 101}, {"cursor": "x"}, {"cursor": "-1"}, {"kind": "widget"}]
)
def test_arguments_out_of_range_are_refused_by_name(repository, arguments):
    """The message names the argument and what it takes."""
    with pytest.raises(ArgumentError) as caught:
        search(repository.store, "session", **arguments)
    assert caught.value.argument in arguments


def test_several_texts_are_fused_by_their_best_score(repository):
    """A rewrite adds what the question missed, and takes nothing away."""
    page = search_many(repository.store, ["Authorization header on redirect", "kind:widget session cookie", ""])
    assert names(page)[0] == "strip_auth"
    assert any(hit.path == "src/app/sessions.py" for hit in page.hits)


def test_how_much_of_a_question_is_known_is_told(repository):
    """Words that stand nowhere count by their weight."""
    assert search(repository.store, "session cookie").unknown_share == 0
    assert search(repository.store, "kubernetes blockchain session").unknown_share > 0.5


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=60))
def test_any_text_gets_an_answer_or_a_clear_refusal(repository, query):
    """No query breaks search."""
    try:
        page = search(repository.store, query)
    except ArgumentError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
    else:
        assert len(page.hits) <= page.total


def test_an_empty_page_names_words_as_written_and_filters_only_where_there_are_any(repository):
    """No stem of the index is shown, and no rule of a syntax that was not used."""
    note = search(repository.store, "zzqqings").note
    assert "zzqqings" in note
    assert "Filters" not in note
    assert "Filters" in search(repository.store, "zzqqings kind:class").note


def test_an_empty_repository_says_that_nothing_is_indexed(tmp_path):
    """Other words would not help."""
    root = tmp_path / "empty"
    root.mkdir()
    with Repository.open(root, cache_home=tmp_path / "home") as empty:
        empty.sync()
        assert "Nothing is indexed" in search(empty.store, "session").note
