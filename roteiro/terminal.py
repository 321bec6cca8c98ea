"""Writing to the person: what goes to stdout, what to stderr, and when it is coloured.

stdout holds the answer and nothing else, so that it can be piped; progress and remarks go to stderr.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TextIO

import msgspec

from graph.visible import HIDDEN

__all__ = [
    "bold",
    "cleaned",
    "confirm",
    "dim",
    "green",
    "is_coloured",
    "print_json",
    "print_text",
    "program",
    "red",
    "say",
    "yellow",
]

# Control characters of the terminal, except tab and newline: text of the analysed repository must not move the
# cursor, set the title or hide what follows. The C1 range (0x80-0x9f) is read as controls by some terminals.
_CONTROLS = re.compile(f"[{HIDDEN}]")
_OURS = re.compile("(\x1b\\[(?:0|1|2|31|32|33)m)")  # the styles below


def is_coloured(stream: TextIO) -> bool:
    """Return whether to colour: a terminal that can, and neither NO_COLOR nor TERM=dumb is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def cleaned(text: str) -> str:
    """Return the text with every control character replaced, tab and newline apart."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def bold(text: str) -> str:
    """Return the text in bold where stdout shows it."""
    return _styled(text, "1")


def dim(text: str) -> str:
    """Return the text faint where stdout shows it."""
    return _styled(text, "2")


def red(text: str) -> str:
    """Return the text in red where stdout shows it."""
    return _styled(text, "31")


def green(text: str) -> str:
    """Return the text in green where stdout shows it."""
    return _styled(text, "32")


def yellow(text: str) -> str:
    """Return the text in yellow where stdout shows it."""
    return _styled(text, "33")


def _styled(text: str, code: str) -> str:
    clean = cleaned(text)
    return f"\x1b[{code}m{clean}\x1b[0m" if is_coloured(sys.stdout) else clean


def print_text(text: str) -> None:
    """Print an answer to stdout; styles made by this module pass, control characters of others do not."""
    pieces = _OURS.split(text) if is_coloured(sys.stdout) else [text]
    clean = (piece if _OURS.fullmatch(piece) else cleaned(piece) for piece in pieces)
    sys.stdout.write("".join(clean) + "\n")


def print_json(value: object) -> None:
    """Print one JSON document to stdout."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def say(text: str) -> None:
    """Print a remark to stderr."""
    sys.stderr.write(cleaned(text) + "\n")
    sys.stderr.flush()


def program() -> str:
    """Return what to type to run this program again: its name where that is found, else its path."""
    path = Path(sys.argv[0])
    found = shutil.which(path.name)
    if path.name != "roteiro" or (found and Path(found).resolve() == path.resolve()):
        return "roteiro"
    return str(path)


def confirm(question: str) -> bool | None:
    """Ask a yes/no question on the terminal, Enter meaning yes; None when there is no terminal to ask on."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"{question} [Y/n] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"", "y", "yes"}
