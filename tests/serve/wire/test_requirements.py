"""What the wires promise and what the tests hold are the same list."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS, requirement

_TESTS = Path(__file__).parents[2]


def _marked() -> Counter[str]:
    """Return how many tests name each requirement, by the source of all tests, whichever of them run now."""
    found: Counter[str] = Counter()
    for path in _TESTS.rglob("test_*.py"):
        if "requirement(" not in (source := path.read_text()):
            continue
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "requirement":
                    found.update(argument.value for argument in mark.args if isinstance(argument, ast.Constant))
    return found


def test_every_promise_is_held_by_a_test():
    """A promise without a test is a wish."""
    assert {entry.id for entry in REQUIREMENTS} - set(_marked()) == set()


def test_every_mark_names_a_promise():
    """A test of something nobody promised is marked by mistake."""
    assert set(_marked()) - {entry.id for entry in REQUIREMENTS} == set()


def test_a_mark_that_names_nothing_fails_at_import():
    """A misspelt id holds nothing."""
    with pytest.raises(ValueError, match="no such requirement"):
        requirement("chat.nonsense")


def test_promises_are_listed_once_in_a_sentence():
    """The list is read by people."""
    ids = [entry.id for entry in REQUIREMENTS]
    assert len(ids) == len(set(ids))
    assert all(entry.sentence.endswith(".") and entry.source for entry in REQUIREMENTS)
