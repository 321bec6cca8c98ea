"""Names as the source writes them, reduced to what resolution compares: dotted chains, one-line heads."""

from __future__ import annotations

import re

from graph.extract.facts import Attribute, Expr, Name

__all__ = ["MAX_SIGNATURE", "head_line", "last_name", "named_expr", "one_line", "shortened"]

MAX_SIGNATURE = 300

_CHAIN = re.compile(r"[\\.:]*([^\W\d][\w$]*(?:\s*(?:\.|::|\\|\?\.)\s*[^\W\d][\w$]*)*)")
_SEPARATOR = re.compile(r"\s*(?:\?\.|\.|::|\\)\s*")
_LAST = re.compile(r"([^\W\d][\w$]*[!?]?)[`\s]*$")


def named_expr(text: str) -> Expr | None:
    """Return the dotted name that a type or callee begins with, without type arguments; None when it has none."""
    match = _CHAIN.match(text)
    if match is None:
        return None
    first, *rest = _SEPARATOR.split(match[1])
    expr: Expr = Name(first)
    for part in rest[:12]:
        expr = Attribute(expr, part)
    return expr


def last_name(text: str) -> str:
    """Return the name that an expression ends in, empty when it ends in something else."""
    match = _LAST.search(text[-120:])
    return match[1] if match else ""


def one_line(text: str) -> str:
    """Return a head that may stand on several lines as one line, without comments behind its lines."""
    lines = text.splitlines()
    if len(lines) > 1:
        lines = [line.split(" //", 1)[0] for line in lines]
    joined = " ".join(" ".join(lines).split()).rstrip(" {;,:=")
    return joined.replace("( ", "(").replace(", )", ")").replace(" )", ")")[:MAX_SIGNATURE]


def head_line(text: str) -> str:
    """Return the first line of what a node declares as its signature."""
    lines = text.strip().splitlines()
    return lines[0].rstrip(" {,;")[:MAX_SIGNATURE] if lines else ""


def shortened(text: str, limit: int) -> str:
    """Leave out the middle of a name that no person wrote: nested deeply, all names together would be quadratic."""
    return text if len(text) <= limit else f"{text[: limit // 2]}~{text[-limit // 2 + 1 :]}"
