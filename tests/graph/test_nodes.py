"""From facts to nodes."""

import pytest

from graph.extract.facts import Facts, Section
from graph.extract.nodes import definition_key, is_test_path, nodes_of
from graph.extract.registry import extract
from graph.model import NodeKind


def test_the_file_comes_first_and_parents_before_children():
    """Keys are readable; equals are numbered."""
    facts = extract(
        "python", b"class A:\n    def f(self):\n        def g(): pass\n    def f(self): pass\nx = lambda: 1\n"
    )
    nodes = nodes_of("src/app/core.py", facts)
    assert [(node.key, node.parent) for node in nodes] == [
        ("file:src/app/core.py", None),
        ("sym:python:src/app/core.py#A", "file:src/app/core.py"),
        ("sym:python:src/app/core.py#A.f", "sym:python:src/app/core.py#A"),
        ("sym:python:src/app/core.py#A.f.g", "sym:python:src/app/core.py#A.f"),
        ("sym:python:src/app/core.py#A.f~2", "sym:python:src/app/core.py#A"),
        ("sym:python:src/app/core.py#x", "file:src/app/core.py"),
    ]
    assert (nodes[0].start_line, nodes[0].end_line) == (0, 5)
    assert definition_key("src/app/core.py", facts, 3) == nodes[4].key


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_app.py", True),
        ("src/app/test_core.py", True),
        ("src/app/core_test.py", True),
        ("mux_test.go", True),
        ("test_helpers.go", False),
        ("conftest.py", True),
        ("web/list.spec.ts", True),
        ("web/__tests__/list.js", True),
        ("src/app/core.py", False),
        ("src/contest.py", False),
        ("latest/app.py", False),
    ],
)
def test_tests_are_known_by_their_paths(path, expected):
    """Folders and file names follow the conventions of the test runners."""
    assert is_test_path(path) is expected
    assert nodes_of(path, Facts("python", 1))[0].is_test is expected


def test_sections_nest_by_level():
    """A section's parent is the nearest one above of a lower level."""
    sections = (Section("A", 1, "a", 1, 9), Section("B", 2, "b", 3, 5), Section("C", 2, "c", 6, 9))
    nodes = nodes_of("README.md", Facts("markdown", 9, sections=sections))[1:]
    assert [(node.key, node.parent) for node in nodes] == [
        ("doc:README.md#a", "file:README.md"),
        ("doc:README.md#b", "doc:README.md#a"),
        ("doc:README.md#c", "doc:README.md#a"),
    ]


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("adr/0006-one-store.md", "adr:0006-one-store"),
        ("docs/adr/0006-one-store.md", "adr:docs/adr/0006-one-store"),
    ],
)
def test_decision_records_have_a_node_of_their_own(path, key):
    """Two folders may use the same numbers, so the key is more than the number."""
    facts = Facts("markdown", 3, sections=(Section("6. One store", 1, "one", 1, 3),))
    node = nodes_of(path, facts)[1]
    assert (node.key, node.kind, node.name) == (key, NodeKind.ADR, "6. One store")
