"""The page of languages: which files are read, by which grammar, and how far they are understood."""

from __future__ import annotations

from graph.languages import LANGUAGES, Language

__all__ = ["languages_page"]

_INTRO = """# Languages

The language of a file is decided by its suffix, its name, or the interpreter in its first line. A file of another
language is listed and not understood; a file that is skipped has its reason in `roteiro status --skipped`. What an
extractor meets and does not understand is recorded with the file, never guessed.
"""

_DEPTHS = {
    "calls": """## Calls across files

Definitions, imports, scopes and types: a call leads to its definition through imports, re-exports, receivers, class
hierarchies and values that flow simply.
""",
    "imports": """## Definitions and imports

Imports lead to files where the language has one convention for it. Calls are resolved only where no type decides (a
function of a sourced script, `new C`); the others are candidates by name, shown when asked for.
""",
    "prose": """## Prose

Sections with their anchors, the names in backticks and the paths in links, decision records.
""",
}


def languages_page() -> str:
    """Return a table for each depth of understanding."""
    parts = [_INTRO]
    for depth, text in _DEPTHS.items():
        rows = [_row(language) for language in LANGUAGES if language.depth == depth]
        parts.append("\n".join([text, "| language | files | interpreters | grammar |", "|---|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def _row(language: Language) -> str:
    files = ", ".join(f"`{name}`" for name in (*language.suffixes, *language.filenames))
    interpreters = ", ".join(f"`{name}`" for name in language.shebangs)
    name = language.name if language.name == language.key else f"{language.name} (keys say {language.key})"
    return f"| {name} | {files} | {interpreters} | `{language.grammar.replace('_', '-')}` |"
