"""Which part of a prompt is there already, and what is kept of it for the next one.

Strict: only whole chunks of the schedule count, never a generated token, so a hit changes no bit of an answer.
Fast, for models that can go back in their sequence: the longest common prefix counts, whatever evaluated it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence

from serve.engine.local.context import Context, Lane
from serve.engine.local.native import NativeModel
from serve.engine.local.prompt import Prompt
from serve.engine.local.schedule import PREFILL_STEP, chunk_ends, reusable
from serve.engine.local.snapshots import Snapshots

__all__ = ["Prefixes"]

_HEADROOM_TOKENS = 16
_SHORTEST_SNAPSHOT_TOKENS = 64


class Prefixes:
    """Lends out the lanes of a context, each brought to the longest prefix of a prompt that needs no evaluation."""

    def __init__(self, model: NativeModel, context: Context, snapshots: Snapshots, *, is_fast: bool) -> None:
        self._model = model
        self._context = context
        self._snapshots = snapshots
        self._is_fast = is_fast and model.rewinds_exactly
        self._free = list(context.lanes)  # the least recently used first
        self._prompt_ends: dict[int, int] = {}

    def take(self, prompt: Prompt, ends: Sequence[int], room_tokens: int, note: Callable[[str], None]) -> Lane:
        """Return a free lane that holds as much of the prompt as is known; `give_back` it. The window has the room."""
        lane = max(self._free, key=lambda one: self._live(one, prompt.tokens, ends))
        self._free.remove(lane)
        live = self._live(lane, prompt.tokens, ends)
        stats = self._snapshots.stats
        snapshot = self._snapshots.find(prompt.tokens, ends, live) if self._model.restores_exactly else None
        self._keep_displaced(lane, max(live, snapshot.size_tokens if snapshot else 0))
        self._note_difference(lane, prompt, live, note)
        if snapshot is None and not lane.keep(live) and self._model.restores_exactly:
            snapshot = self._snapshots.find(prompt.tokens, ends)  # it could not go back as far as hoped
        if room_tokens > self._context.size_tokens and not self._model.restores_exactly:
            for idle in (lane, *self._free):
                idle.clear()  # it would not survive the change exactly
        self._context.reserve(room_tokens)
        if snapshot is not None:
            begun = time.perf_counter()
            lane.restore(snapshot.state, prompt.tokens[: snapshot.size_tokens], snapshot.ends)
            stats.restores += 1
            stats.restore_ms += (time.perf_counter() - begun) * 1000
        stats.hits += bool(lane.tokens)
        stats.misses += not lane.tokens
        self._prompt_ends[lane.number] = len(prompt.tokens)
        return lane

    def give_back(self, lane: Lane) -> None:
        """Let the next request have a lane; what it holds stays until then."""
        self._free.append(lane)

    def ends_after(self, lane: Lane, prompt: Prompt) -> list[int]:
        """Return where the chunks still to be evaluated end."""
        start = len(lane.tokens)
        if start in (0, *prompt.ends):
            return [end for end in prompt.ends if end > start]
        rest = chunk_ends(len(prompt.tokens) - start, [end - start for end in prompt.ends if end > start])
        return [start + end for end in rest]

    def keep(self, lane: Lane, prompt: Prompt) -> int:
        """Snapshot a lane after a chunk where that is worth it; return the tokens snapshotted, 0 for none."""
        end = len(lane.tokens)
        # A model that cannot go back needs its own last prompt for the next turn of the same conversation.
        is_wanted = end in prompt.kept_ends or (end == len(prompt.tokens) and not self._model.rewinds_exactly)
        if not is_wanted or not self._is_worth_it(end) or self._snapshots.holds(lane.tokens, lane.ends):
            return 0
        kept = self._snapshots.put(lane.tokens, lane.ends, lane.save(), is_base=end == prompt.preamble_tokens)
        return end if kept else 0

    def _is_worth_it(self, tokens: int) -> bool:
        return tokens >= _SHORTEST_SNAPSHOT_TOKENS and self._model.restores_exactly

    def _live(self, lane: Lane, tokens: list[int], ends: Sequence[int]) -> int:
        if self._is_fast:
            pairs = zip(tokens[:-1], lane.tokens, strict=False)
            return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        return reusable(tokens, ends, lane.tokens, lane.ends)

    def _keep_displaced(self, lane: Lane, used: int) -> None:
        """Snapshot the last prompt of a lane that another conversation takes over."""
        end = self._prompt_ends.get(lane.number, 0)
        is_displaced = end - used > PREFILL_STEP and self._is_worth_it(end) and end in lane.ends
        if not (is_displaced and self._model.rewinds_exactly and lane.keep(end)):
            return
        if not self._snapshots.holds(lane.tokens, lane.ends):
            self._snapshots.put(lane.tokens, lane.ends, lane.save())

    def _note_difference(self, lane: Lane, prompt: Prompt, live: int, note: Callable[[str], None]) -> None:
        if lane.tokens and not live:
            pairs = enumerate(zip(prompt.tokens, lane.tokens, strict=False))
            at = next((at for at, (ours, theirs) in pairs if ours != theirs), None)
            note(f"prefix cache: the prompt differs from the last one at token {at}")
