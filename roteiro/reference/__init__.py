"""The reference pages, generated from the code: commands, tools, settings, request
parameters, server-sent events, a JSON Schema for what each command prints.

`python -m roteiro.reference` writes them below `docs/reference`, `--check` fails when one differs from what is there.
"""

from roteiro.reference.pages import differences, pages, write

__all__ = ["differences", "pages", "write"]
