"""The repository as the resolver reads it: which paths exist, and a bounded number of opened files."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

from graph.resolve.families import open_view
from graph.resolve.languages import NO_RULES, LanguageRules, rules_for
from graph.resolve.source import Source
from graph.resolve.views import FileView

__all__ = ["World"]

_OPEN_FILES = 400
"""Views held at once: the files that everything imports stay open, and memory stays bounded on any repository."""

Index = TypeVar("Index")


class World:
    """Shared by all files of one resolver. It holds nothing that could make one result depend on another."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._views: OrderedDict[str, FileView] = OrderedDict()
        self._indexes: dict[str, object] = {}
        self._paths = source.paths()
        self.known: frozenset[str] = frozenset(self._paths)
        """The indexed paths, for membership."""

    def paths(self) -> Sequence[str]:
        """Return the indexed paths, sorted."""
        return self._paths

    def config_text(self, path: str) -> str | None:
        """Return the text of a configuration file, None when there is none."""
        return self._source.config_text(path)

    def language(self, path: str) -> str:
        """Return the language of a file."""
        return self._source.language(path)

    def rules(self, path: str) -> LanguageRules | None:
        """Return the rules of the language of a file."""
        return rules_for(self._source.language(path))

    def index(self, name: str, build: Callable[[World], Index]) -> Index:
        """Return an index over all paths, such as that of a language's modules, built at the first call."""
        if name not in self._indexes:
            self._indexes[name] = build(self)
        found: Index = self._indexes[name]  # type: ignore[assignment] # a name always goes with the same build function
        return found

    def close(self) -> None:
        """Let go of everything now: indexes hold the world that holds them, and looking for cycles costs a second."""
        self._views.clear()
        self._indexes.clear()

    def view(self, path: str) -> FileView:
        """Return an opened file; the ones used least recently are closed."""
        view = self._views.get(path)
        if view is not None:
            self._views.move_to_end(path)
            return view
        view = open_view(self._source.language(path), path, self._source.facts(path), self.rules(path) or NO_RULES)
        self._views[path] = view
        if len(self._views) > _OPEN_FILES:
            self._views.popitem(last=False)
        return view
