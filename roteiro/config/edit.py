"""Changing one key in the text of a settings file; comments and all other lines stay as they are.

The rule that must stay true: the new text is read back, and it must say what the old one said except for that key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from roteiro.config.keys import TABLES, flatten
from roteiro.errors import ConfigError

__all__ = ["with_key", "without_key"]

_HEADER = re.compile(r"\s*(\[{1,2})\s*([\w.-]+)\s*\]{1,2}\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(r"\s*([\w.-]+)\s*=")


def without_key(text: str, name: str) -> str:
    """Return the text with every line of a key (or of a whole table of that name) made a comment.

    Raises:
        ConfigError: the key is not set there, or stands in a form that this cannot change safely.

    """
    lines = text.splitlines(keepends=True)
    spans = _spans(lines, name)
    for start, end in spans:
        lines[start:end] = [f"# {line}" if line.strip() else line for line in lines[start:end]]
    new = "".join(lines)
    if not spans or not _says(new, {key: value for key, value in _read(text).items() if key != name}):
        raise ConfigError(f"{name} cannot be taken out of that file. See where it is set: `roteiro config`.", key=name)
    return new


def with_key(text: str, name: str, value: object) -> str:
    """Return the text with a key set, in the place where it stands already or else at the head of its table.

    Raises:
        ConfigError: it stands there in a form that this cannot change safely.

    """
    table, _, leaf = name.rpartition(".")
    lines = text.splitlines(keepends=True)
    spans = _spans(lines, name)
    if _is_tables(value):
        for start, end in reversed(spans):
            del lines[start:end]
        new = _ended(lines) + "".join(f"\n[[{name}]]\n{_pairs(entry)}" for entry in cast("list[object]", value))
    elif spans:
        start, end = spans[0]
        written = _ASSIGNMENT.match(lines[start])
        lines[start:end] = [f"{written[1] if written else leaf} = {_toml(value)}\n"]
        new = "".join(lines)
    else:
        new = _inserted(lines, table, f"{leaf} = {_toml(value)}\n")
    if not _says(new, {**_read(text), name: value}):
        raise ConfigError(f"{name} cannot be set in that file, as it is written. Set it there by hand.", key=name)
    return new


def _inserted(lines: list[str], table: str, line: str) -> str:
    for number, header in _headers(lines):
        if header == f"[{table}":
            text = _ended(lines[: number + 1])
            return text + line + "".join(lines[number + 1 :])
    return f"{_ended(lines)}{chr(10) if lines else ''}[{table}]\n{line}"


def _ended(lines: Sequence[str]) -> str:
    text = "".join(lines)
    return text if not text or text.endswith("\n") else f"{text}\n"


def _spans(lines: Sequence[str], name: str) -> list[tuple[int, int]]:
    """Return the line ranges that set a key, or that are the tables of its name."""
    headers = _headers(lines)
    table = ""
    found: list[tuple[int, int]] = []
    bounds = [*(number for number, _ in headers[1:]), len(lines)]
    for (number, header), end in zip(headers, bounds, strict=True):
        table = header.lstrip("[")
        if table == name:
            found.append((number, end))
            continue
        for line in range(number + bool(header), end):
            written = _ASSIGNMENT.match(lines[line])
            if written and f"{table}.{written[1]}".lstrip(".") == name:
                found.append((line, _value_end(lines, line, end)))
    return found


def _headers(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return (line, `[name` or `[[name`) of every table; the top of the file is one without a name."""
    found = [(number, match[1] + match[2]) for number, line in enumerate(lines) if (match := _HEADER.match(line))]
    return [(0, ""), *found]


def _value_end(lines: Sequence[str], start: int, limit: int) -> int:
    """Return the line after a value, which may go over several lines."""
    for end in range(start + 1, limit + 1):
        try:
            tomllib.loads("".join(lines[start:end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    return start + 1


def _read(text: str) -> Mapping[str, object]:
    return dict(flatten(tomllib.loads(text)))


def _says(text: str, wanted: Mapping[str, object]) -> bool:
    try:
        found = _read(text)
    except tomllib.TOMLDecodeError:
        return False
    # A table that is left empty says nothing.
    return {key: value for key, value in found.items() if key not in TABLES} == wanted


def _is_tables(value: object) -> bool:
    entries = cast("list[object]", value) if isinstance(value, list) else []
    return any(isinstance(entry, dict) for entry in entries)


def _toml(value: object) -> str:
    """Return a value in TOML: JSON is TOML for text, numbers, truth and lists; a table is written in one line."""
    if isinstance(value, dict):
        entries = cast("dict[str, object]", value).items()
        return "{" + ", ".join(f"{_toml(key)} = {_toml(entry)}" for key, entry in entries) + "}"
    return msgspec.json.encode(value).decode()


def _pairs(entry: object) -> str:
    return "".join(f"{name} = {_toml(value)}\n" for name, value in cast("dict[str, object]", entry).items())
