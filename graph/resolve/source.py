"""What resolution reads and what it gives: the two ends of `graph.resolve`, as plain data.

Incremental equals cold by construction: the result of one file is a pure function of the facts of the paths in
`Resolved.depends_on` and of which paths exist. Nothing that was computed for one file leaks into the result of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from graph.extract.facts import Facts
from graph.model import Edge

__all__ = ["RESOLVE_VERSION", "Resolved", "Source", "UnresolvedCall"]

RESOLVE_VERSION = 4
"""Raise it whenever the edges of any file change without a change of its facts; it is part of the store's versions."""


class Source(Protocol):
    """The indexed files, as a resolver sees them. Every answer must stay the same for the life of a resolver."""

    def paths(self) -> Sequence[str]:
        """Return the indexed code and prose files, sorted."""
        ...

    def language(self, path: str) -> str:
        """Return the language of an indexed file."""
        ...

    def facts(self, path: str) -> Facts:
        """Return the facts of an indexed file; decoded anew at each call, so callers keep what they need."""
        ...

    def config_text(self, path: str) -> str | None:
        """Return the text of a configuration file such as `pyproject.toml`, None when there is none."""
        ...


class UnresolvedCall(Struct, frozen=True):
    """A call that no rule resolved: who calls, the last part of the name as written, and where."""

    src_key: str
    name: str
    line: int


class Resolved(Struct, frozen=True):
    """Everything that resolution says of one file."""

    path: str
    edges: tuple[Edge, ...]
    """Sorted by source, kind and target; each source lies in this file."""
    unresolved: tuple[UnresolvedCall, ...]
    depends_on: tuple[str, ...]
    """Sorted: the paths whose facts were read, and the signals that were listened for (`graph.resolve.signals`)."""
    handed: tuple[tuple[str, str], ...] = ()
    """Sorted: what the file hands to functions of other files that call their parameters, as (that function, what it
    calls then). They become edges of those functions together with what all other files hand to them."""
    asked: bytes | None = None
    """The names that other Python files were asked for (`graph.resolve.asked`); None for any of any file. A change of a
    file that leaves what stands behind all of these names as it was changes nothing here."""
