"""Stop strings are met wherever the borders of the pieces fall."""

from hypothesis import given, settings
from hypothesis import strategies as st

from serve.prompt.stops import StopFilter


def run(pieces: list[str], stops: tuple[str, ...]) -> tuple[str, str | None]:
    stream = StopFilter(stops)
    text = "".join(stream.feed(piece) for piece in pieces)
    return text + stream.end(), stream.met


def test_text_without_stops_passes_at_once():
    """Nothing is held back when there is nothing to wait for."""
    assert StopFilter(()).feed("abc") == "abc"


def test_only_a_possible_beginning_is_held():
    """The tail that may become a stop waits; the rest is out."""
    stream = StopFilter(("END",))
    assert stream.feed("one E") == "one "
    assert stream.feed("x") == "Ex"


def test_shorter_stop_inside_an_open_longer_one_counts_at_the_end():
    """`abcX` never came whole, so `bc` ended the text."""
    assert run(["abc"], ("abcX", "bc")) == ("a", "bc")


@settings(deadline=None)
@given(
    st.lists(st.text("abc", max_size=4), max_size=8),
    st.lists(st.text("abc", min_size=1, max_size=3), max_size=3).map(tuple),
)
def test_any_cutting_gives_the_same_output(pieces, stops):
    """The filter depends on the text, never on its pieces, and agrees with a plain search."""
    text = "".join(pieces)
    found = min(((text.find(stop), order) for order, stop in enumerate(stops) if stop in text), default=None)
    expected = (text, None) if found is None else (text[: found[0]], stops[found[1]])
    assert run(pieces, stops) == run([text], stops) == expected
