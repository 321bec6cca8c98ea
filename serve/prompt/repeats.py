"""Whether what is being written has begun to repeat: the same tokens over and over, or hardly a new turn. Pure.

Only repetition counts that hardly anyone means. Inside a text that is soon; between the short items of a list it is
late, since a list may well hold the same label for each of forty lines, and later where no text is among them. What a
grammar still demands (the fifty items of `minItems`) is never a loop: there the end comes nearer. A list that counts
upwards is none either.
"""

from __future__ import annotations

from collections import deque

__all__ = ["LEAST_TIMES", "LEAST_TOKENS", "LEAST_TOKENS_BETWEEN", "LEAST_TOKENS_LISTED", "STALE_TOKENS", "Repeats"]

LEAST_TIMES = 4
"""How often a thing stands there before it is a loop."""
LEAST_TOKENS = 192
"""How many tokens the repetitions have inside one text, or of an item as long as a sentence. A file may hold a board of
nine rows of zeros, or eighty blank lines."""
LEAST_TOKENS_BETWEEN = 256
"""The same for what is shorter and repeats from item to item, texts among it: forty objects of one label."""
LEAST_TOKENS_LISTED = 1_024
"""The same where no text is among it: a list of listed values or numbers may well be long and all the same."""
_SENTENCE_TOKENS = 24
_MOST_HALVINGS = 3
STALE_TOKENS = 256
"""How long a text goes on with hardly a turn that it did not have before, until that is a loop too."""
_TURN_TOKENS = 12
"""Long enough that a row of noughts and ones, or a maze of two characters, is all new turns."""
_TURNS_TO_ONE_NEW = 20
_NO_TEXT = 1 << 60
"""More bytes than any end is away: the next text has a floor of its own."""
_LONGEST_TOKENS = 256
"""The longest thing whose repetition is seen."""


class Repeats:
    """Follows one document, token by token; of one that left loops before it waits half as long after each."""

    def __init__(self, left_loops: int = 0) -> None:
        self._share = 1 << min(left_loops, _MOST_HALVINGS)
        self._tokens: deque[int] = deque(maxlen=_LONGEST_TOKENS)
        self._left: list[int] = []
        self._least: list[int] = []
        self._in_text: list[bool] = []
        self._runs: dict[int, int] = {}
        """For each distance: how many of the last tokens equal those that far before them."""
        self._text = _Text(_NO_TEXT, STALE_TOKENS // self._share)

    def feed(self, token: int, bytes_left: int, least: int, *, is_text: bool) -> None:
        """Take a token with how far the end is behind it, and was at the nearest inside it.

        `is_text` says that it ends where almost any character may follow.
        """
        runs: dict[int, int] = {}
        for distance, earlier in enumerate(reversed(self._tokens), 1):
            if earlier == token:
                runs[distance] = self._runs.get(distance, 0) + 1
        self._runs = runs
        self._tokens.append(token)
        self._left.append(bytes_left)
        self._least.append(least)
        self._in_text.append(is_text)
        if not is_text or least < self._text.floor:
            self._text = _Text(bytes_left if is_text else _NO_TEXT, STALE_TOKENS // self._share)
        self._text.feed(token)

    def floor(self) -> int | None:
        """Return the fewest bytes that were left inside the loop that goes on; None where there is none."""
        for distance, run in self._runs.items():
            whole = run + distance
            least = max(self._threshold(distance, whole), LEAST_TIMES * distance)
            if whole < least:
                continue
            steps = min(run, least) // distance * distance
            now, before = self._left[-1], self._left[-1 - steps]
            if now > before:  # each time it is deeper inside: one level is left at a time
                return min(self._least[-distance:]) + 1
            if now == before:
                return min(self._least[-least:])
        is_stale = self._text.is_stale and self._left[-1] >= self._text.floor
        return self._text.floor if is_stale else None

    def _threshold(self, distance: int, whole: int) -> int:
        """Return how many tokens must repeat at this distance until that is a loop."""
        is_deeper = self._left[-1] > self._left[-1 - distance]
        if is_deeper or whole <= self._text.size or (distance >= _SENTENCE_TOKENS and not self._has_shorter(distance)):
            return LEAST_TOKENS // self._share
        return (LEAST_TOKENS_BETWEEN if any(self._in_text[-distance:]) else LEAST_TOKENS_LISTED) // self._share

    def _has_shorter(self, distance: int) -> bool:
        """Say whether what repeats at this distance is itself a shorter thing, some times over."""
        run = self._runs[distance]
        return any(distance % shorter == 0 and self._runs[shorter] > run for shorter in self._runs)


class _Text:
    """The tokens of one text, and how many of the last ones end a turn that was not there before."""

    def __init__(self, floor: int, patience: int) -> None:
        self.floor = floor
        self.size = 0
        self._last: deque[int] = deque(maxlen=_TURN_TOKENS)
        self._seen: set[tuple[int, ...]] = set()
        self._news: deque[bool] = deque(maxlen=patience)
        self._new = 0

    @property
    def is_stale(self) -> bool:
        """Whether almost nothing of the last tokens was new."""
        patience = self._news.maxlen or 0
        return len(self._news) == patience and self._new <= patience // _TURNS_TO_ONE_NEW

    def feed(self, token: int) -> None:
        self.size += 1
        self._last.append(token)
        turn = tuple(self._last)
        is_new = turn not in self._seen
        self._seen.add(turn)
        if len(self._news) == self._news.maxlen:
            self._new -= self._news[0]
        self._news.append(is_new)
        self._new += is_new
