"""What people paste: `path:line`, stack traces, a line of code, an error message. Taken apart here, pure text.

Frames of Python, JavaScript, Go, Rust, Java and of test reports are known by their shape. The innermost frame comes
first: that is where the error was raised.
"""

from __future__ import annotations

import re

from msgspec import Struct

__all__ = ["Frame", "code_name", "frames_in", "message_runs"]

_PATH = r"(?P<path>(?:[A-Za-z]:)?[\w@.+~\-/\\\[\]]*[\w\]]\.[A-Za-z]\w{0,5})"
_FRAMES = (
    re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d{1,7})(?:, in (?P<name>[\w.<>]+))?'),
    re.compile(
        r"\bat (?:async )?(?:(?P<name>[\w.$<>]+) ?)?\((?:file://)?(?P<path>[^()\s]+?):(?P<line>\d{1,7})(?::\d+)?\)"
    ),
    re.compile(rf"(?<![\w/.])(?:file://)?{_PATH}(?::|#L|\((?=\d+\)))(?P<line>\d{{1,7}})(?:[:\-]L?\d+)*"),
)
_MOST_FRAMES = 8
_IS_PYTHON = re.compile(r'\bFile "[^"\n]+", line \d')

_DEFINITION = re.compile(
    r"^(?:(?:export|default|pub|public|private|protected|static|abstract|async|final|override)\s+)*"
    r"(?:def|class|function\*?|func(?:\s+\([^)]*\))?|fn|struct|interface|trait|impl|enum)\s+(?P<name>[A-Za-z_$][\w$]*)"
    r"\s*(?:[<(:{\[].*)?$",
    re.DOTALL,
)
_CALL = re.compile(
    r"^(?:(?:return|await|yield|new|throw|raise|not|const|let|var|if|elif|while|assert|go|defer)\b\s*)*"
    r"(?:[\w$]+(?:\s*:\s*[\w$\[\]., ]+)?\s*:?=\s*)?(?:(?:await|new)\s+)?@?"
    r"(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*)\s*\(.*$",
    re.DOTALL,
)
_BARE_DEFINITION = re.compile(r"(?:class|function|interface|enum|struct|impl|trait)\s+\w+$")
_OWN = re.compile(r"^(?:self|this|cls|super\(\))(?:\.|->)")

_QUESTION = re.compile(r"\?\s*$|^\s*(?:who|what|where|which|when|why|how|is|are|does|do|can)\b", re.IGNORECASE)
_MESSAGE = re.compile(
    r"\w(?:Error|Exception|Warning)\b|\b(?:error|exception|warning|fatal|panic|cannot|can't|could not|couldn't"
    r"|unable|failed|invalid|must|not|missing|unknown|unexpected|expected|deprecated|refused|denied)\b|['\"`].+['\"`]",
    re.IGNORECASE,
)
"""What messages have and descriptions of code seldom do: of those the loose order of words finds more."""
_RUN = 3
_MOST_RUNS = 24


class Frame(Struct, frozen=True):
    """A place in a file; the path as it was pasted, absolute perhaps."""

    path: str
    line: int
    name: str = ""


def frames_in(text: str) -> tuple[Frame, ...]:
    """Return the places that a text names, the innermost first, each once."""
    found: dict[tuple[str, int], tuple[int, Frame]] = {}
    for pattern in _FRAMES:
        for match in pattern.finditer(text):
            frame = Frame(match["path"].replace("\\", "/"), int(match["line"]), match.groupdict().get("name") or "")
            found.setdefault((frame.path, frame.line), (match.start(), frame))
    frames = [frame for _, frame in sorted(found.values(), key=lambda item: item[0])]
    return tuple(frames[::-1] if _IS_PYTHON.search(text) else frames)[:_MOST_FRAMES]


def code_name(text: str) -> str | None:
    """Return the name that a line of code defines or calls, `foo.bar` of `x = self.foo.bar(1)`; None for prose."""
    written = text.strip().strip("`").strip()
    if "\n" in written or len(written) > _LONGEST_LINE:
        return None
    if _BARE_DEFINITION.fullmatch(written):
        return None  # "class attribute": two words as likely as a line of code
    found = _DEFINITION.match(written) or _CALL.match(written)
    return _OWN.sub("", found["name"].replace("?.", ".")) if found else None


_LONGEST_LINE = 300


def message_runs(text: str) -> list[tuple[str, ...]]:
    """Return the runs of three words of a text that may be a pasted message; nothing for a question."""
    if _QUESTION.search(text) or not _MESSAGE.search(text):
        return []
    said = re.findall(r"[A-Za-z_]\w*", text)
    if len(said) < _RUN + 1:
        return []
    return [tuple(said[at : at + _RUN]) for at in range(len(said) - _RUN + 1)][:_MOST_RUNS]
