"""The page of JSON Schema keywords, from the table that the compiler obeys."""

from __future__ import annotations

from serve.prompt.schema_words import ANNOTATIONS, KEYWORDS

__all__ = ["keywords_page"]

_INTRO = """# JSON Schema, as far as it is held

`response_format` (Chat Completions), `text.format` (Responses) and the parameters of called tools bind what
a local model can write: whatever it writes is valid under the schema. What the schema allows and the grammar does not
is narrower, never wider. A keyword that is not listed is refused by name and path (`unsupported_schema`); in a
tool's parameters it is not: that tool then takes any JSON object, and the log says so. White space between values is
bounded, and where a schema says nothing a value nests at most six levels.

| keyword | what is held |
|---|---|
"""


def keywords_page() -> str:
    """Return the table of keywords, and the annotations that are read over."""
    rows = [f"| `{keyword}` | {note} |" for keyword, note in KEYWORDS.items()]
    read_over = ", ".join(f"`{keyword}`" for keyword in sorted(ANNOTATIONS))
    return _INTRO + "\n".join([*rows, "", f"Read over, since they say nothing of validity: {read_over}.", ""])
