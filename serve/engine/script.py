"""The format of a script: JSON lines of written answers, and which of them answers a request.

Holds the schema, the reading with errors that name line and field, and the choice. It generates nothing (`scripted`).
The format is documented for people in `docs/scripted-engine.md`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from serve.errors import EngineError
from serve.events import FinishReason, Usage
from serve.turns import GenerationRequest, Role

__all__ = ["Reply", "Script", "ScriptError", "ScriptedCall", "ScriptedFailure", "When", "last_input", "read_script"]

_T = TypeVar("_T")


class ScriptError(EngineError):
    """A script that cannot be used; the message names the line and the field."""


class When(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a request must look like for a reply. Fields that are left out match anything; all given ones must hold."""

    contains: str | tuple[str, ...] = ()
    """Texts that the last user or tool turn must all hold."""
    role: Literal["user", "tool"] | None = None
    """Whose turn came last."""
    tools: bool | None = None
    """Whether the request offers tools."""

    def matches(self, request: GenerationRequest) -> bool:
        """Say whether this reply may answer `request`."""
        role, text = last_input(request)
        wanted = (self.contains,) if isinstance(self.contains, str) else self.contains
        return (
            all(part in text for part in wanted)
            and self.role in {None, role}
            and self.tools in {None, bool(request.tools)}
        )


class ScriptedCall(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tool call; `arguments` are sent byte for byte, whether valid JSON or not, in pieces when given as a list."""

    name: str
    arguments: str | tuple[str, ...] = "{}"
    id: str = ""
    namespace: str | None = None
    free_text: bool | None = None


class ScriptedFailure(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An error in place of the end, after `after` pieces of the answer (0: before the first)."""

    message: str = "The script says that this request fails."
    status: int = 503
    kind: str = "server_error"
    code: str | None = None
    after: int = 0


class Reply(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One line of a script: what the engine says to one request."""

    when: When | None = None
    times: int | None = None
    """How often this line may answer; left out, once in order, or without end when it has a `when`."""
    queued: tuple[int, ...] = ()
    """Queue positions to report first."""
    heartbeats: int = 0
    """How many heartbeats to send before the first piece."""
    delay_ms: int = 0
    """The wait before the first piece."""
    piece_delay_ms: int = 0
    """The wait before each further piece."""
    reasoning: str | tuple[str, ...] = ()
    text: str | tuple[str, ...] = ()
    calls: tuple[ScriptedCall, ...] = ()
    finish: FinishReason | None = None
    usage: Usage | None = None
    fail: ScriptedFailure | None = None
    cut: int | None = None
    """End the stream after so many pieces with no last event, as an engine that vanished does."""


class _Settings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The optional first line, `{"script": {...}}`."""

    at_end: Literal["last", "loop", "fail"] = "last"
    """What answers when all replies in order are used up: the last again, all again, or an error."""


class _Header(Struct, frozen=True, forbid_unknown_fields=True):
    script: _Settings


class Script:
    """The replies of one file and how often each was used. Stateful: `choose` takes the reply it returns."""

    def __init__(self, replies: tuple[Reply, ...], at_end: Literal["last", "loop", "fail"] = "last") -> None:
        self.replies = replies
        self.at_end = at_end
        self._used = [0] * len(replies)

    def choose(self, request: GenerationRequest) -> Reply | None:
        """Return the reply for `request`: the first line whose `when` matches, else the next in order, else None."""
        for number, reply in enumerate(self.replies):
            if reply.when is not None and self._is_left(number) and reply.when.matches(request):
                return self._take(number)
        ordered = [number for number, reply in enumerate(self.replies) if reply.when is None]
        for number in ordered:
            if self._is_left(number):
                return self._take(number)
        if not ordered or self.at_end == "fail":
            return None
        if self.at_end == "last":
            return self._take(ordered[-1])
        for number in ordered:
            self._used[number] = 0
        return self._take(ordered[0])

    def _is_left(self, number: int) -> bool:
        reply = self.replies[number]
        if reply.times is None:
            return reply.when is not None or self._used[number] == 0
        return self._used[number] < reply.times

    def _take(self, number: int) -> Reply:
        self._used[number] += 1
        return self.replies[number]


def last_input(request: GenerationRequest) -> tuple[str, str]:
    """Return role and text of the last user or tool turn; both empty when there is none."""
    for message in reversed(request.messages):
        if message.role in {Role.USER, Role.TOOL}:
            return message.role.value, message.content
    return "", ""


def read_script(path: Path) -> Script:
    """Read a script file. Blank lines and lines that open with `#` are skipped.

    Raises:
        ScriptError: no such file, or a line that is no reply; names the line and the field.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"The script {path} cannot be read: {error}. Give the path of a JSON lines file.") from error
    settings = _Settings()
    replies: list[Reply] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.lstrip().startswith('{"script"'):
            settings = _decode(path, number, line, _Header).script
            continue
        replies.append(_decode(path, number, line, Reply))
    if not replies:
        raise ScriptError(f'The script {path} holds no replies. Write at least one line such as {{"text": "Hello."}}.')
    return Script(tuple(replies), settings.at_end)


def _decode(path: Path, number: int, line: str, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(line.encode(), type=kind)
    except msgspec.DecodeError as error:
        raise ScriptError(f"{path}, line {number}: {error}. See docs/scripted-engine.md for the fields.") from error
