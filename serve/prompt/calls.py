"""Tool calls in a model's answer, read while they stream: the name first, then the arguments as generated.

Read are Hermes/Qwen JSON and Qwen XML in `<tool_call>` tags, Mistral's `[TOOL_CALLS]`, Qwen XML without its tag where
it names an offered tool, and bare JSON (fenced, in a list, Llama 3's `parameters`) that does so where an answer would
begin. Any cutting of the same text into pieces gives the same output: every decision rests on the shortest beginning
that allows it. Markup that is no call becomes a clear sentence, never raw markup in an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import TypeAlias, assert_never

from msgspec import Struct

from serve.prompt.callforms import (
    BARE_KEYS,
    HEAD,
    LIST_OPEN,
    MISTRAL_HEAD,
    NAME,
    XML_OPEN,
    Call,
    read_object,
    read_xml,
    xml_end,
)
from serve.prompt.jsonstream import ValueEnd
from serve.turns import ToolSpec

__all__ = ["Argument", "CallParser", "CallProgress", "Closed", "Opened", "Part", "Prose"]


class Prose(Struct, frozen=True):
    """Text of the answer."""

    text: str


class Opened(Struct, frozen=True):
    """A call began."""

    name: str


class Argument(Struct, frozen=True):
    """A piece of the arguments of the call that is open."""

    text: str


class Closed(Struct, frozen=True):
    """The open call is whole, or the answer ended inside it."""


Part: TypeAlias = Prose | Opened | Argument | Closed


class CallProgress(Struct, frozen=True):
    """How far a call is that is being written, for what constrains the next token."""

    opener: str
    """The mark that opened it; empty for bare JSON."""
    name: str | None
    """None until the arguments begin."""
    text: str
    """What was written since the opener, or of the arguments once the name is known."""
    is_certain: bool = True
    """False for JSON that may still turn out to be an answer."""
    is_whole: bool = False
    """The arguments are whole; only what closes the call is missing."""


_TAG, _CLOSER, _LIST = "<tool_call>", "</tool_call>", "[TOOL_CALLS]"
_OPENERS = (_TAG, _LIST, "<|python_tag|>")
_MARKS = (*_OPENERS, _CLOSER, XML_OPEN)
_FENCE = re.compile(r"```(?:json)?\s*")
_BROKEN = "Roteiro: the model began a tool call that cannot be read: "
_SHOWN_CHARACTERS = 200


class _State(Enum):
    START = auto()  # nothing but white space so far: bare JSON may begin
    PROSE = auto()
    BARE = auto()  # JSON that may be a call or the answer itself
    HEAD = auto()  # after an opener, before the arguments
    ARGUMENTS = auto()
    TAIL = auto()  # after the arguments: braces, a closer, perhaps the next call


class CallParser:
    """Splits an answer into prose and calls. Bare JSON is a call only where it names one of the offered `tools`."""

    def __init__(self, tools: Iterable[ToolSpec], names: Iterable[str] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._names = frozenset(names) | frozenset(self._tools)
        self._state = _State.START
        self._held = ""
        self._opener = ""
        self._value = ValueEnd()
        self._seen = 0
        self._called = ""
        self._written = ""

    @property
    def progress(self) -> CallProgress | None:
        """The call that is being written; None outside of one."""
        match self._state:
            case _State.HEAD:
                return CallProgress(self._opener, None, self._held)
            case _State.BARE:
                return CallProgress("", None, self._held.lstrip(), is_certain=False)
            case _State.ARGUMENTS:
                return CallProgress(self._opener, self._called, self._written)
            case _State.TAIL if self._opener == _TAG:
                return CallProgress(self._opener, self._called, self._written, is_whole=True)
            case _:
                return None

    def feed(self, piece: str) -> list[Part]:
        """Return what is decided after `piece`."""
        self._held += piece
        parts: list[Part] = []
        while self._step(parts):
            pass
        return parts

    def end(self) -> list[Part]:
        """Return what was held back, now that no more text comes. A call that broke off is closed as it stands."""
        held, self._held = self._held, ""
        state, self._state = self._state, _State.PROSE
        match state:
            case _State.ARGUMENTS:
                return [Argument(held), Closed()] if held else [Closed()]
            case _State.HEAD:
                return self._made(read_object(held)) or self._broken(held)
            case _State.BARE | _State.START | _State.PROSE:
                return [Prose(held)] if held else []
            case _State.TAIL:
                return []
            case _:
                assert_never(state)

    def _step(self, parts: list[Part]) -> bool:
        """Take one step; False when more text is needed."""
        match self._state:
            case _State.START:
                return self._start()
            case _State.PROSE:
                return self._prose(parts)
            case _State.BARE:
                return self._bare(parts)
            case _State.HEAD:
                return self._head(parts)
            case _State.ARGUMENTS:
                return self._arguments(parts)
            case _State.TAIL:
                return self._tail()
            case _:
                assert_never(self._state)

    def _start(self) -> bool:
        text = self._held.lstrip()
        fence = _FENCE.match(text)
        rest = text[fence.end() :] if fence else text
        if not rest or "```json".startswith(text) or not rest.lstrip("[ \t\r\n"):
            return False
        if rest.startswith("{") or LIST_OPEN.match(rest):
            self._enter(_State.BARE)
        else:
            self._state = _State.PROSE
        return True

    def _prose(self, parts: list[Part]) -> bool:
        found = _earliest(self._held, _MARKS)
        if found is not None:
            at, mark = found
            if mark == XML_OPEN:
                return self._xml_in_prose(parts, at)
            self._say(parts, self._held[:at].rstrip())
            self._held = self._held[at + len(mark) :]
            if mark != _CLOSER:
                self._opener = mark
                self._enter(_State.HEAD)
            return True
        keep = _open_tail(self._held)
        decided = self._held[: len(self._held) - keep].rstrip()  # white space before a call is no text of the answer
        self._say(parts, decided)
        self._held = self._held[len(decided) :]
        return False

    def _xml_in_prose(self, parts: list[Part], at: int) -> bool:
        """Read a call without its tag, as some models write it; only an offered tool's name makes it one."""
        name, closer, _ = self._held[at + len(XML_OPEN) :].partition(">")
        if not closer and any(known.startswith(name) for known in self._names):
            self._say(parts, self._held[:at].rstrip())
            self._held = self._held[len(self._held[:at].rstrip()) :]
            return False
        if closer and name.strip() in self._names:
            self._say(parts, self._held[:at].rstrip())
            self._held = self._held[at:]
            self._opener = ""
            self._enter(_State.HEAD)
            return True
        end = at + len(XML_OPEN)
        self._say(parts, self._held[:end])
        self._held = self._held[end:]
        return True

    def _bare(self, parts: list[Part]) -> bool:
        begin = self._held.index("{")
        text = self._held[begin:]
        if (head := HEAD.match(text)) is not None and _name(head[1]) in self._names:
            self._held = text
            self._opener = ""
            self._enter(_State.HEAD)
            return True
        size = self._object_end(text)
        named = NAME.match(text)
        if size is not None:
            call = read_object(text[:size])
            if call is not None and call.name in self._names:
                parts += self._made(call)
                self._held = text[size:]
                self._opener = ""
                self._state = _State.TAIL
                return True
        elif (named is None or _name(named[1]) in self._names) and BARE_KEYS.match(text):
            return False
        self._state = _State.PROSE
        return True

    def _head(self, parts: list[Part]) -> bool:
        text = self._held
        if text.lstrip().startswith(XML_OPEN) or XML_OPEN.startswith(text.lstrip()):
            return self._whole_xml(parts)
        head = HEAD.match(text) or (MISTRAL_HEAD.match(text) if self._opener == _LIST else None)
        if head is not None and text[head.end()] != '"':
            parts.append(Opened(_name(head[1])))
            self._called, self._written = _name(head[1]), ""
            self._held = text[head.end() :]
            self._value = ValueEnd()
            self._state = _State.ARGUMENTS
            return True
        return self._whole_object(parts)

    def _whole_xml(self, parts: list[Part]) -> bool:
        end = xml_end(self._held)
        if end is None:
            return False
        call = read_xml(self._held[:end], self._tools)
        parts += self._made(call) if call else self._broken(self._held[:end])
        self._held = self._held[end:]
        self._state = _State.TAIL
        return True

    def _enter(self, state: _State) -> None:
        """Begin to look for the end of an object."""
        self._state = state
        self._value = ValueEnd()
        self._seen = 0

    def _object_end(self, text: str) -> int | None:
        """Return where the object ends that `text` begins with; what was looked at before is not looked at again."""
        size = self._value.feed(text[self._seen :])
        if size is not None:
            return self._seen + size
        self._seen = len(text)
        return None

    def _whole_object(self, parts: list[Part]) -> bool:
        """Read a call whose name does not come first, or whose arguments are a string: only once it is whole."""
        begin = self._held.find("{")
        size = self._object_end(self._held[begin:]) if begin >= 0 else None
        closer = self._held.find(_CLOSER)
        if size is not None and not 0 <= closer < begin + size:
            end = begin + size
            call = read_object(self._held[begin:end])
            parts += self._made(call) if call else self._broken(self._held[:end])
        elif closer >= 0:
            end = closer
            parts += self._broken(self._held[:end])
        else:
            return False
        self._held = self._held[end:]
        self._state = _State.TAIL
        return True

    def _arguments(self, parts: list[Part]) -> bool:
        size = self._value.feed(self._held)
        piece = self._held if size is None else self._held[:size]
        if piece:
            parts.append(Argument(piece))
            self._written += piece
        self._held = self._held[len(piece) :]
        if size is None:
            return False
        parts.append(Closed())
        self._state = _State.TAIL
        return True

    def _tail(self) -> bool:
        """Pass what follows a call: to its closing tag, or over what may close it, up to prose or the next call."""
        if self._opener == _TAG:
            found = _earliest(self._held, (_CLOSER, _TAG))
            if found is None:
                self._held = self._held[len(self._held) - _open_tail(self._held) :]
                return False
            at, mark = found
            self._held = self._held[at + (len(mark) if mark == _CLOSER else 0) :]
            self._state = _State.PROSE
            return True
        text = self._held.lstrip(" \t\r\n}],;`")
        self._held = text
        if not text:
            return False
        if text.startswith("{"):
            self._enter(_State.HEAD if self._opener else _State.BARE)
        else:
            self._state = _State.PROSE
        return True

    def _made(self, call: Call | None) -> list[Part]:
        return [Opened(call.name), Argument(call.arguments), Closed()] if call else []

    def _broken(self, text: str) -> list[Part]:
        shown = " ".join(re.sub(r"</?[a-z_]+(=[^>]*)?>", " ", text).split())[:_SHOWN_CHARACTERS]
        return [Prose(f"{_BROKEN}{shown or 'it is empty'}")]

    def _say(self, parts: list[Part], text: str) -> None:
        if text:
            parts.append(Prose(text))


def _name(raw: str) -> str:
    """Return a tool's name as the model wrote it in JSON; names that need escapes are passed as they stand."""
    return raw.strip()


def _earliest(text: str, marks: Sequence[str]) -> tuple[int, str] | None:
    return min(((text.find(mark), mark) for mark in marks if mark in text), default=None)


def _open_tail(text: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of a mark."""
    longest = max(map(len, _MARKS)) - 1
    sizes = range(min(longest, len(text)), 0, -1)
    return next((size for size in sizes if any(mark.startswith(text[len(text) - size :]) for mark in _MARKS)), 0)
