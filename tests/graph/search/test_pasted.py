"""What people paste finds the place it speaks of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.search.pasted import Frame, code_name, frames_in, message_runs
from graph.search.search import search
from graph.search.typos import is_one_edit

PYTHON_TRACE = """\
Traceback (most recent call last):
  File "/home/me/app/src/app/sessions.py", line 10, in get_signing_serializer
    return URLSafeTimedSerializer(app.secret_key, salt=self.salt)
  File "/usr/lib/python3.11/site-packages/itsdangerous/timed.py", line 7, in sign
ValueError: no key
"""


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        (PYTHON_TRACE.splitlines()[1], (Frame("/home/me/app/src/app/sessions.py", 10, "get_signing_serializer"),)),
        ("at Foo.bar (/app/src/ui/foo.ts:21:5)", (Frame("/app/src/ui/foo.ts", 21, "Foo.bar"),)),
        ("    at async /app/src/foo.mjs:21:5", (Frame("/app/src/foo.mjs", 21),)),
        ("\tat com.example.Foo.bar(Foo.java:12)", (Frame("Foo.java", 12, "com.example.Foo.bar"),)),
        ("\t/home/me/go/main.go:23 +0x1d", (Frame("/home/me/go/main.go", 23),)),
        ("  --> src/main.rs:12:5", (Frame("src/main.rs", 12),)),
        ("tests/test_x.py:12: AssertionError", (Frame("tests/test_x.py", 12),)),
        ("C:\\app\\x.py:3", (Frame("C:/app/x.py", 3),)),
        ("src/app/x.py#L12-L14", (Frame("src/app/x.py", 12),)),
        ("x.py:10-20", (Frame("x.py", 10),)),
        ("at 10:30, see http://localhost:8017/x and version 1.2:3", ()),
    ],
)
def test_places_are_known_by_their_shape(text, frames):
    """Python, JavaScript, Java, Go, Rust, reports of tools, links."""
    assert frames_in(text) == frames


def test_the_innermost_frame_of_a_python_trace_comes_first():
    """It is the last one there."""
    assert [frame.line for frame in frames_in(PYTHON_TRACE)] == [7, 10]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("foo.bar(", "foo.bar"),
        ("self.foo.bar(x, y)", "foo.bar"),
        ("def strip_auth(old, new):", "strip_auth"),
        ("export async function load(url: string): Promise<void> {", "load"),
        ("func (s *Server) Listen(port int) error {", "Listen"),
        ("class Foo:", "Foo"),
        ("x = await client.get(url)", "client.get"),
        ("new HttpClient({", "HttpClient"),
        ('@app.route("/")', "app.route"),
        ("session store", None),
        ("class attribute", None),
        ("log in (user)", None),
        ("get_user", None),
        ("a(\nb)", None),
    ],
)
def test_a_line_of_code_gives_the_name_it_defines_or_calls(code, name):
    """Prose gives none."""
    assert code_name(code) == name


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("src/app/sessions.py:10", "CookieSession.get_signing_serializer"),
        ("sessions.py:14", "CookieSession.open_session"),
        ("/home/me/checkout/src/app/redirects.py:3: error", "strip_auth"),
        (PYTHON_TRACE, "CookieSession.get_signing_serializer"),
        ("    at HttpClient.getUserAgent (/app/src/app/http_client.ts:4:5)", "HttpClient.getUserAgent"),
        ("self.open_session(app, request)", "CookieSession.open_session"),
        ("def strip_auth(old_url, new_url):", "strip_auth"),
        ("get_sining_serializer", "CookieSession.get_signing_serializer"),
        ("CookieSesssion", "CookieSession"),
        ("strip_atuh", "strip_auth"),
        ("raed_config", "read_config"),
    ],
)
def test_what_was_pasted_or_mistyped_is_the_first_hit(repository, query, expected):
    """The symbol at the place, the name in the code, the name one letter off."""
    assert search(repository.store, query).hits[0].qualname == expected


def test_the_last_frame_of_a_long_trace_counts(repository):
    """It stands far behind what is searched as words."""
    outer = '  File "/usr/lib/python3.11/runpy.py", line 8, in run\n    exec(code)\n' * 60
    trace = f'Traceback (most recent call last):\n{outer}  File "/srv/src/app/redirects.py", line 3, in strip_auth\n'
    assert len(trace) > 3_000
    assert search(repository.store, trace).hits[0].qualname == "strip_auth"


def test_a_place_outside_the_files_is_only_text(repository):
    """No line 900, no such file: nothing is pretended."""
    for query in ("src/app/sessions.py:900", "nowhere.py:3"):
        assert all("place" not in hit.why for hit in search(repository.store, query).hits)


def test_a_pasted_message_finds_the_code_that_says_it(make_repository):
    """Values stand in it that the code does not hold, and the words stand elsewhere too."""
    store = make_repository(
        {
            "views.py": "def dispatch(x):\n    raise TypeError(f'The view {x} did not return a valid response')\n",
            "valid.py": "def view_response(view):\n    return view.response\n\n\ndef valid_view(response):\n    pass\n",
        }
    ).store
    assert search(store, "TypeError: The view 'index' did not return a valid response").hits[0].name == "dispatch"


@pytest.mark.parametrize(
    ("query", "expected"),
    [("log in required", "login_required"), ("sign up form", "signup_form"), ("time out of a request", "timeout_for")],
)
def test_two_words_find_the_compound(make_repository, query, expected):
    """In code they are one."""
    defined = ("login_required(x)", "signup_form(x)", "timeout_for(request)", "form_sign(x)")
    store = make_repository({"a.py": "\n\n\n".join(f"def {one}:\n    pass" for one in defined)}).store
    assert search(store, query).hits[0].name == expected


def test_documents_are_found_below_code_unless_they_are_asked_for(repository):
    """`kind:doc` means sections and ADRs."""
    store = repository.store
    query = "redirect to another host drops the Authorization header"
    assert search(store, query).hits[0].kind == "function"
    assert {hit.kind for hit in search(store, f"{query} kind:doc").hits} == {"section"}
    assert {hit.kind for hit in search(store, query, kind="docs").hits} == {"section"}


def test_by_file_gives_one_hit_a_file(repository):
    """Its best symbol; files with several good ones rise."""
    page = search(repository.store, "session cookie by:file")
    paths = [hit.path for hit in page.hits]
    assert len(paths) == len(set(paths)) == page.total
    assert paths[0] == "src/app/sessions.py"
    assert "more in this file" in page.hits[0].why


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        ("session", "sesion", True),
        ("session", "sessions", True),
        ("session", "sessoin", True),
        ("session", "sassion", True),
        ("session", "session", False),
        ("session", "sesian", False),
        ("session", "seisson", False),
        ("", "a", True),
    ],
)
def test_one_letter_away(one, other, is_near):
    """More, less, other, or two swapped."""
    assert is_one_edit(one, other) is is_near
    assert is_one_edit(other, one) is is_near


@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_can_be_pasted(text):
    """Nothing breaks, and nothing is made up."""
    assert all(frame.path in text.replace("\\", "/") for frame in frames_in(text))
    code_name(text)
    message_runs(text)
