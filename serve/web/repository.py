"""What the page shows of a repository, and nothing else of it."""

from __future__ import annotations

from typing import Protocol

__all__ = ["RepositoryView"]


class RepositoryView(Protocol):
    """A stand-in until the next commit."""
