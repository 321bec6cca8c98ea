"""Which places an answer rests on, and in which state each is."""

from __future__ import annotations

import pytest

from serve.ask.evidence import Shown
from serve.ask.grounding import MAX_CITATIONS, attribute, check_names, names, quotes

SESSIONS = "src/app/sessions.py"


def shown(start, end, name, rank=0, text="", path=SESSIONS):
    return Shown(path=path, start_line=start, end_line=end, key=f"k:{name}", name=name, text=text, rank=rank)


SIGNING = shown(
    6, 8, "CookieSession.get_signing_serializer", 0, "return URLSafeTimedSerializer(app.secret_key, salt=self.salt)"
)
OPENING = shown(
    10, 12, "CookieSession.open_session", 1, 'return self.get_signing_serializer(app).loads(request.cookies["session"])'
)
STRIP = shown(1, 4, "strip_auth", 2, "return host_of(old_url) != host_of(new_url)", "src/app/redirects.py")


@pytest.mark.parametrize(
    ("answer", "qualname", "expected"),
    [
        ("It is in `get_signing_serializer`.", "CookieSession.get_signing_serializer", True),
        ("It is in get_signing_serializer.", "CookieSession.get_signing_serializer", True),
        ("It is in get_signing_serializer_two.", "CookieSession.get_signing_serializer", False),
        ("We send it.", "Session.send", False),
        ("We call `send`.", "Session.send", True),
        ("We call `Session.send(request)`.", "Session.send", True),
        ("We call send() on it.", "Session.send", True),
        ("self.send is called", "Session.send", True),
        ("The Session object", "Session", False),
        ("The HTTPAdapter class", "HTTPAdapter", True),
        ("x", "x", False),
    ],
)
def test_a_symbol_is_named_by_its_whole_name_and_a_plain_word_only_as_code(answer, qualname, expected):
    """`send` in a sentence is a verb."""
    assert names(answer, qualname) is expected


def test_six_tokens_in_a_row_are_a_quotation():
    """Five may be chance."""
    assert quotes("it does return host_of(old_url) != something", STRIP.text)
    assert not quotes("return host_of(old", STRIP.text)


def test_two_names_that_only_one_place_holds_are_a_quotation_of_it(repository):
    """One may be chance, and a name that two places hold says nothing."""
    store = repository.store
    answer = "It makes a `URLSafeTimedSerializer` of `secret_key`."
    assert [one.name for one in attribute(store, answer, [SIGNING, STRIP]) if one.verified] == [SIGNING.name]
    assert not any(one.verified for one in attribute(store, "With `secret_key`.", [SIGNING, STRIP]))
    assert not any(one.verified for one in attribute(store, answer, [SIGNING, shown(1, 5, "other", 1, SIGNING.text)]))


def test_what_the_answer_names_is_cited_and_verified(repository):
    """The first rank is not cited for being first."""
    (citation,) = attribute(repository.store, "See `open_session`.", [SIGNING, OPENING, STRIP])
    assert citation.name == "CookieSession.open_session"
    assert citation.verified


def test_the_weightiest_comes_first_and_there_are_at_most_three(repository):
    """More is not an answer, it is a list."""
    many = [shown(line, line, f"name_{line}", line) for line in range(1, 9)]
    answer = " ".join(f"`name_{line}`" for line in range(8, 0, -1))
    cited = attribute(repository.store, answer, many)
    assert len(cited) == MAX_CITATIONS
    assert cited[0].name == "name_1"


def test_a_place_is_cited_once(repository):
    """What lies inside a cited place adds nothing."""
    inner = shown(7, 8, "get_signing_serializer", 4)
    cited = attribute(repository.store, "`get_signing_serializer`", [SIGNING, inner])
    assert len(cited) == 1


def test_an_answer_that_names_a_member_rests_on_the_member(repository):
    """A shown class is a list of places; the one that is named is the source."""
    text = "class CookieSession:\n    def open_session(self, app, request):"
    whole = shown(1, 12, "CookieSession", 0, text)
    cited = attribute(repository.store, "`open_session` of `CookieSession` loads it.", [whole])
    assert [(one.start_line, one.end_line) for one in cited] == [(10, 12)]


def test_places_beyond_the_file_do_not_exist(repository):
    """A span past the last line is shown as what it is."""
    beyond = shown(900, 910, "strip_auth", 0, "", "src/app/redirects.py")
    (citation,) = attribute(repository.store, "`strip_auth`", [beyond])
    assert (citation.exists, citation.shown, citation.supports, citation.verified) == (False, True, True, False)


def test_a_written_place_that_was_not_shown_is_not_verified(repository):
    """The model may know the path by heart; it was not shown it."""
    (citation,) = attribute(repository.store, "See README.md:1-3.", [])
    assert (citation.path, citation.exists, citation.shown, citation.verified) == ("README.md", True, False, False)


def test_nothing_shown_and_nothing_written_gives_no_citation(repository):
    """There is nothing to point to."""
    assert attribute(repository.store, "I do not know.", []) == ()


def test_names_in_backticks_are_looked_up(repository):
    """Symbols and files are known; code and words that are no names are passed over."""
    checked = check_names(
        repository.store, "`strip_auth(a, b)`, `CookieSession.open_session`, `nope`, `a + b`, `README.md`, `strip_auth`"
    )
    assert checked.known == ("strip_auth", "CookieSession.open_session", "README.md")
    assert checked.unknown == ("nope",)


def test_a_path_from_elsewhere_does_not_verify_an_innocent_place(repository):
    """A planted text may make a model say anything; the place it names must hold what is said of it."""
    store = repository.store
    planted = "`get_signing_serializer` keeps the key in /etc/shadow."
    honest = "`get_signing_serializer` in src/app/sessions.py uses the key."
    assert not any(one.verified for one in attribute(store, planted, [SIGNING]))
    assert any(one.verified for one in attribute(store, honest, [SIGNING]))
    served = shown(6, 8, "CookieSession.get_signing_serializer", 0, 'return open("/etc/shadow")')
    assert any(one.verified for one in attribute(store, planted, [served]))


def test_words_of_what_was_shown_are_known_names(repository):
    """A parameter is no symbol of the graph, and yet it is there."""
    checked = check_names(repository.store, "It uses `salt` and `pepper`.", [SIGNING])
    assert checked.known == ("salt",)
    assert checked.unknown == ("pepper",)
