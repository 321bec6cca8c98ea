"""Small repositories in memory, resolved, and a by-name resolver as the mutant that the gates must catch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from graph.extract.facts import Attribute, Facts, Name
from graph.extract.registry import extract
from graph.model import EdgeKind
from graph.resolve.resolver import Resolved, Resolver
from graph.resolve.views import FileView

Pairs = set[tuple[str, str]]


class MemorySource:
    """A source of files held in memory."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self._facts: dict[str, Facts] = {}

    def paths(self) -> Sequence[str]:
        return sorted(self.files)

    def language(self, path: str) -> str:
        return "python"

    def facts(self, path: str) -> Facts:
        if path not in self._facts:
            self._facts[path] = extract("python", self.files[path])
        return self._facts[path]

    def config_text(self, path: str) -> str | None:
        return None


class Graph:
    """The edges of a small repository; ends are written `path#Qualname`, a file is `path`."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.source = MemorySource(files)
        resolver = Resolver(self.source)
        self.resolved: dict[str, Resolved] = {path: resolver.resolve(path) for path in self.source.paths()}

    def edges(self, kind: EdgeKind) -> Pairs:
        return {
            (_short(edge.src), _short(edge.dst))
            for resolved in self.resolved.values()
            for edge in resolved.edges
            if edge.kind is kind
        }

    @property
    def calls(self) -> Pairs:
        """The calls that are written as calls."""
        return {
            (_short(edge.src), _short(edge.dst))
            for resolved in self.resolved.values()
            for edge in resolved.edges
            if edge.kind is EdgeKind.CALLS and edge.lines
        }

    def callees(self, caller: str) -> set[str]:
        return {dst for src, dst in self.calls if src == caller}

    def unresolved(self) -> set[str]:
        return {call.name for resolved in self.resolved.values() for call in resolved.unresolved}


def by_name(files: Mapping[str, str | bytes]) -> Pairs:
    """Link every call to every definition of the called name: recall 1, and wrong wherever a name is not unique."""
    source = MemorySource(files)
    from graph.resolve.rules_python import PYTHON_RULES

    views = [FileView(path, source.facts(path), PYTHON_RULES) for path in source.paths()]
    named: dict[str, list[str]] = {}
    for view in views:
        for index, definition in enumerate(view.facts.definitions):
            if definition.scope >= 0:
                named.setdefault(definition.name, []).append(_short(view.key_of(index)))
    found: Pairs = set()
    for view in views:
        for scope, facts in enumerate(view.facts.scopes):
            for call in facts.calls:
                function = call.function
                last = function.name if isinstance(function, Attribute) else ""
                last = function.id if isinstance(function, Name) else last
                found |= {(_short(view.caller_key(scope)), target) for target in named.get(last, [])}
    return found


def _short(key: str) -> str:
    return key.removeprefix("sym:python:").removeprefix("file:")


@pytest.fixture
def graph() -> Callable[[Mapping[str, str | bytes]], Graph]:
    """Return a function that resolves a repository given as path -> text."""
    return Graph


@pytest.fixture
def mutant() -> Callable[[Mapping[str, str | bytes]], Pairs]:
    """Return the by-name resolver."""
    return by_name
