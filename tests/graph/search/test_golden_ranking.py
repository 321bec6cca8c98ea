"""The ranking as a file: a change of the order is a diff that a person reads.

`UPDATE_GOLDEN=1 pytest tests/graph/search/test_golden_ranking.py` writes the file anew.
"""

from __future__ import annotations

import os
from pathlib import Path

from graph.search.search import search

_TESTS = Path(__file__).parents[2]
_CORPUS = _TESTS / "fixtures" / "search_corpus"
_GOLDEN = _TESTS / "golden" / "search_ranking.txt"

QUERIES = (
    "Where is the session cookie signed, and what is used as the key?",
    "What happens when a session has expired?",
    "How is an empty session deleted?",
    "Where is the Authorization header dropped on a redirect to another host?",
    "Which method changes POST to GET on a redirect?",
    "Where are credentials read from a netrc file?",
    "How does a path with parameters become a regular expression?",
    "What answers when no route matches the path?",
    "Which environment variables fill the configuration?",
    "How is the Accept-Language header parsed?",
    "What chooses the proxy for a URL?",
    "test for an expired session",
    "should_strip_auth",
    "CookieSigner.sign",
    "languagedetector",
    "session store",
    "url for",
    "check",
    "sessions.py",
    "session kind:class",
    "session cookie -path:tests test:no lang:python",
    "shoud_strip_auth",
    "CookieSinger",
    "redirectMethod",
    "REDIRECT METHOD",
    "auth",
    "cfg env",
    "req method on redirect",
    "signed in user",
    "look up the proxy",
    "src/webby/client.py:38",
    'File "/srv/app/src/webby/routing.py", line 50, in group',
    "    at LanguageDetector.detect (/app/src/ui/languageDetector.ts:21:5)",
    "self.signer.unsign(",
    "def compile_path(path):",
    "SessionError: the session cookie has a bad signature",
    "session cookie kind:doc",
    "how do sessions work docs",
    "session by:file",
    '"session cookie"',
    "session -cookie",
    "parse* language",
)


def test_the_ranking_is_the_one_that_was_reviewed(make_repository):
    """Query, then hits by name with their scores to one digit, in the file."""
    files = {
        path.relative_to(_CORPUS).as_posix(): path.read_text() for path in sorted(_CORPUS.rglob("*")) if path.is_file()
    }
    store = make_repository(files).store
    lines: list[str] = []
    for query in QUERIES:
        page = search(store, query, limit=5)
        lines.append(f"{query}")
        lines += [f"  {hit.score:5.1f}  {hit.kind} {hit.qualname} in {hit.path}  [{hit.why}]" for hit in page.hits]
        lines.append("")
    ranking = "\n".join(lines)
    if os.environ.get("UPDATE_GOLDEN"):
        _GOLDEN.write_text(ranking)
    assert ranking == _GOLDEN.read_text()
