"""The dump is the graph that answers are made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.dump import dump
from graph.query import callees, callers
from graph.repository import Repository


@pytest.fixture
def repository(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "core.py").write_text(
        "class App:\n    def run(self):\n        self.step()\n        helper()\n        helper()\n\n"
        "    def step(self):\n        unknown().run()\n\n\ndef helper():\n    return App()\n"
    )
    (root / "main.py").write_text("from core import App, helper\n\nhelper()\nApp().run()\n")
    with Repository.open(root, cache_home=tmp_path / "home") as opened:
        opened.sync()
        yield opened


def test_the_calls_are_exactly_those_that_callers_and_callees_answer(repository: Repository) -> None:
    """For every node, both ways: what is scored is what is served."""
    found = dump(repository.store)
    dumped = {(edge["src"], edge["dst"], edge["line"]) for edge in found["edges"] if edge["kind"] == "calls"}
    asked: set[tuple[object, object, object]] = set()
    answered: set[tuple[object, object, object]] = set()
    for node in found["nodes"]:
        key = str(node["id"])
        for call in callers(repository.store, key, limit=1000).calls:
            asked.update((call.key, call.through or key, line) for line in call.lines)
        for call in callees(repository.store, key, limit=1000).calls:
            answered.update((call.through or key, call.key, line) for line in call.lines)
    assert dumped == asked == answered
    assert ("sym:python:core.py#App.run", "sym:python:core.py#helper", 4) in dumped
    assert ("sym:python:core.py#App.run", "sym:python:core.py#helper", 5) in dumped


def test_every_edge_has_provenance_and_confidence_and_known_ends(repository: Repository) -> None:
    """Nothing points at a node that the dump does not hold."""
    found = dump(repository.store, include_inferred=True)
    keys = {node["id"] for node in found["nodes"]}
    for edge in found["edges"]:
        assert {edge["src"], edge["dst"]} <= keys
        assert edge["provenance"] in {"derived", "authored", "inferred"}
        assert 0 < float(str(edge["confidence"])) <= 1


def test_candidates_are_in_it_only_when_asked_for(repository: Repository) -> None:
    """And then labelled, beside all the rest."""
    plain = dump(repository.store)["edges"]
    every = dump(repository.store, include_inferred=True)["edges"]
    assert not [edge for edge in plain if edge["provenance"] == "inferred"]
    candidates = [edge for edge in every if edge["provenance"] == "inferred"]
    assert [edge for edge in every if edge not in candidates] == plain
    assert ("sym:python:core.py#App.step", "sym:python:core.py#App.run", 8) in {
        (edge["src"], edge["dst"], edge["line"]) for edge in candidates
    }


def test_nodes_have_what_a_scorer_needs(repository: Repository) -> None:
    """Kind, names, file and lines."""
    nodes = {node["id"]: node for node in dump(repository.store)["nodes"]}
    assert nodes["sym:python:core.py#App.run"] == {
        "id": "sym:python:core.py#App.run",
        "kind": "method",
        "name": "run",
        "qualname": "App.run",
        "file": "core.py",
        "start_line": 2,
        "end_line": 5,
        "name_line": 2,
        "language": "python",
    }
    assert nodes["file:main.py"]["start_line"] == 0


def test_two_dumps_of_equal_graphs_are_equal(repository: Repository) -> None:
    """Also when the rows were written in another order."""
    before = dump(repository.store)
    repository.sync(rebuild=True)
    assert dump(repository.store) == before
