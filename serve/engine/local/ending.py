"""How a held answer ends: out of a loop it has fallen into, and in time before its tokens run out.

It says nothing as long as neither is near, so an answer that goes well is what the model and the grammar made of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from serve.engine.local.vocabulary import Vocabulary
from serve.prompt.gbnf_machine import Machine, Place
from serve.prompt.gbnf_sizes import NEVER
from serve.prompt.names import Names
from serve.prompt.repeats import Repeats

__all__ = ["Ending"]

_CHARACTER_BYTES = 3
"""What a character of UTF-8 may still lack."""
_SPELLED_BYTES = 512
_SPELLING_MARGIN_TOKENS = 16
_LONGEST_WAY_BYTES = 16_384
"""A longer way to the end counts a token for each byte: nobody's tokens hold it else."""

_MOST_MACHINES = 4
"""Schemas whose machines are kept with the places they know: the same client sends the same one again."""


@lru_cache(maxsize=_MOST_MACHINES)
def _machine(text: str) -> Machine:
    return Machine(text)


class _Onward(Struct, frozen=True):
    """Where a token leads."""

    token: int
    text: str
    rest: bytes
    """The bytes of a character that the token leaves open."""
    place: Place | None


class Ending:
    """Follows one document under a grammar text. `ways_out` are texts that close what no single character does.

    Where the text leaves the grammar, or the machine gives up, it says nothing any more.

    `is_landing` turns true once a token was refused because the rest of the document would not have fitted;
    `left_loops` counts the loops that were left.

    Raises:
        ValueError: no machine follows the grammar, or no text fits it.
    """

    def __init__(self, vocabulary: Vocabulary, text: str, ways_out: Sequence[str] = ()) -> None:
        self._vocabulary = vocabulary
        self._machine = _machine(text)
        self._ways_out = ways_out
        self._place: Place | None = self._machine.start
        self._rest = b""
        self._peeked: _Onward | None = None
        self._repeats = Repeats()
        self._names = Names()
        self._forced: list[int] = []
        self._costs: dict[Place, int] = {}
        self._spelled = (0, 0)
        """The bytes and the tokens of the way that was spelled last."""
        if self._place.bytes_left >= NEVER:
            raise ValueError("nothing fits the grammar")
        self.is_landing = False
        self.left_loops = 0

    @property
    def is_whole(self) -> bool:
        """Whether the document is whole and nothing more may follow."""
        return self._place is not None and self._place.is_end and not self._place.ways

    def follow_text(self, text: str) -> None:
        """Move on by a text that was written already."""
        if self._place is not None:
            self._place, _ = self._moved(self._place, text)

    def follow(self, token: int) -> None:
        """Move on by a token that was drawn."""
        if self._forced:
            self._forced = self._forced[1:] if self._forced[0] == token else []
        if self._place is None:
            return
        onward = self._onward(token)
        self._peeked, self._rest = None, onward.rest
        self._place, least = self._moved(self._place, onward.text)
        if self._place is not None:
            self._repeats.feed(token, self._place.bytes_left, least, is_text=self._place.is_text)

    def way_out(self, token: int) -> int | None:
        """Return the token that leaves a loop in place of the one that was drawn; None where there is no loop or way.

        A token may reach over the place where the loop can be left: then its beginning is written, and the way out.
        """
        if self._forced:
            return self._forced[0]
        for floor in (self._names.floor() if not self._ways_out else None, self._repeats.floor()):
            way = self._way_from(token, floor) if floor is not None else ""
            if way:
                self._forced = self._vocabulary.spell(way)
                self.left_loops += 1
                self._repeats = Repeats(self.left_loops)
                return self._forced[0] if self._forced else None
        return None

    def fits(self, token: int, tokens_left: int) -> bool:
        """Say whether a document can be whole in `tokens_left` tokens of which this is the first.

        Always true where it could not be whole without the token either. After the first no the answer counts as cut,
        unless what was refused is a blank.
        """
        if self._place is None or self._vocabulary.is_end(token):
            return True
        onward = self._onward(token)
        room = tokens_left - 1 - (_CHARACTER_BYTES if onward.rest else 0)
        if onward.place is None or onward.place.bytes_left <= room or self._cost(onward.place) <= room:
            return True
        if self._cost(self._place) > tokens_left:
            return True
        self.is_landing = self.is_landing or not onward.text.isspace()
        return False

    def first_home(self) -> int | None:
        """Return the first token of the shortest way to the end."""
        if self._place is None or self._rest or self._place.bytes_left > _LONGEST_WAY_BYTES:
            return None
        tokens = self._vocabulary.spell(self._machine.shortest(self._place))
        return tokens[0] if tokens else None

    def _way_from(self, token: int, floor: int) -> str:
        """Return the beginning of a token and what leaves the loop behind it; empty where it is not left yet."""
        if self._place is None or self._rest:
            return ""
        text = self._onward(token).text
        for size, place in enumerate(self._places(self._place, text)):
            for way in (*self._ways_out, self._machine.exit_from(place, floor)):
                onward = self._machine.after(place, way) if way else None
                if onward is not None and onward.bytes_left < floor:
                    return text[:size] + way
        return ""

    def _places(self, place: Place, text: str) -> Iterator[Place]:
        """Yield a place and those behind each character of a text but the last."""
        yield place
        for character in text[:-1]:
            onward = self._machine.after(place, character)
            if onward is None:
                return
            place = onward
            yield place

    def _moved(self, place: Place, text: str) -> tuple[Place | None, int]:
        """Return the place behind a text, and how near the end was at the nearest; names are seen on the way."""
        least = place.bytes_left
        for at, character in enumerate(text):
            onward = self._machine.after(place, character)
            if onward is None:
                return None, 0
            place = onward
            least = min(least, place.bytes_left) if at else place.bytes_left
            self._names.feed(character, place.bytes_left)
        return place, least

    def _onward(self, token: int) -> _Onward:
        if self._peeked is None or self._peeked.token != token:
            data = self._rest + self._vocabulary.piece(token)
            text = data.decode(errors="ignore")
            place = self._machine.after(self._place, text) if self._place is not None else None
            self._peeked = _Onward(token, text, data[len(text.encode()) :], place)
        return self._peeked

    def _cost(self, place: Place) -> int:
        """Return the tokens of the shortest way to the end; of a long one about as many, since spelling takes time."""
        size = place.bytes_left
        if size > _SPELLED_BYTES and size < 2 * self._spelled[0] < 4 * size:
            at, tokens = self._spelled
            return size * tokens // at + _SPELLING_MARGIN_TOKENS
        found = self._costs.get(place)
        if found is None:
            is_short = size <= _LONGEST_WAY_BYTES
            found = len(self._vocabulary.spell(self._machine.shortest(place))) if is_short else size
            self._costs[place] = found
            self._spelled = (size, found)
        return found
