"""The page of request parameters, from the table that the decoders obey."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from serve.wire.parameters import CHAT, RESPONSES, Parameter, Verdict

__all__ = ["parameters_page"]

_INTRO = """# Request parameters

What each parameter of the two OpenAI APIs does here. `null`, and the API's own default, is never a decision. A key
that is not listed is ignored. In Ask mode the same holds; a request that brings tools is answered in general mode.

| word | means |
|---|---|
| supported | it does what the API says |
| accepted, not enforced | it is taken and changes nothing; no answer claims that it did |
| dropped | ignoring it leaves the caller believing nothing false |
| 400 | refused with the sentence given, unless one of the values in brackets is sent |

Also understood: the base URLs `/general/v1` and `/ask/v1`, the model names `ID:general`, `ID:ask` and `ID-fast`
(thinking off), and the header `x-roteiro-mode: ask` or `general`, which wins. The response header `x-roteiro-mode`
says who answered, `x-request-id` names the request in the log.
"""


def parameters_page() -> str:
    """Return a table for each API."""
    return "\n".join(
        [
            _INTRO,
            _section("POST /v1/chat/completions", CHAT),
            _section("POST /v1/responses", RESPONSES),
        ]
    )


def _section(title: str, table: Sequence[Parameter]) -> str:
    rows = [f"| `{row.name}` | {_verdict(row)} | {row.note} |" for row in table]
    return "\n".join([f"## {title}\n", "| parameter | here | what it does |\n|---|---|---|", *rows, ""])


def _verdict(row: Parameter) -> str:
    neutral = ", ".join(f"`{msgspec.json.encode(value).decode()}`" for value in row.neutral)
    return (
        f"{row.verdict.value} ({neutral} passes)" if row.verdict is Verdict.REFUSED and neutral else row.verdict.value
    )
