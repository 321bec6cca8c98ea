"""Prefill is cut where the tokens say so, and only whole equal chunks are used again."""

from hypothesis import given, settings
from hypothesis import strategies as st

from serve.engine.local.schedule import PREFILL_STEP, chunk_ends, common_prefix, reusable


def test_cuts_restart_the_steps():
    """After each cut the steps count anew."""
    assert chunk_ends(900, [100, 300]) == (100, 300, 556, 812, 900)


def test_cuts_outside_the_prompt_do_not_count():
    """Neither before its first token nor at or after its end."""
    assert chunk_ends(10, [0, 10, 99]) == (10,)


def test_last_chunk_is_never_used_again():
    """Its logits are needed."""
    assert reusable([1, 2, 3], (2, 3), [1, 2, 3], (2, 3)) == 2


def test_other_chunks_of_the_same_tokens_do_not_count():
    """What was evaluated in other widths differs in the last bits."""
    assert reusable([1, 2, 3, 4], (1, 3, 4), [1, 2, 3, 4], (2, 3, 4)) == 0
    assert reusable([1, 2, 3, 4], (1, 3, 4), [1, 2, 3], (1, 2, 3)) == 1


@settings(deadline=None)
@given(st.integers(1, 2_000), st.lists(st.integers(0, 2_000), max_size=6))
def test_chunks_cover_the_prompt_and_are_never_wider_than_a_step(total, cuts):
    """And every cut inside is the end of one."""
    ends = chunk_ends(total, cuts)
    starts = (0, *ends[:-1])
    assert ends[-1] == total
    assert all(0 < end - start <= PREFILL_STEP for start, end in zip(starts, ends, strict=True))
    assert {cut for cut in cuts if 0 < cut < total} <= set(ends)


@settings(deadline=None)
@given(st.integers(1, 1_000), st.integers(1, 1_000), st.lists(st.integers(1, 2_000), max_size=6))
def test_chunks_up_to_a_cut_do_not_depend_on_what_follows(cut, more, cuts):
    """The schedule of a prefix is a function of the prefix."""
    before = [one for one in cuts if one < cut]
    assert chunk_ends(cut + more, [*cuts, cut])[: len(chunk_ends(cut, before))] == chunk_ends(cut, before)


@settings(deadline=None)
@given(st.lists(st.integers(0, 2), max_size=60), st.lists(st.integers(0, 2), max_size=60), st.integers(0, 60))
def test_common_prefix_ends_at_the_first_difference(first, second, shared):
    """Or with the shorter of the two."""
    second = first[:shared] + second
    pairs = list(zip(first, second, strict=False))
    expected = next((at for at, (one, other) in enumerate(pairs) if one != other), len(pairs))
    assert common_prefix(first, second) == expected
