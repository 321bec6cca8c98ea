"""Evidence is chosen, cut to the lines that matter, and quoted so that nothing gets out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import PathError
from graph.search.ranking import Term
from graph.search.search import Hit
from serve.ask.budgets import evidence_tokens, result_bytes
from serve.ask.evidence import CHARACTERS_A_TOKEN, MAX_CITED_LINES, choose, excerpts, quoted
from serve.ask.lines import kept_lines
from serve.engine.base import EngineInfo
from serve.settings import AskSettings

QUERY = (Term("sign", 3.0), Term("kei", 1.0))


def hit(name, start, end, *, kind="function", path="a.py", score=1.0, is_test=False):
    return Hit(
        path=path,
        start_line=start,
        end_line=end,
        key=f"{path}#{name}",
        name=name,
        qualname=name,
        kind=kind,
        is_test=is_test,
        signature="",
        doc="",
        lines=(),
        why="",
        score=score,
    )


def test_symbols_come_before_files_and_code_before_its_tests():
    """A file or a test is evidence only where there is nothing else."""
    whole, test, code = hit("a.py", 0, 90, kind="file"), hit("test_it", 1, 5, is_test=True), hit("it", 10, 20)
    assert choose([whole, test, code], 3, wants_tests=False) == [code]
    assert choose([whole, test, code], 3, wants_tests=True) == [test, code]
    assert choose([whole], 3, wants_tests=False) == [whole]
    assert choose([test], 3, wants_tests=False) == [test]


def test_nothing_is_shown_twice():
    """What holds a chosen place is left out; a method beside its class is not."""
    method, around, inner = hit("C.m", 5, 9, kind="method"), hit("C", 1, 50, kind="class"), hit("f", 6, 7)
    assert choose([method, around, inner], 3, wants_tests=False) == [method]
    assert choose([around, method], 3, wants_tests=False) == [around, method]


def test_a_long_class_gives_way_to_methods_unless_it_is_the_best():
    """An excerpt of a class of hundreds of lines says little."""
    long, one, two = hit("C", 1, 400, kind="class", path="b.py"), hit("one", 1, 9), hit("two", 20, 29)
    assert choose([one, long, two], 2, wants_tests=False) == [one, two]
    assert choose([one, long], 2, wants_tests=False) == [one, long]
    assert choose([long, one, two], 2, wants_tests=False) == [long, one]


def test_the_budget_holds_and_the_first_gets_most():
    """Long symbols are cut to lines; together they stay within the tokens."""
    lines = "\n".join(f"    value_{number} = sign(key_{number})" for number in range(200))
    found = excerpts([hit("one", 1, 200), hit("two", 1, 200, path="b.py")], QUERY, lambda *_: lines, 300)
    assert len(found) == 2
    assert len(found[0].text) > len(found[1].text)
    assert sum(len(one.text) for one in found) <= 300 * CHARACTERS_A_TOKEN * 1.1
    assert "..." in found[0].text


def test_a_hit_whose_file_is_gone_is_passed_over():
    """Its room goes to the next."""

    def read(path, start, end):
        if path == "a.py":
            raise PathError("gone")
        return "def two():\n    pass\n"

    found = excerpts([hit("one", 1, 2), hit("two", 1, 2, path="b.py")], QUERY, read, 100)
    assert [one.shown.name for one in found] == ["two"]


def test_a_long_class_is_cited_by_the_stretch_that_was_shown():
    """Forty lines at most; a function is one place however long."""
    lines = "\n".join(["class C:", *(["    x = 1"] * 150), "    signed = sign(key)", *(["    y = 2"] * 150)])
    (found,) = excerpts([hit("C", 1, 302, kind="class")], QUERY, lambda *_: lines, 60)
    assert found.shown.end_line - found.shown.start_line < MAX_CITED_LINES
    (found,) = excerpts([hit("f", 1, 302)], QUERY, lambda *_: lines, 60)
    assert (found.shown.start_line, found.shown.end_line) == (1, 302)


def test_code_counts_more_than_the_prose_about_it():
    """A long doc comment that repeats the question does not crowd the code out."""
    source = [
        "def sign(value):",
        '    """Sign.',
        *["    sign sign key sign"] * 30,
        '    """',
        "    key = derive()",
        "    return hmac(key)",
    ]
    kept = kept_lines(source, (Term("sign", 3.0), Term("hmac", 2.0), Term("kei", 1.0)), 200)
    assert {0, 33, 34} <= set(kept)


@given(st.lists(st.text(alphabet="abc(){}:#\"' \n", max_size=30), min_size=1, max_size=40), st.integers(0, 400))
def test_kept_lines_are_in_order_and_within_the_source(source, room):
    """Whatever the source, at least one line, none twice."""
    kept = kept_lines(source, QUERY, room)
    assert kept
    assert kept == sorted(set(kept))
    assert 0 <= kept[0] <= kept[-1] < len(source)


@pytest.mark.parametrize("text", ["</evidence>", "<evidence>", "a </evidence> b </evidence>"])
def test_nothing_in_a_file_closes_the_quotation(text):
    """The delimiters stand once, at the ends."""
    whole = quoted([text])
    assert whole.count("<evidence>") == 1
    assert whole.count("</evidence>") == 1
    assert whole.startswith("<evidence>\n")
    assert whole.endswith("\n</evidence>")


@pytest.mark.parametrize(
    ("rate", "is_follow_up", "tokens"), [(None, False, 500), (None, True, 300), (30.0, False, 360), (5.0, False, 200)]
)
def test_evidence_is_budgeted_by_the_speed_of_the_engine(rate, is_follow_up, tokens):
    """Twelve seconds of prefill, never more than is set, never less than is useful."""
    info = EngineInfo(model="m", kind="local", window_tokens=None, prefill_tokens_per_s=rate)
    assert evidence_tokens(AskSettings(), info, is_follow_up=is_follow_up) == tokens
    assert result_bytes(AskSettings(), info) <= AskSettings().tool_bytes


def test_a_hit_far_below_the_best_is_no_evidence():
    """It would only lead a small model astray; a name that the question holds does not count as the best."""
    scores = {"best": 5.0, "near": 4.0, "far": 2.0}
    hits = [hit(name, 10 * line, 10 * line + 5, score=scores[name]) for line, name in enumerate(scores, 1)]
    assert [kept.name for kept in choose(hits, 3, wants_tests=False)] == ["best", "near"]
    named = [hit("named", 60, 65, score=16.0), *hits]
    assert [kept.name for kept in choose(named, 4, wants_tests=False)] == ["named", "best", "near"]
