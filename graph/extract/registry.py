"""Which extractor reads which language: the one door from bytes to `Facts`.

Extractors are imported when first asked for, so that a command that extracts nothing loads no grammar.
"""

from __future__ import annotations

import importlib

from graph.errors import GrammarError
from graph.extract.facts import Facts

__all__ = ["EXTRACTED_LANGUAGES", "extract"]

EXTRACTED_LANGUAGES: tuple[str, ...] = ("javascript", "jsx", "markdown", "python", "tsx", "typescript")
"""The languages that `extract` reads, sorted."""


def extract(language: str, data: bytes) -> Facts:
    """Return what one file says, from its bytes alone; never raises on any bytes.

    Raises:
        GrammarError: the grammar package of this language is not installed, or no extractor reads the language.
    """
    try:
        return _dispatch(language, data)
    except ModuleNotFoundError as error:
        package = (error.name or "").replace("_", "-")
        if not package.startswith("tree-sitter"):
            raise
        raise GrammarError(
            f"the grammar for {language} is missing: no module {error.name!r}. Install it with `pip install {package}`."
        ) from error


def _dispatch(language: str, data: bytes) -> Facts:
    match language:
        case "python":
            from graph.extract.python import extract_python

            return extract_python(data)
        case "javascript" | "jsx" | "typescript" | "tsx":
            javascript = importlib.import_module("graph.extract.javascript")
            facts: Facts = javascript.extract_javascript(language, data)
            return facts
        case "markdown":
            markdown = importlib.import_module("graph.extract.markdown")
            prose: Facts = markdown.extract_markdown(data)
            return prose
        case _:
            known = ", ".join(EXTRACTED_LANGUAGES)
            raise GrammarError(f"no extractor reads {language!r}; known languages: {known}.")
