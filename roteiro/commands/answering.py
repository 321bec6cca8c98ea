"""Asking the graph one question and printing the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from graph.tool_results import SearchAnswer
from graph.tools import Answer, call_tool
from roteiro.terminal import bold, cleaned, print_json, print_text
from roteiro.wiring import open_workspace

__all__ = ["answer"]

_TEXT_BYTES = 400_000
"""A person scrolls and pipes; the 8,000 bytes that an agent can take do not bound them."""

_NOT_FOUND = 1

# Only the remarks of an answer: source lines are shown as they are.
_REMARK = re.compile(r"^(?:\d[\d,]* more |Note: ).*$", re.MULTILINE)
_ARGUMENT = re.compile(r"\b(cursor|limit|depth|budget|max_hops|include_inferred)=([\w.-]+)")
_PLACE = re.compile(r"^((?:\d+\. |- \d+: |[-+~>] )?)(\S+:\d+(?:-\d+)?)(?= )", re.MULTILINE)


def answer(tool: str, arguments: Mapping[str, object], root: Path | None, *, as_json: bool) -> int:
    """Call a tool of the table and print what it says; return 1 when it found nothing, else 0."""
    with open_workspace(root) as workspace:
        found = call_tool(workspace.ready(), tool, arguments, limit_bytes=_TEXT_BYTES)
    if as_json:
        print_json(_document(found.result))
    else:
        print_text(_highlighted(found))
    return _NOT_FOUND if _is_empty(found.result) else 0


def _document(result: Struct) -> object:
    """Return the result for programs; a list of hits is called `results` on the command line."""
    if isinstance(result, SearchAnswer):
        rest = {name: value for name, value in msgspec.structs.asdict(result).items() if name != "hits"}
        return {"results": result.hits, **rest}
    return result


def _is_empty(result: Struct) -> bool:
    return getattr(result, "total", None) == 0 or getattr(result, "relation", "") == "none"


def _highlighted(found: Answer) -> str:
    """Return the text for a person: places in bold, and what to ask next in the words of the command line."""
    text = _REMARK.sub(lambda remark: _as_options(remark[0]), cleaned(found.text))
    return _PLACE.sub(lambda place: place[1] + bold(place[2]), text)


def _as_options(remark: str) -> str:
    """Turn `cursor=20` and `include_inferred=true`, which an agent would send, into what a person would type."""
    named = _ARGUMENT.sub(lambda pair: f"--{pair[1].replace('_', '-')} {pair[2]}", remark)
    return named.replace("--include-inferred true", "--include-inferred")
