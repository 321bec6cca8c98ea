"""Regular expressions of `pattern` as GBNF: the part of ECMA 262 that a grammar can hold. Pure.

A pattern without anchors may stand anywhere in a string; here the string is what the pattern matches, which is valid
and shorter. Look-around, back references, word borders and lazy repetition are refused.
"""

from __future__ import annotations

import json

from serve.errors import BadRequestError
from serve.prompt.gbnf import alternatives, literal
from serve.prompt.gbnf_reader import Alternatives, Characters, Node, Reference, Repeated, Sequence, read_rules
from serve.prompt.schema_words import MOST_REPEATED

__all__ = ["pattern_rule"]

_PLAIN = r'[^"\\\x00-\x1F\x7F]'
_CLASSES = {"d": "0-9", "w": "a-zA-Z0-9_", "s": " "}  # of white space only the blank: the rest would need escapes
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_DEEPEST = 32

_LARGEST = 2_000
"""Characters of a pattern, each repetition unfolded: llama.cpp takes no more."""


def pattern_rule(pattern: object, path: str, times: tuple[int, int] | None = None) -> str:
    """Return the inside of a JSON string that matches a pattern; with `times` its open repetitions are held to them.

    Raises:
        BadRequestError: the pattern has a part that is not held; names it.
    """
    if not isinstance(pattern, str):
        raise BadRequestError(f"{path}.pattern must be a string.", param=f"{path}.pattern")
    return _Reader(pattern, path, times).read()


class _Reader:
    """Reads a pattern by recursive descent."""

    def __init__(self, pattern: str, path: str, times: tuple[int, int] | None) -> None:
        self._times = times
        self._text = pattern.removeprefix("^")
        self._path = path
        if self._text.endswith("$") and not self._text.endswith("\\$"):
            self._text = self._text[:-1]
        self._at = 0

    def read(self) -> str:
        body = self._choice(0)
        if self._at < len(self._text):
            raise self._refused("a bracket without its partner")
        if _size(read_rules(f"root ::= {body}")["root"]) > _LARGEST:
            raise self._refused("so much repetition inside repetition")
        return body or '""'

    def _choice(self, depth: int) -> str:
        if depth > _DEEPEST:
            raise self._refused("groups in groups, too deep")
        branches = [self._sequence(depth)]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._sequence(depth))
        return alternatives(branch or '""' for branch in branches)

    def _sequence(self, depth: int) -> str:
        parts: list[str] = []
        while self._peek() not in {"", "|", ")"}:
            parts.append(self._atom(depth) + self._quantifier())
        return " ".join(parts)

    def _atom(self, depth: int) -> str:
        character = self._take()
        match character:
            case "(":
                if self._text.startswith("?:", self._at):
                    self._at += 2
                elif self._peek() == "?":
                    raise self._refused("a group of this kind (?...)")
                inner = self._choice(depth + 1)
                if self._peek() != ")":
                    raise self._refused("a bracket without its partner")
                self._at += 1
                return f"({inner})"
            case "[":
                return self._class()
            case ".":
                return _PLAIN
            case "\\":
                return self._escape()
            case "^" | "$" | "*" | "+" | "?" | "{":
                raise self._refused(character)
            case _:
                return _one(character)

    def _quantifier(self) -> str:
        character = self._peek()
        if character in {"*", "+", "?"}:
            self._at += 1
            found = character if character == "?" else self._open_ended(int(character == "+"), character)
        elif character == "{":
            end = self._text.find("}", self._at)
            least, comma, most = self._text[self._at + 1 : end].partition(",")
            is_sound = least.isdecimal() and (not most or most.isdecimal()) and end > 0
            if not is_sound or max(int(least), int(most or 0)) > MOST_REPEATED:
                raise self._refused(self._text[self._at : self._at + 12])
            self._at = end + 1
            is_open = comma and not most
            found = self._open_ended(int(least), f"{{{least},}}") if is_open else f"{{{least}{comma}{most}}}"
        else:
            return ""
        if self._peek() in {"?", "+"}:
            raise self._refused("a lazy or possessive repetition")
        return found

    def _open_ended(self, least: int, plain: str) -> str:
        if self._times is None:
            return plain
        floor, most = self._times
        return f"{{{max(least, floor)},{max(least, floor, most)}}}"

    def _escape(self) -> str:
        character = self._take()
        if character in _CLASSES:
            return f"[{_CLASSES[character]}]"
        return _one(self._escaped(character))

    def _escaped(self, character: str) -> str:
        """Return the character that an escape means."""
        if character in _CONTROL:
            return _CONTROL[character]
        if character in {"x", "u"}:
            size = 2 if character == "x" else 4
            digits = self._text[self._at : self._at + size]
            self._at += size
            try:
                return chr(int(digits, 16))
            except ValueError:
                raise self._refused(f"\\{character}{digits}") from None
        if character.isalnum() or not character:
            raise self._refused(f"\\{character}")
        return character

    def _class(self) -> str:
        is_negated = self._peek() == "^"
        self._at += is_negated
        inside, apart = "", list[str]()
        while (character := self._take()) != "]":
            if not character:
                raise self._refused("a class without its end")
            if character == "\\" and self._peek() in _CLASSES:
                inside += _CLASSES[self._take()]
                continue
            first = self._escaped(self._take()) if character == "\\" else character
            last = first
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in {"]", ""}:
                self._at += 1
                end = self._take()
                last = self._escaped(self._take()) if end == "\\" else end
                if last < first:
                    raise self._refused(f"[{first}-{last}]")
            found, special = _range(first, last, keep_special=is_negated)
            inside += found
            apart += special
        if is_negated:
            return f'[^{inside}"\\\\\\x00-\\x1F\\x7F]'
        parts = [f"[{inside}]"] if inside else []
        if not parts + apart:
            raise self._refused("[]")
        return alternatives([*parts, *apart])

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        self._at += 1
        return self._text[self._at - 1 : self._at]

    def _refused(self, what: str) -> BadRequestError:
        return BadRequestError(
            f"The keyword 'pattern' at {self._path} cannot be enforced: {what} is not held here. Leave it out, or send"
            " a simpler pattern.",
            param=self._path,
            code="unsupported_schema",
        )


def _size(node: Node) -> int:
    """Return how many characters a pattern has when its bounded repetitions are written out."""
    match node:
        case Characters() | Reference():
            return 1
        case Sequence(items):
            return sum(map(_size, items))
        case Alternatives(options):
            return sum(map(_size, options))
        case Repeated(inner, low, high):
            return _size(inner) * max(low, high or 1)


def _range(first: str, last: str, *, keep_special: bool) -> tuple[str, list[str]]:
    """Return a range as the inside of a class, and apart from it what JSON writes as an escape."""
    inside, apart = "", list[str]()
    start = ord(first)
    for special in sorted({'"', "\\", *map(chr, range(32)), "\x7f"}):
        code = ord(special)
        if keep_special or not start <= code <= ord(last):
            continue
        if start < code:
            inside += _span(start, code - 1)
        apart.append(_one(special))
        start = code + 1
    if start <= ord(last):
        inside += _span(start, ord(last))
    return inside, apart


def _span(first: int, last: int) -> str:
    return _in_class(first) if first == last else f"{_in_class(first)}-{_in_class(last)}"


def _in_class(code: int) -> str:
    """Return a character as it stands in a class: by its number wherever it could mean something."""
    if chr(code).isalnum() and code < 128:
        return chr(code)
    return f"\\x{code:02X}" if code < 256 else (f"\\u{code:04X}" if code < 65_536 else f"\\U{code:08X}")


def _one(character: str) -> str:
    """Return one character of a string as JSON writes it."""
    return literal(json.dumps(character, ensure_ascii=False)[1:-1])
