"""Small repositories in memory, resolved, and the by-name resolver as the mutant that cases must catch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from graph.extract.facts import Attribute, Facts, Name
from graph.extract.registry import extract
from graph.languages import language_of
from graph.model import EdgeKind
from graph.resolve.languages import NO_RULES, rules_for
from graph.resolve.resolver import Resolved, Resolver
from graph.resolve.views import FileView

__all__ = ["MemorySource", "Pairs", "by_name", "pairs", "resolved", "short"]

Pairs = set[tuple[str, str]]
"""Edges by their ends, as `short` writes them."""

_PREFIX = re.compile(r"^(sym:[a-z]+:|file:)")


class MemorySource:
    """A repository held in memory: sources of any language, and the files that configure them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def paths(self) -> Sequence[str]:
        return sorted(path for path in self._texts if self.language(path))

    def language(self, path: str) -> str:
        return language_of(path, self._texts[path].encode()) or ""

    def facts(self, path: str) -> Facts:
        return extract(self.language(path), self._texts[path].encode())

    def config_text(self, path: str) -> str | None:
        return self._texts.get(path)


def resolved(texts: Mapping[str, str]) -> dict[str, Resolved]:
    """Return what a cold resolver says of each file."""
    source = MemorySource(texts)
    resolver = Resolver(source)
    return {path: resolver.resolve(path) for path in source.paths()}


def short(key: str) -> str:
    """Return a key as cases write it: `path#Qualname`, and a file is `path`."""
    return _PREFIX.sub("", key)


def pairs(texts: Mapping[str, str], kind: EdgeKind = EdgeKind.CALLS) -> Pairs:
    """Return the edges of one kind."""
    found = (edge for item in resolved(texts).values() for edge in item.edges if edge.kind is kind)
    return {(short(edge.src), short(edge.dst)) for edge in found}


def by_name(texts: Mapping[str, str]) -> Pairs:
    """Link every call to every definition of the called name: recall 1, and wrong wherever a name is not unique."""
    source = MemorySource(texts)
    views = [
        FileView(path, source.facts(path), rules_for(source.language(path)) or NO_RULES) for path in source.paths()
    ]
    named: dict[str, list[str]] = {}
    for view in views:
        for index, item in enumerate(view.facts.definitions):
            if item.scope >= 0:
                named.setdefault(item.name, []).append(short(view.key_of(index)))
    found: Pairs = set()
    for view in views:
        for scope, facts in enumerate(view.facts.scopes):
            for call in facts.calls:
                targets = named.get(_last_name(call.function), [])
                found |= {(short(view.caller_key(scope)), target) for target in targets}
    return found


def _last_name(function: object) -> str:
    if isinstance(function, Attribute):
        return function.name
    return function.id if isinstance(function, Name) else ""
