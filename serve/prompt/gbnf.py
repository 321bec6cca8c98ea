"""GBNF, the grammar notation of llama.cpp: literals, named rules, and the rules that JSON always needs. Pure.

White space is bounded everywhere: a model that may write blanks for ever does.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["JSON_RULES", "Rules", "alternatives", "literal"]

_DEEPEST = 6
"""Levels of an object or array about which a schema says nothing: small models nest for ever, as they write blanks."""


def _levels() -> dict[str, str]:
    """Return the rules of any JSON, each level made of the next, the last of scalars."""
    rules: dict[str, str] = {}
    for level in range(_DEEPEST):
        suffix = f"-{level}" if level else ""
        inner = f"value-{level + 1}" if level + 1 < _DEEPEST else "scalar"
        rules[f"value{suffix}"] = f"object{suffix} | array{suffix} | scalar"
        rules[f"object{suffix}"] = f'"{{" ws (member{suffix} ("," ws member{suffix})*)? "}}"'
        rules[f"member{suffix}"] = f'string ":" ws {inner} ws'
        rules[f"array{suffix}"] = f'"[" ws ({inner} ws ("," ws {inner} ws)*)? "]"'
    return rules


JSON_RULES: dict[str, str] = {
    "ws": r'(" " | "\n" [ \t]{0,16})?',
    # Escapes count as one character; \u is left to control characters, so that no half of a pair can stand alone.
    "char": r'[^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u00" [01] [0-9a-fA-F])',
    "string": r'"\"" char* "\""',
    "digits": "[0-9]{1,15}",
    "integer": '"-"? ("0" | [1-9] [0-9]{0,14})',
    "number": 'integer ("." digits)? ([eE] [-+]? [0-9] [0-9]?)?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "scalar": "string | number | boolean | null",
    **_levels(),
}
"""Any JSON. A name here is the name of a rule; values end without white space, members with it."""


class Rules:
    """Rules as they are found, each under a name of its own; those of JSON only as far as they are used."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, body: str) -> str:
        """Put a rule down and return its name."""
        return self.fill(self.reserve(), body)

    def reserve(self) -> str:
        """Return a name for a rule that is filled later, so that it can be used inside itself."""
        self._count += 1
        return f"r{self._count}"

    def fill(self, name: str, body: str) -> str:
        """Give a reserved rule its body; return its name."""
        self._rules[name] = body
        return name

    def text(self, root: str) -> str:
        """Return the grammar whose root has this body."""
        lines = [f"root ::= {root}", *(f"{name} ::= {body}" for name, body in self._rules.items())]
        return "\n".join([*lines, *(f"{name} ::= {body}" for name, body in JSON_RULES.items())]) + "\n"


def literal(text: str) -> str:
    """Return a text as GBNF matches it: itself."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def alternatives(bodies: Iterable[str]) -> str:
    """Return one of these, in parentheses where there are several."""
    listed = list(dict.fromkeys(bodies))
    return listed[0] if len(listed) == 1 else f"({' | '.join(listed)})"


def _escaped(character: str) -> str:
    known: dict[str, str] = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if character in known:
        return known[character]
    code = ord(character)
    return f"\\x{code:02X}" if code < 32 or code == 127 else character
