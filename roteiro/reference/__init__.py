"""The reference pages, generated from the code.

Commands, tools, settings, languages, request parameters, server-sent events, a JSON Schema for what each command
prints. `python -m roteiro.reference` writes them below `docs/reference`, `--check` fails when one differs.
"""

from roteiro.reference.pages import differences, pages, write

__all__ = ["differences", "pages", "write"]
