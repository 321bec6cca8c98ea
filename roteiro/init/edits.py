"""Adding a text to another one, and taking it out again. Pure: texts in, texts out.

The rule that must stay true: taking out what was added gives the former text, byte for byte.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Literal, TypeAlias, cast

from msgspec import Struct

__all__ = ["Edit", "How", "Place", "added", "taken_out", "undone_text"]

How: TypeAlias = Literal["create", "append", "shebang", "mcpServers", "servers", "toml"]
"""Where the text goes: a file of its own, the end, behind the first line of a shell script, into a JSON object of that
name, or the end of a TOML file that stays valid."""

_Object: TypeAlias = dict[str, object]
_SERVER_KEYS = ("mcpServers", "servers")


class Place(Struct, frozen=True):
    """A file: the folder that is never left (no link is followed below it), and the path in it."""

    base: str
    name: str

    def __str__(self) -> str:
        return f"{self.base}/{self.name}"


class Edit(Struct, frozen=True, kw_only=True):
    """What was added, as it is recorded."""

    place: Place
    text: str
    created: bool
    """The whole file was made of `text`."""
    part: str = ""
    """What to take out of a file that was made by us and edited since."""


def added(before: str, text: str, how: How) -> tuple[str, str] | None:
    """Return (the text with ours in it, what exactly was put in); None where it does not fit in."""
    match how:
        case "create":
            return None  # such a file is made or left alone, never added to
        case "append":
            return _appended(before, text)
        case "shebang":
            return _behind_shebang(before, text)
        case "toml":
            found = _appended(before, text)
            return found if _is_toml(found[0]) else None
        case "mcpServers" | "servers":
            return _into_object(before, text, how)


def taken_out(now: str, text: str) -> str | None:
    """Return the text without the added one; None when that is not there exactly once."""
    if not text or now.count(text) != 1:
        return None
    return now.replace(text, "")


def undone_text(edit: Edit, now: str) -> str | None:
    """Return the text of a file without what was added to it; None when that is not there any more as it was."""
    for text in (edit.text, *((f"{edit.part},", edit.part) if edit.created else ())):
        rest = taken_out(now, text)
        if rest is not None and (not edit.place.name.endswith(".json") or _json_object(rest) is not None):
            return rest
    return None


def _appended(before: str, text: str) -> tuple[str, str]:
    separator = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    return before + separator + text, separator + text


def _behind_shebang(before: str, text: str) -> tuple[str, str] | None:
    """Put shell lines first, because a script may end in `exec` or `exit`; other languages are left alone."""
    head, newline, rest = before.partition("\n")
    if not newline or not re.fullmatch(r"#!\s*(?:/\S*/)?(?:env\s+)?(?:sh|bash|dash|zsh)\b.*", head):
        return None
    return head + newline + text + rest, text


def _into_object(before: str, entry: str, key: str) -> tuple[str, str] | None:
    """Put an entry first into the top-level object `key` of a JSON text, without touching how the rest is written."""
    document = _json_object(before)
    if document is None:
        return None
    if key not in document:
        text = f'\n  "{key}": {{{entry}\n  }}' + ("," if document else "\n")
        return _checked(before, text, [before.index("{") + 1], document)
    servers = document[key]
    if not isinstance(servers, dict) or "roteiro" in servers:
        return None
    places = [found.end() for found in re.finditer(rf'"{key}"\s*:\s*\{{', before)]
    return _checked(before, entry + ("," if servers else "\n  "), places, document)


def _checked(before: str, text: str, places: list[int], document: dict[str, object]) -> tuple[str, str] | None:
    """Return the first way to put it in after which everything else means what it meant."""
    for at in places:
        after = before[:at] + text + before[at:]
        if _without_ours(_json_object(after)) == _without_ours(document) and taken_out(after, text) == before:
            return after, text
    return None


def _without_ours(document: dict[str, object] | None) -> dict[str, object] | None:
    if document is None:
        return None
    found: dict[str, object] = {}
    for key, value in document.items():
        if key not in _SERVER_KEYS or not isinstance(value, dict):
            found[key] = value
        elif others := {name: entry for name, entry in cast("_Object", value).items() if name != "roteiro"}:
            found[key] = others
    return found


def _json_object(text: str) -> dict[str, object] | None:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("_Object", found) if isinstance(found, dict) else None


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return True
