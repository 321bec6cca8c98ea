"""What stands inside a line of reStructuredText: roles, literals, references, and the text that a reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["first_path", "mentions_in", "plain_text", "section_anchor"]

_INLINE = re.compile(
    r"``(?P<literal>[^`]{1,300})``"
    r"|:(?P<role>[\w:+.-]{1,60}):`(?P<text>[^`]{1,400})`"
    r"|`(?P<shown>[^`<]{0,300})<(?P<target>[^`>]{1,400})>`_{0,2}"
    r"|`(?P<quoted>[^`]{1,300})`(?P<suffix>_{0,2})"
)
_AUTHORED = re.compile(r"\[\[([^\[\]\n|]{1,300})(?:\|[^\[\]\n]{0,200})?\]\]")
_IDENTIFIER = re.compile(r"^[@#./~!]*[\w$][\w$.#/:@~\\*-]*(?:\(\)|\(\.\.\.\))?$")
_EXPLICIT = re.compile(r"^(.*?)\s*<([^<>]+)>$", re.DOTALL)
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|#|\?)", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\\)\*{1,2}(?=\S)|(?<=\S)\*{1,2}|\|(?=\S)|(?<=\S)\|_{0,2}")
_REFERENCE = re.compile(r"(\w)_{1,2}(?!\w)")
_SLUG = re.compile(r"[^a-z0-9]+")

_PATH_ROLES = frozenset({"doc", "download"})
_OTHER_ROLES = frozenset(
    {
        "ref",
        "term",
        "issue",
        "pr",
        "pull",
        "pep",
        "rfc",
        "math",
        "guilabel",
        "menuselection",
        "kbd",
        "sup",
        "sub",
        "abbr",
    }
)
"""Roles whose text is no name in code."""

_TEXT_LIMIT = 20_000


def mentions_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield names in code and paths that the text points to, each with the line it stands on, counted from 0."""
    found = [(match.start(), name) for match in _INLINE.finditer(text) if (name := _mention(match))]
    found += [(match.start(), match[1].strip()) for match in _AUTHORED.finditer(text)]
    line, position = 0, 0
    for start, name in sorted(found):
        line += text.count("\n", position, start)
        position = start
        yield name, line


def _mention(match: re.Match[str]) -> str:
    if match["role"] is not None:
        return _role(match["role"].rsplit(":", 1)[-1].lower(), match["text"])
    if match["target"] is not None:
        return first_path(match["target"].strip().removesuffix("_") if "_" in match["target"][-1:] else match["target"])
    name = (match["literal"] or match["quoted"] or "").strip()
    if match["suffix"] or not _IDENTIFIER.match(name):
        return ""
    return _called(name)


def _role(role: str, text: str) -> str:
    explicit = _EXPLICIT.match(text)
    target = (explicit[2] if explicit else text).strip()
    if role in _PATH_ROLES:
        path = first_path(target)
        return f"{path}.rst" if role == "doc" and path and not path.endswith(".rst") else path
    if role in _OTHER_ROLES or len(target) > 200:
        return ""
    target = target.lstrip("~!.")
    return _called(target) if _IDENTIFIER.match(target) else ""


def _called(name: str) -> str:
    return name.lstrip("~!").removesuffix("()").removesuffix("(...)")


def first_path(text: str) -> str:
    """Return a path inside the repository that a link or directive names, empty when it leads outside."""
    path = text.strip()
    if not path or _SCHEME.match(path) or any(blank.isspace() for blank in path) or len(path) > 400:
        return ""
    return path.split("?", 1)[0].removeprefix("./").lstrip("/")


def plain_text(text: str) -> str:
    """Return what a reader sees, on one line: without roles, emphasis and targets."""
    shown = _INLINE.sub(_shown, text[:_TEXT_LIMIT])
    return " ".join(_REFERENCE.sub(r"\1", _EMPHASIS.sub("", shown)).replace("\\", "").split())


def _shown(match: re.Match[str]) -> str:
    if match["text"] is not None:
        explicit = _EXPLICIT.match(match["text"])
        if explicit:
            return explicit[1]
        text = match["text"]
        return text[1:].rsplit(".", 1)[-1] if text.startswith("~") else text
    return (match["literal"] or match["shown"] or match["quoted"] or "").strip()


def section_anchor(title: str) -> str:
    """Return the identifier that docutils gives to a heading."""
    return _SLUG.sub("-", title.lower()).strip("-") or "section"
