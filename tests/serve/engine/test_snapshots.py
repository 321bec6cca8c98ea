"""States are kept within a budget and found only under the same chunks."""

from serve.engine.local.snapshots import Snapshots


def test_longest_whole_prefix_is_found():
    """Never one as long as the prompt itself, whose logits are needed."""
    kept = Snapshots(100)
    for size in (2, 4, 6):
        kept.put(range(size), range(2, size + 1, 2), b"x" * size)
    found = kept.find(list(range(6)), (2, 4, 6))
    assert found is not None
    assert (found.tokens, found.state) == ((0, 1, 2, 3), b"xxxx")


def test_other_tokens_or_chunks_are_a_miss():
    """One token flipped, or one boundary moved."""
    kept = Snapshots(100)
    kept.put([1, 2, 3], [1, 3], b"x")
    assert kept.find([1, 9, 3, 4], (1, 3, 4)) is None
    assert kept.find([1, 2, 3, 4], (2, 3, 4)) is None
    assert kept.find([1, 2, 3, 4], (1, 3, 4)) is not None


def test_least_recently_used_goes_first():
    """Being found counts as being used."""
    kept = Snapshots(4)
    kept.put([1], [1], b"aa")
    kept.put([2], [1], b"bb")
    assert kept.find([1, 0], (1, 2)) is not None
    kept.put([3], [1], b"cc")
    assert kept.holds([1], [1])
    assert not kept.holds([2], [1])


def test_state_larger_than_the_budget_is_not_kept():
    """It would displace everything for nothing."""
    kept = Snapshots(4)
    kept.put([1], [1], b"aa")
    kept.put([2], [1], b"b" * 5)
    assert kept.holds([1], [1])
