"""The one door from bytes to facts."""

import sys

import pytest

from graph.errors import GrammarError
from graph.extract.registry import EXTRACTED_LANGUAGES, extract


@pytest.mark.parametrize("language", EXTRACTED_LANGUAGES)
@pytest.mark.parametrize("data", [b"", b"\xff\x00\xfe", b"x"])
def test_every_language_reads_any_bytes(language, data):
    """No bytes are refused, and the facts name their language."""
    assert extract(language, data).language


def test_an_unknown_language_is_named():
    """The message lists what there is."""
    with pytest.raises(GrammarError, match=r"'cobol'; known languages: .*python"):
        extract("cobol", b"")


def test_a_missing_grammar_names_its_package(monkeypatch):
    """What to install is said, and an empty graph is never passed off as a result."""
    monkeypatch.delitem(sys.modules, "graph.extract.python", raising=False)
    monkeypatch.setitem(sys.modules, "tree_sitter_python", None)
    with pytest.raises(GrammarError, match="pip install tree-sitter-python"):
        extract("python", b"x = 1\n")
