"""What other files can observe of one file."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from graph.extract.facts import Assign, Collection, Facts, Name, Scope
from graph.extract.registry import extract
from graph.resolve.interface import interface_digest


def _with_scope(number: int) -> Facts:
    literal = Collection("object", (Name("f"),), (Name("f"),), scope=number)
    module = Scope(kind="module", parent=-1, assigns=(Assign(Name("table"), literal),))
    return Facts(language="javascript", line_count=1, scopes=(module, Scope("object", 0), Scope("object", 0)))


def test_the_scope_of_an_object_literal_counts():
    """It decides what `this` means in the functions of the literal."""
    assert interface_digest(_with_scope(1)) == interface_digest(_with_scope(1))
    assert interface_digest(_with_scope(1)) != interface_digest(_with_scope(2))


def test_a_method_that_moves_to_another_literal_is_another_interface():
    """Though every literal has the same keys."""
    before = b"const a = { m() { return this } }; const b = { n: a.m }; export default { a, b }\n"
    after = b"const a = { m: null }; const b = { n() { return this } }; export default { a, b }\n"
    assert interface_digest(extract("javascript", before)) != interface_digest(extract("javascript", after))


@pytest.mark.parametrize("field", ["line_count", "doc", "error_count", "notes"])
def test_what_only_the_file_itself_shows_does_not_count(field):
    """Documentation, counts and notes."""
    facts = _with_scope(1)
    assert interface_digest(replace(facts, **{field: {"doc": "x", "notes": ("x",)}.get(field, 7)})) == interface_digest(
        facts
    )
