"""The commands that ask the graph: their answers, their JSON, their exit codes."""

from __future__ import annotations

import pytest

ORDERS = "shop/orders.py"


@pytest.fixture
def asked(roteiro, repository):
    """Return a function that asks about the small shop."""
    roteiro("sync", "--root", repository)
    return lambda *arguments: roteiro(*arguments, "--root", repository)


def test_search_takes_a_question_in_one_or_more_words(asked):
    """Quoted or not, it is the same question."""
    one = asked("search", "reserve one item", "--json")
    more = asked("search", "reserve", "one", "item", "--json")
    assert one.json == more.json
    best = one.json["results"][0]
    assert (best["path"], best["name"], best["start_line"]) == ("shop/stock.py", "reserve", 1)
    assert best["key"] == "sym:python:shop/stock.py#reserve"


def test_search_is_bounded_and_filtered_by_its_options(asked):
    """Limit, kind and path reach the tool."""
    assert len(asked("search", "shop", "--limit", "1", "--json").json["results"]) == 1
    found = asked("search", "place", "--kind", "function", "--path", "shop", "--json").json["results"]
    assert {hit["kind"] for hit in found} == {"function"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "zzzzqqqq"],
        ["callers", "place"],
    ],
)
def test_nothing_found_is_exit_code_one_with_a_reason(asked, arguments):
    """As grep does, and the answer says why it is empty."""
    ran = asked(*arguments)
    assert ran.code == 1
    assert ran.out.strip()


def test_source_takes_a_key_a_name_a_path_and_lines(asked):
    """Whatever a person has at hand."""
    whole = asked("source", "place", "--json").json
    assert (whole["path"], whole["start_line"]) == (ORDERS, 4)
    assert asked("source", f"{ORDERS}#place", "--json").json == whole
    assert asked("source", f"{ORDERS}:4-6", "--json").json["text"] == whole["text"]
    assert asked("source", ORDERS, "--lines", "1", "--json").json["text"].startswith("from shop.stock")
    assert "def place" in asked("source", ORDERS).out


def test_context_path_and_overview_answer(asked):
    """One look at each."""
    assert "reserve" in asked("context", "place").out
    chain = asked("path", "place", "reserve", "--json").json
    assert [hop["kind"] for hop in chain["hops"]] == ["calls"]
    assert "python" in asked("overview").out


def test_callees_shows_the_line_of_the_call(asked):
    """With path, lines, key and name."""
    call = asked("callees", "place", "--json").json["calls"][0]
    assert (call["path"], call["name"], call["lines"]) == ("shop/stock.py", "reserve", [6])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["callers", "plaice"], 1, "place"),
        (["source", "../outside.py"], 1, "outside"),
        (["source", "/etc/passwd"], 1, "passwd"),
        (["source", f"{ORDERS}:900"], 2, "the file has 6 lines"),
        (["search", "x", "--limit", "5000"], 2, "limit"),
        (["callers", "place", "--depth", "99"], 2, "depth"),
    ],
)
def test_a_wrong_key_path_or_number_says_what_would_have_worked(asked, arguments, code, said):
    """One line, no traceback, the right exit code."""
    ran = asked(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_what_to_ask_next_is_told_in_the_words_of_the_command_line(roteiro, repository):
    """An agent sends `cursor=1`, a person types `--cursor 1`."""
    ran = roteiro("search", "shop", "--limit", "1", "--root", repository)
    assert "--cursor 1" in ran.out
    assert "cursor=" not in ran.out


def test_control_characters_of_the_repository_never_reach_the_terminal(roteiro, repository):
    """A name or a line that moves the cursor is shown as a mark."""
    (repository / "evil.py").write_text('def trap():\n    "\x1b]0;owned\x07\x1b[2J"\n')
    ran = roteiro("source", "trap", "--root", repository)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


def test_source_takes_a_bare_file_name_and_a_path_from_where_one_stands(asked, repository, monkeypatch):
    """The root of the repository need not be typed; a name of several files is not guessed at."""
    whole = asked("source", ORDERS, "--json").json
    assert asked("source", "orders.py", "--json").json == whole
    assert asked("source", "orders.py:4-6", "--json").json["start_line"] == 4
    monkeypatch.chdir(repository / "shop")
    assert asked("source", "orders.py", "--json").json == whole
    assert asked("source", "./orders.py", "--json").json == whole
    (repository / "other").mkdir()
    (repository / "other" / "orders.py").write_text("x = 1\n")
    monkeypatch.chdir(repository)
    ran = asked("source", "orders.py")
    assert ran.code == 1
    assert "Files of that name: other/orders.py, shop/orders.py" in ran.err
    assert "relative to its root" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (["callers", "plaec"], 1, "key_not_found"),
        (["source", "shop/none.py"], 1, "path"),
        (["search", "place", "--kind", "noun"], 2, "argument"),
        (["search", "place", "--limt", "1"], 2, "usage"),
    ],
)
def test_an_error_is_a_json_document_too(asked, arguments, code, kind):
    """A program that reads stdout learns what stderr says, and the exit code stays."""
    ran = asked(*arguments, "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (code, kind)
    assert f"roteiro: {ran.json['error']['message']}" in ran.err
    if kind == "key_not_found":
        assert "sym:python:shop/orders.py#place" in ran.json["error"]["nearest"]
