"""The page of JSON Schema keywords, from the table that the compiler obeys."""

from __future__ import annotations

from serve.prompt import names, repeats
from serve.prompt.schema_words import ANNOTATIONS, KEYWORDS

__all__ = ["keywords_page"]

_INTRO = f"""# JSON Schema, as far as it is held

`response_format` (Chat Completions), `text.format` (Responses) and the parameters of called tools bind what
a local model can write: whatever it writes is valid under the schema. What the schema allows and the grammar does not
is narrower, never wider. A keyword that is not listed is refused by name and path (`unsupported_schema`); in a
tool's parameters it is not: that tool then takes any JSON object, and the log says so. White space between values is
bounded, and where a schema says nothing a value nests at most six levels.

## How an answer ends

An answer that goes well ends where its document does: `stop`, or `tool_calls`. Two things can happen on the way, to the
document of a format and to the arguments of a call alike:

- **It repeats itself.** Small models fall into loops in strings and lists that no schema bounds. The string, list or
  object is closed at the first place where the schema lets it be, and the model goes on from there; the log of the
  server says so. A loop is one string, or whole long items, of which {repeats.LEAST_TOKENS} tokens are the same thing
  {repeats.LEAST_TIMES} times or more; the same of short items from {repeats.LEAST_TOKENS_BETWEEN} tokens on, of
  numbers and listed values from {repeats.LEAST_TOKENS_LISTED} on, so that a list of forty equal labels is left alone;
  {repeats.STALE_TOKENS} tokens of one string with hardly a turn that was not there before; and a name that one object
  is given {names.LEAST_TIMES} times. After each loop half as many tokens are enough. What `minItems` or
  `minLength` still demand is written.
- **Its tokens run out.** When `max_tokens` leaves just enough to finish, only tokens are taken with which the document
  can still be whole: open strings and lists are closed, what is required is written, the shortest way if need be. The
  document is valid and says `length` (Responses: `incomplete`, `max_output_tokens`), since a text in it may break off
  or items may be missing. Only a document that never had the room (its shortest form is longer than `max_tokens`) is
  cut as it stands.

`maxLength`, `maxItems` and `enum` in a schema are better than both: what is bounded ends by itself.

## What is held

| keyword | what is held |
|---|---|
"""


def keywords_page() -> str:
    """Return the table of keywords, and the annotations that are read over."""
    rows = [f"| `{keyword}` | {note} |" for keyword, note in KEYWORDS.items()]
    listed = ", ".join(f"`{keyword}`" for keyword in sorted(ANNOTATIONS))
    read_over = f"{listed}, and all that begin with `x-`"
    return _INTRO + "\n".join(
        [*rows, "", f"Read over, since they say nothing of validity: {read_over}, and all that begin with `x-`.", ""]
    )
