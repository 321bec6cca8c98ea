"""Which part of a prompt is there already, and what is kept of it for the next one.

Strict: only whole chunks of the schedule count, never a generated token, so a hit changes no bit of an answer.
Fast, for models that can go back in their sequence: the longest common prefix counts, whatever evaluated it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from serve.engine.local.context import Context, Lane
from serve.engine.local.native import NativeModel
from serve.engine.local.prompt import Prompt
from serve.engine.local.schedule import PREFILL_STEP, chunk_ends, common_prefix, reusable
from serve.engine.local.sliding import SlidingWindow
from serve.engine.local.snapshots import Snapshot, Snapshots

__all__ = ["Prefixes", "Wanted"]

_SHORTEST_SNAPSHOT_TOKENS = 64
"""Fewer are evaluated again as quickly as they are looked up."""


class Wanted(Struct, frozen=True, kw_only=True):
    """What a request asks of its lane."""

    ends: Sequence[int]
    """The ends of its chunks; one behind the last token says that no logits are needed."""
    room_tokens: int
    is_exact: bool = False
    """Whatever the mode: a request that names a seed is to be answered the same each time."""
    is_asked: bool = True
    """Somebody waits for it: it counts as a hit or a miss."""


class Prefixes:
    """Lends out the lanes of a context, each brought to the longest prefix of a prompt that needs no evaluation."""

    def __init__(
        self, model: NativeModel, context: Context, snapshots: Snapshots, window: SlidingWindow, *, is_fast: bool
    ) -> None:
        self._model = model
        self._context = context
        self._snapshots = snapshots
        self._window = window
        self._is_fast = is_fast and model.rewinds_exactly
        self._free = list(context.lanes)  # the least recently used first
        self._prompts: dict[int, Prompt] = {}

    @property
    def reuses_answers(self) -> bool:
        """Whether the tokens of an answer serve the next turn as they were generated."""
        return self._is_fast

    def take(self, prompt: Prompt, wanted: Wanted, note: Callable[[str], None]) -> Lane:
        """Return a free lane that holds as much of the prompt as is known; `give_back` it. The window has the room.

        Raises:
            EngineError: there is no memory for the room.
        """
        is_fast = self._is_fast and not wanted.is_exact
        lane = max(self._free, key=lambda one: self._live(one, prompt.tokens, wanted.ends, is_fast=is_fast))
        self._free.remove(lane)
        try:
            self._prepare(lane, prompt, wanted, note, is_fast=is_fast)
        except BaseException:
            self.give_back(lane)
            raise
        if wanted.is_asked:
            self._snapshots.stats.hits += bool(lane.tokens)
            self._snapshots.stats.misses += not lane.tokens
        self._prompts[lane.number] = prompt
        return lane

    def _prepare(
        self, lane: Lane, prompt: Prompt, wanted: Wanted, note: Callable[[str], None], *, is_fast: bool
    ) -> None:
        """Bring a lane to what is known of a prompt, in a window with the room."""
        live = self._live(lane, prompt.tokens, wanted.ends, is_fast=is_fast)
        snapshot = self._find(prompt, wanted.ends, live, is_fast=is_fast)
        self._keep_displaced(lane, max(live, snapshot.size_tokens if snapshot else 0))
        self._note_difference(lane, prompt, live, note)
        if snapshot is None and not lane.keep(live):
            snapshot = self._find(prompt, wanted.ends, 0, is_fast=is_fast)  # it could not go back as far as hoped
        if wanted.room_tokens > self._context.size_tokens and not self._model.restores_anywhere:
            for idle in (lane, *self._free):
                idle.clear()  # it would not survive the change exactly
        self._context.reserve(wanted.room_tokens)
        if snapshot is not None:
            self._restore(lane, prompt, snapshot)

    def _find(self, prompt: Prompt, ends: Sequence[int], longer_than: int, *, is_fast: bool) -> Snapshot | None:
        """Return the longest snapshot that may be used; of those in other chunks only where exactness is not asked."""
        found = self._snapshots.find(prompt.tokens, ends, longer_than)
        if not is_fast:
            return found
        least = found.size_tokens if found else longer_than
        return self._snapshots.find(prompt.tokens, _blocks(len(prompt.tokens)), least, is_exact=False) or found

    def _restore(self, lane: Lane, prompt: Prompt, snapshot: Snapshot) -> None:
        begun = time.perf_counter()
        lane.restore(snapshot.state, prompt.tokens[: snapshot.size_tokens], snapshot.ends)
        if not snapshot.is_exact:
            lane.true_tokens = 0
        self._snapshots.stats.restores += 1
        self._snapshots.stats.restore_ms += (time.perf_counter() - begun) * 1000

    def give_back(self, lane: Lane) -> None:
        """Let the next request have a lane; what it holds stays until then."""
        self._free.append(lane)

    def ends_after(self, lane: Lane, prompt: Prompt) -> list[int]:
        """Return where the chunks still to be evaluated end.

        A lane that left the schedule keeps nothing more of it, so its rest is as few chunks as there may be: one of a
        handful of tokens costs as much time as one of thirty.
        """
        start = len(lane.tokens)
        if _is_exact(lane, prompt) and start == (lane.ends[-1] if lane.ends else 0):
            return [end for end in prompt.ends if end > start]
        return [start + end for end in chunk_ends(len(prompt.tokens) - start, ())]

    def keep(self, lane: Lane, prompt: Prompt) -> int:
        """Snapshot a lane after a chunk where that is worth it; return the tokens snapshotted, 0 for none."""
        end = len(lane.tokens)
        # A model that cannot go back needs its own last prompt for the next turn of the same conversation.
        is_wanted = end in prompt.kept_ends or (end == len(prompt.tokens) and not self._model.rewinds_exactly)
        if not is_wanted or not self._is_worth_it(end) or not _is_exact(lane, prompt):
            return 0
        if self._snapshots.holds(lane.tokens, lane.ends):
            return 0
        kept = self._snapshots.put(lane.tokens, lane.ends, lane.save(), is_base=end == prompt.preamble_tokens)
        return end if kept else 0

    def _is_worth_it(self, tokens: int) -> bool:
        return tokens >= _SHORTEST_SNAPSHOT_TOKENS and self._window.settled(tokens) == tokens

    def _live(self, lane: Lane, tokens: list[int], ends: Sequence[int], *, is_fast: bool) -> int:
        exact = reusable(tokens, ends, lane.tokens, lane.true_ends)
        common = common_prefix(tokens[:-1], lane.tokens) if is_fast else 0
        # A template's first words are no reason to leave the schedule: its snapshots serve every later request.
        return common if common >= _SHORTEST_SNAPSHOT_TOKENS else exact

    def _keep_displaced(self, lane: Lane, used: int) -> None:
        """Snapshot the last prompt of a lane that another conversation takes over."""
        prompt = self._prompts.get(lane.number)
        if prompt is None:
            return
        end = len(prompt.tokens)
        if not self._model.rewinds_exactly or lane.tokens[:end] != prompt.tokens:
            return
        is_exact = tuple(lane.true_ends[: len(prompt.ends)]) == prompt.ends
        known = prompt.ends if is_exact else _blocks(end)
        last = next((end for end in reversed(known) if self._is_worth_it(end)), 0)
        ends = known[: known.index(last) + 1] if last else ()
        if last - used <= PREFILL_STEP:
            return
        tokens = prompt.tokens[:last]
        is_new = (is_exact or self._is_fast) and not self._snapshots.holds(tokens, ends, is_exact=is_exact)
        if is_new and lane.keep(last):
            self._snapshots.put(tokens, ends, lane.save(), is_exact=is_exact)

    def _note_difference(self, lane: Lane, prompt: Prompt, live: int, note: Callable[[str], None]) -> None:
        if lane.tokens and not live:
            at = common_prefix(prompt.tokens, lane.tokens)
            note(f"prefix cache: the prompt differs from the last one at token {at}")


def _is_exact(lane: Lane, prompt: Prompt) -> bool:
    """Say whether a lane was evaluated in the chunks of a prompt's schedule."""
    return tuple(lane.true_ends) == prompt.ends[: len(lane.ends)]


def _blocks(tokens: int) -> tuple[int, ...]:
    """Return the ends of whole blocks, by which prefixes are found that were not evaluated in chunks of a schedule."""
    return tuple(range(PREFILL_STEP, tokens + 1, PREFILL_STEP))
