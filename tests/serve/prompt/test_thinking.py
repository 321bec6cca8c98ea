"""Thinking is told apart from the answer by one rule, for whole and for streamed text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serve.prompt.thinking import ThinkingFilter, without_thoughts

TEXTS = st.lists(st.sampled_from(["<think>", "</think>", "<th", "ink>", "a", " ", "\n", "</", "<"]), max_size=12)


def split(pieces, *, is_open=False):
    stream = ThinkingFilter(is_open=is_open)
    parts = [stream.feed(piece) for piece in pieces] + [stream.end()]
    return "".join(part[0] for part in parts), "".join(part[1] for part in parts)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("plain", "", "plain"),
        ("  plain", "", "  plain"),
        ("<think>why</think>\n\nso", "why", "so"),
        ("\n <think>why</think>so", "why", "so"),
        ("<think>a</think> <think>b</think> so", "ab", "so"),
        ("Use <think> to think.</think>", "", "Use <think> to think.</think>"),
        ("<think>never closed", "never closed", ""),
        ("<thin", "", "<thin"),
        ("<think>x</think>  ", "x", ""),
    ],
)
def test_block_counts_only_where_the_content_starts(text, reasoning, answer):
    """A quoted tag is prose; white space before and after a block is no part of the answer."""
    assert split([text]) == (reasoning, answer)


def test_block_that_the_template_opened_counts():
    """Some templates write the open tag themselves."""
    assert split(["why</think>\nso"], is_open=True) == ("why", "so")


def test_prose_is_passed_at_once():
    """Nothing is held back after the answer began."""
    stream = ThinkingFilter()
    assert stream.feed("Hi <") == ("", "Hi <")


@settings(deadline=None)
@given(TEXTS, st.booleans())
def test_any_cutting_gives_the_same_output(pieces, is_open):
    """The split depends on the text alone."""
    assert (
        split(pieces, is_open=is_open)
        == split(list("".join(pieces)), is_open=is_open)
        == split(["".join(pieces)], is_open=is_open)
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>why</think>\n\nso", "so"),
        (" <think>a</think><think>b</think> so", "so"),
        ("<think>cut off", ""),
        ("  so", "  so"),
        ("Say <think>x</think>.", "Say <think>x</think>."),
        ("", ""),
    ],
)
def test_past_answer_is_kept_without_its_blocks(text, left):
    """By the same rule as a new one."""
    assert without_thoughts(text) == left
