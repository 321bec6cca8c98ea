"""Which extractor reads which language: the one door from bytes to `Facts`.

Extractors are imported when first asked for, so that a command that extracts nothing loads no grammar.
"""

from __future__ import annotations

import importlib

from graph.errors import GrammarError
from graph.extract.facts import Facts

__all__ = ["EXTRACTED_LANGUAGES", "extract"]

_SCRIPTS = frozenset({"javascript", "jsx", "tsx", "typescript"})
"""Dialects that one extractor tells apart."""

_EXTRACTORS = {
    "bash": "extract_bash",
    "c": "extract_c",
    "cpp": "extract_cpp",
    "csharp": "extract_csharp",
    "go": "extract_go",
    "java": "extract_java",
    "kotlin": "extract_kotlin",
    "lua": "extract_lua",
    "markdown": "extract_markdown",
    "php": "extract_php",
    "python": "extract_python",
    "rst": "extract_rst",
    "ruby": "extract_ruby",
    "rust": "extract_rust",
    "scala": "extract_scala",
    "swift": "extract_swift",
}
"""Language -> the function that reads it, which takes the bytes alone; it stands in the module of the same name."""

EXTRACTED_LANGUAGES: tuple[str, ...] = tuple(sorted([*_SCRIPTS, *_EXTRACTORS]))
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
    if language in _SCRIPTS:
        from graph.extract.javascript import extract_javascript

        return extract_javascript(language, data)
    if language not in _EXTRACTORS:
        known = ", ".join(EXTRACTED_LANGUAGES)
        raise GrammarError(f"no extractor reads {language!r}; known languages: {known}.")
    module = importlib.import_module(f"graph.extract.{language}")
    facts: Facts = getattr(module, _EXTRACTORS[language])(data)
    return facts
