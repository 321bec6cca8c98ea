"""What stands between a C or C++ file and its grammar: macros in places of syntax, and conditionals that split it.

There is no preprocessor: no header is read and no macro expanded. Where a file does not parse because of that, what is
in the way is replaced by blanks of the same length, so that every offset and line stays right, and the result is kept
if it has fewer errors. The rules that must stay true: only what names nothing is masked, and each masking is noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from tree_sitter import Node, Parser

from graph.extract.slash_comments import count_errors

__all__ = ["Parsed", "parse_masked"]

_MACRO = rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_?"

_LINKAGE = re.compile(
    rb"^[ \t]*#[ \t]*(?:ifdef[ \t]+__cplusplus|if[ \t]+defined[ \t]*\(?[ \t]*__cplusplus[ \t]*\)?)[^\r\n]*\r?\n"
    rb'(?:\s*(?:extern\s+"C"\s*\{|\}))[^\r\n#]{0,80}\s*^[ \t]*#[ \t]*endif[^\r\n]*$',
    re.MULTILINE,
)
"""`extern "C" {` and its brace, each inside a conditional of its own."""

_HEAD_MACRO = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+(" + _MACRO + rb"(?:\([^()\r\n]{0,80}\))?)[ \t]+"
    rb"(?=(?!final\b)[A-Za-z_]\w*(?:::\w+)*(?:<[^<>\r\n]{0,80}>)?[ \t]*(?:final\b[ \t]*)?[:{\r\n])"
)
"""`class EXPORT Name {`: without the macro removed this reads as a function that returns a class."""

_TYPE_MACRO = re.compile(
    rb"^((?:extern |static |inline )*" + _MACRO + rb"\()([\w \t*:<>,&]{1,120})(\))(?=[ \t\r\n]+[A-Za-z_]\w*[ \t]*\()",
    re.MULTILINE,
)
"""`PUBLIC(const char *) name(void)`."""

_NOTE_MACRO = re.compile(
    rb"^(?:(" + _MACRO + rb"(?:\([^()\r\n]{0,120}\))?)|[ \t]+([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\r\n]{0,120}\))?))"
    rb"[ \t\r\n]+(?=[A-Za-z_][\w:<>]*[ \t*&]+[A-Za-z_~]|template[ \t]*<|~?[A-Za-z_]\w*\(|operator\b)",
    re.MULTILINE,
)
"""`EXPORT Status Open(...)`, `DEPRECATED("...") void f();`."""

_CALL_MACRO = re.compile(
    rb"^((?:[A-Za-z_]\w*[ \t]+|\*[ \t]*){1,5})(" + _MACRO + rb")[ \t]+(?=\*?[ \t]*[A-Za-z_]\w*[ \t]*\()", re.MULTILINE
)
"""`static void * CALLBACK name(...)`."""

_POINTER_MACRO = re.compile(rb"\([ \t]*(" + _MACRO + rb")[ \t]*\*[ \t]*[A-Za-z_]\w*[ \t]*\)[ \t]*\(")
"""`void (CALLBACK *name)(...)`."""

_ANNOTATED = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\r\n]{0,80}\))?"

_TAIL_MACRO = re.compile(rb"\)[ \t\r\n]*(?:const[ \t\r\n]+|override[ \t\r\n]+)*(" + _ANNOTATED + rb")[ \t\r\n]*(?=\{)")
"""`void Lock() EXCLUSIVE_LOCK_FUNCTION() {`: reads as a function that is called like the macro."""

_TAIL_OF_DECLARATION = re.compile(
    rb"(?:\)[ \t\r\n]*(?:const[ \t\r\n]+|override[ \t\r\n]+)*|\w[ \t\r\n]+)(" + _ANNOTATED + rb")[ \t\r\n]*(?=;|=[^=])"
)
"""`Status Write() LOCKS_REQUIRED(mutex_);`, `int count_ GUARDED_BY(mutex_);`."""

_CONTROL = re.compile(rb"[ \t}]*(?:if|for|while|switch|else|return|do|case|throw|goto|#)\b|[ \t]*#")

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b([^\r\n]*)", re.MULTILINE)
_NEVER = re.compile(rb"^\s*(?:0|false)\s*(?:/[/*].*)?$")

_MACRO_NOTE = "a macro in the place of syntax was read over"
_BRANCH_NOTE = "of a conditional that splits a construct one branch was read"


class Parsed(Struct, frozen=True):
    """A tree and the bytes that it was made of, which are as long as those of the file."""

    root: Node
    data: bytes
    errors: int
    notes: frozenset[str]


class _Group(Struct):
    """One `#if` with its branches: where each directive begins and ends."""

    directives: list[tuple[int, int]]
    is_never: bool = False


def parse_masked(parser: Parser, data: bytes) -> Parsed:
    """Parse a file; what is in the way of the grammar is masked as far as that helps."""
    plain = _masked(_LINKAGE, data, 0) if b"__cplusplus" in data else data
    heads = _masked_tails(_TAIL_MACRO, _masked(_HEAD_MACRO, plain, 1))
    notes: frozenset[str] = frozenset({_MACRO_NOTE} if heads != plain else set[str]())
    best = _parsed(parser, heads, notes)
    for mask, note in (
        (_with_semicolons, _MACRO_NOTE),
        (_without_macros, _MACRO_NOTE),
        (_without_branches, _BRANCH_NOTE),
    ):
        if best.errors:
            best = _better(parser, best, mask, note)
    return best


def _parsed(parser: Parser, data: bytes, notes: frozenset[str]) -> Parsed:
    root = parser.parse(data).root_node
    return Parsed(root, data, count_errors(root), notes)


def _better(parser: Parser, best: Parsed, mask: Callable[[Parsed], bytes], note: str) -> Parsed:
    data = mask(best)
    if data == best.data:
        return best
    other = _parsed(parser, data, best.notes | {note})
    return other if other.errors < best.errors else best


def _masked(pattern: re.Pattern[bytes], data: bytes, *groups: int) -> bytes:
    """Return the bytes with groups of all matches blanked; line ends stay."""
    text = bytearray(data)
    for match in pattern.finditer(data):
        for group in groups:
            if match.start(group) >= 0:
                _blank(text, match.start(group), match.end(group))
    return bytes(text)


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = re.sub(rb"[^\r\n]", b" ", bytes(text[start:end]))


def _without_macros(found: Parsed) -> bytes:
    data = bytearray(found.data)
    for match in _TYPE_MACRO.finditer(found.data):
        name = match.start(1) + len(match.group(1)) - len(match.group(1).rsplit(b" ", 1)[-1])
        _blank(data, name, match.end(1))
        _blank(data, match.start(3), match.end(3))
    text = bytes(data)
    for pattern, groups in ((_NOTE_MACRO, (1, 2)), (_CALL_MACRO, (2,)), (_POINTER_MACRO, (1,))):
        text = _masked(pattern, text, *groups)
    return _masked_tails(_TAIL_OF_DECLARATION, text)


def _with_semicolons(found: Parsed) -> bytes:
    """Return the bytes with calls of macros that open a block, `FOR_EACH(x, list) {`, ended like other statements."""
    data = bytearray(found.data)
    open_nodes = [found.root]
    while open_nodes:
        node = open_nodes.pop()
        place = node.end_byte
        if node.is_missing and node.type == ";" and found.data[place : place + 1] == b" ":
            if data[place : place + 40].lstrip().startswith(b"{"):
                data[place] = ord(";")
        elif node.has_error:
            open_nodes.extend(node.children)
    return bytes(data)


def _masked_tails(pattern: re.Pattern[bytes], data: bytes) -> bytes:
    """Return the bytes without macros behind a head, but with those that are statements behind a condition."""
    text = bytearray(data)
    for match in pattern.finditer(data):
        line = data.rfind(b"\n", 0, match.start()) + 1
        if not _CONTROL.match(data, line):
            _blank(text, match.start(1), match.end(1))
    return bytes(text)


def _without_branches(found: Parsed) -> bytes:
    """Return the bytes without the other branches of conditionals that hold an error, and without their directives."""
    rows = _error_spans(found.root)
    data = bytearray(found.data)
    for group in _groups(found.data):
        start, end = group.directives[0][0], group.directives[-1][1]
        if not any(low <= end and start <= high for low, high in rows):
            continue
        kept = 1 if group.is_never else 0
        for place, ((begin, behind), (following, _)) in enumerate(
            zip(group.directives, group.directives[1:], strict=False)
        ):
            _blank(data, begin, behind if place == kept else following)
        _blank(data, *group.directives[-1])
    return bytes(data)


def _groups(data: bytes) -> list[_Group]:
    """Return the complete conditionals of a file."""
    found: list[_Group] = []
    open_groups: list[_Group] = []
    for match in _DIRECTIVE.finditer(data):
        word, span = match.group(1), match.span()
        if word.startswith(b"if"):
            open_groups.append(_Group([span], word == b"if" and _NEVER.match(match.group(2)) is not None))
        elif open_groups:
            open_groups[-1].directives.append(span)
            if word == b"endif":
                found.append(open_groups.pop())
    return found


def _error_spans(root: Node) -> list[tuple[int, int]]:
    """Return the bytes that the parser did not understand, joined where they touch."""
    spans: list[tuple[int, int]] = []
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        if node.is_missing or node.is_error:
            spans.append((node.start_byte, node.end_byte))
        elif node.has_error:
            open_nodes.extend(node.children)
    joined: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined
