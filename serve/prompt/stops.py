"""Stop strings in a stream: text is held back only while it may still become one.

Any cutting of the same text into pieces gives the same output, and a stop string is met wherever token borders fall.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["StopFilter"]


class StopFilter:
    """Passes text through up to the first stop string; of two that start together, the one named first counts.

    `met` is the stop string that ended the text, or None.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.met: str | None = None

    def feed(self, piece: str) -> str:
        """Return the text that is decided after `piece`; empty once a stop string was met."""
        if self.met is not None:
            return ""
        if not self._stops:
            return piece
        text = self._held + piece
        found = self._decided(text)
        if found is not None:
            at, order = found
            self.met = self._stops[order]
            self._held = ""
            return text[:at]
        keep = max(_open_tail(text, stop) for stop in self._stops)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def end(self) -> str:
        """Return what was held back, now that no more text comes."""
        held, self._held = self._held, ""
        found = self._earliest(held)
        if found is None:
            return held
        at, order = found
        self.met = self._stops[order]
        return held[:at]

    def _decided(self, text: str) -> tuple[int, int] | None:
        """Return where the earliest stop string starts and which it is, once none still open could come before it."""
        found = self._earliest(text)
        if found is None:
            return None
        still_open = ((len(text) - _open_tail(text, stop), order) for order, stop in enumerate(self._stops))
        return None if any(tail < found for tail in still_open) else found

    def _earliest(self, text: str) -> tuple[int, int] | None:
        return min(((text.find(stop), order) for order, stop in enumerate(self._stops) if stop in text), default=None)


def _open_tail(text: str, stop: str) -> int:
    """Return how many characters at the end of `text` are a beginning of `stop`, not the whole of it."""
    for size in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0
