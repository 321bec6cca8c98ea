"""A loop is exact, or hardly says anything new, is long, and leads nowhere."""

import random

import pytest

from serve.prompt.repeats import (
    LEAST_TIMES,
    LEAST_TOKENS,
    LEAST_TOKENS_BETWEEN,
    LEAST_TOKENS_LISTED,
    STALE_TOKENS,
    Repeats,
)


def floor(tokens, left=None, *, is_text=True, left_loops=0):
    watch = Repeats(left_loops)
    for token, bytes_left in zip(tokens, left or [5] * len(tokens), strict=True):
        watch.feed(token, bytes_left, bytes_left, is_text=is_text)
    return watch.floor()


@pytest.mark.parametrize(("size", "is_text"), [(1, True), (7, True), (60, True), (1, False), (7, False), (30, False)])
def test_same_tokens_over_and_over_are_a_loop(size, is_text):
    """After as many tokens and times as it says, and not before: soon in a text, late in a list of numbers."""
    least = LEAST_TOKENS if is_text or size == 30 else LEAST_TOKENS_LISTED
    whole = max(least, LEAST_TIMES * size)
    tokens = (list(range(size)) * whole)[:whole]
    assert floor([900, *tokens], is_text=is_text) == 5
    assert floor([900, *tokens[:-1]], is_text=is_text) is None


def test_short_items_with_texts_are_a_loop_earlier_than_numbers():
    """A quote, a word, and a quote with its comma."""
    watch = Repeats()
    for number in range(LEAST_TOKENS_BETWEEN):
        assert watch.floor() is None
        watch.feed(number % 3, (3, 3, 1)[number % 3], (2, 3, 1)[number % 3], is_text=number % 3 < 2)
    assert watch.floor() == 1


@pytest.mark.parametrize("is_text", [True, False])
def test_second_loop_is_seen_in_half_the_time(is_text):
    """A model that fell once falls again."""
    tokens = [1, 2] * ((LEAST_TOKENS if is_text else LEAST_TOKENS_LISTED) // 4)
    assert floor(tokens, is_text=is_text, left_loops=1) == 5
    assert floor(tokens[:-1], is_text=is_text, left_loops=1) is None
    assert floor(tokens, is_text=is_text) is None
    assert floor(tokens[: len(tokens) // 2], is_text=is_text, left_loops=2) == 5
    assert floor([1, 2] * 4, is_text=is_text, left_loops=50) is None


def test_what_differs_is_no_loop():
    """A list that counts, and a loop that was left by one token."""
    counting = [token for number in range(200) for token in (1, 2, 100 + number)]
    assert floor(counting) is None
    assert floor(counting, is_text=False) is None
    assert floor([*[1, 2] * 120, 3]) is None


def test_text_that_says_the_same_in_another_order_is_a_loop():
    """Of two sentences, one or the other, for ever; between the items of a list that is no loop."""
    rng = random.Random(3)  # noqa: S311 - a test's dice
    sentences = [list(range(10)), [*range(6), 10, 11, 12]]
    tokens = [token for _ in range(80) for token in rng.choice(sentences)]
    assert floor(tokens[: STALE_TOKENS // 2]) is None
    assert floor(tokens) == 5
    assert floor(tokens, is_text=False) is None


def test_row_of_noughts_and_ones_is_no_loop():
    """Two characters in an order of their own, as in a maze or a picture."""
    rng = random.Random(4)  # noqa: S311 - a test's dice
    assert floor([rng.randint(0, 1) for _ in range(1_500)]) is None


def test_what_the_grammar_demands_is_no_loop():
    """The end comes nearer with every item, or character."""
    assert floor([1, 2] * 600, list(range(1_200, 0, -1)), is_text=False) is None
    assert floor([1, 2] * 200, list(range(800, 400, -1))) is None


def test_lowest_place_inside_the_loop_is_told():
    """Behind an item fewer bytes are left than inside it."""
    assert floor([1, 2, 3] * 400, [4, 6, 3] * 400, is_text=False) == 3


def test_each_time_deeper_inside_is_left_one_level_at_a_time():
    """By what is nearer to the end than all of the last round."""
    left = [number // 3 * 2 + (4, 6, 7)[number % 3] for number in range(LEAST_TOKENS + 3)]
    assert floor([1, 2, 3] * (LEAST_TOKENS // 3 + 1), left, is_text=False) == left[-3] + 1
