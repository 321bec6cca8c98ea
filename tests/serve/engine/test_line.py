"""First come, first served, with positions."""

import asyncio

import pytest

from serve.engine.line import Line
from serve.errors import QueueFullError


async def test_positions_move_when_one_leaves():
    """Also when it leaves from the middle."""
    line = Line(5)
    first, second, third = line.join(), line.join(), line.join()
    assert [turn.position for turn in (first, second, third)] == [0, 1, 2]
    second.leave()
    await asyncio.wait_for(third.move(), 10)
    assert third.position == 1
    first.leave()
    first.leave()
    await asyncio.wait_for(third.move(), 10)
    assert third.position == 0


async def test_full_line_refuses():
    """One is served, as many as the limit wait, the next is told when to come back."""
    line = Line(1)
    line.join()
    line.join()
    with pytest.raises(QueueFullError) as caught:
        line.join()
    assert (caught.value.waiting, caught.value.status) == (1, 429)
