"""Where the state of a sliding window is put back exactly."""

from hypothesis import given, settings
from hypothesis import strategies as st

from serve.engine.local.sliding import SlidingWindow


def test_model_without_a_window_is_put_back_anywhere():
    """All of its cells are saved."""
    assert SlidingWindow().settled(12_345) == 12_345


def test_prefix_inside_the_window_is_put_back_as_it_is():
    """Nothing has left it."""
    assert SlidingWindow(512).settled(512) == 512
    assert SlidingWindow(512, has_flash_attention=True).settled(400) == 400


def test_flash_attention_keeps_what_never_left_the_window():
    """It adds in blocks of another kind."""
    assert SlidingWindow(512, has_flash_attention=True).settled(5_000) == 512


@settings(deadline=None)
@given(st.integers(1, 4_096), st.integers(0, 20_000))
def test_what_left_the_window_is_a_whole_number_of_blocks(window, count):
    """And not more is evaluated again than one of them."""
    settled = SlidingWindow(window).settled(count)
    assert count - 128 < settled <= count
    assert settled <= window or (settled - window) % 128 == 0
    assert SlidingWindow(window).settled(settled) == settled
