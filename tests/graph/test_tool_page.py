"""Cutting answers to size."""

from hypothesis import given, settings
from hypothesis import strategies as st

from graph.tool_page import Page, cut, fit

TEXTS = st.text(max_size=60).map(lambda text: text.replace("\n", " "))


def _go_on(total):
    return lambda shown: f"{total - shown} more: cursor={shown}" if shown < total else ""


@settings(deadline=None)  # the machine may be busy
@given(TEXTS, st.lists(TEXTS, max_size=12), TEXTS, st.integers(0, 400))
def test_no_text_is_longer_than_its_limit(head, items, foot, limit_bytes):
    """Whatever is in it, and in bytes, not in characters."""
    page = Page(head=head, items=items, foot=foot, go_on=_go_on(len(items)))
    assert len(fit(page, limit_bytes, "[status]").encode()) <= limit_bytes


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.text("ab\u00e9", min_size=1, max_size=30), min_size=1, max_size=12), st.integers(60, 400))
def test_what_is_not_shown_is_announced(items, limit_bytes):
    """As many items as fit, and where to go on behind them."""
    text = fit(Page(head="h", items=items, go_on=_go_on(len(items))), limit_bytes)
    lines = text.splitlines()
    shown = len(lines) - 1 - ("cursor=" in text)
    assert lines[1 : 1 + shown - 1] == items[: shown - 1]
    assert ("cursor=" in text) == (shown < len(items))
    if shown < len(items):
        assert lines[-1] == f"{len(items) - shown} more: cursor={shown}"


def test_everything_is_shown_where_it_fits():
    """Head, items, foot, status; nothing else."""
    page = Page(head="head", items=["a", "b"], foot="foot", go_on=_go_on(2))
    assert fit(page, 100, "status") == "head\na\nb\nfoot\nstatus"


@settings(deadline=None)  # the machine may be busy
@given(st.text(max_size=50), st.integers(0, 60))
def test_a_cut_text_is_valid_and_marked(text, limit_bytes):
    """Never half a character."""
    kept = cut(text, limit_bytes)
    assert len(kept.encode()) <= limit_bytes
    assert kept == text or kept.endswith("… (cut)") or limit_bytes < 10
