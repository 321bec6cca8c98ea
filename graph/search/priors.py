"""How likely a kind of place is meant at all: tests, examples, others' code, changelogs, files, sections rank lower.

The largest single factor in the measured ranking, and what people miss most in other tools, where test files come
first.
"""

from __future__ import annotations

import re

from graph.search.lexical import Candidate

__all__ = ["is_test", "prior"]

_TEST = re.compile(
    r"(^|/)(tests?|testing|testdata|__tests__|spec|runtime-tests|e2e)/"
    r"|(^|/)(test_[^/]*|[^/]*_test|conftest)\.\w+$"
    r"|\.(test|spec)\.\w+$"
)
_SIDE = re.compile(
    r"(^|/)(examples?|samples?|demos?|scripts?|bench|benchmarks?|perf-measures|migrations|tutorial|docs_src)/"
)
_VENDORED = re.compile(r"(^|/)(_?vendor(ed)?|third[_-]party|extern(al)?|node_modules)/")
_CHANGELOG = re.compile(r"(^|/)(change(s|log)|history|news|release-?notes)[^/]*(/|$)", re.IGNORECASE)
_CONFIG = frozenset({"toml", "yaml", "json", "ini", "cfg"})
_KINDS = {
    "class": 0.75,
    "interface": 0.75,
    "type": 0.7,
    "variable": 0.7,
    "module": 0.6,
    "adr": 0.6,
    "file": 0.5,
    "section": 0.5,
    "marker": 0.4,
}
"""A question is mostly about what does something; a class repeats the words of its methods, a file those of all."""


_DOCS = frozenset({"section", "adr"})


def prior(candidate: Candidate, *, wants_tests: bool, wants_docs: bool = False) -> float:
    """Return a factor of at most 1. With `wants_tests` (the query says test) tests are places like any other.

    `wants_docs` is the same for sections of documents.
    """
    value = 1.0 if wants_docs and candidate.kind in _DOCS else _KINDS.get(candidate.kind, 1.0)
    if is_test(candidate) and not wants_tests:
        value *= 0.45
    if _SIDE.search(candidate.path):
        value *= 0.75
    if _VENDORED.search(candidate.path):
        value *= 0.6
    if candidate.language in _CONFIG:
        value *= 0.5
    if _CHANGELOG.search(candidate.path):
        value *= 0.4
    return value


def is_test(candidate: Candidate) -> bool:
    """Whether a candidate is a test, or stands in a file of tests."""
    return candidate.is_test or _TEST.search(candidate.path) is not None
