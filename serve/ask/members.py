"""The members of a shown class that the model saw: an answer that names one of them rests on it, not on the class."""

from __future__ import annotations

from graph.lookup import GraphReader
from serve.ask.evidence import Shown

__all__ = ["members_shown"]


def members_shown(store: GraphReader, place: Shown) -> list[Shown]:
    """Return the functions and methods inside a shown symbol whose name its shown text holds."""
    if not place.key:
        return []
    rows = store.read().execute(
        "SELECT n.key, n.qualname, n.name, n.start_line, n.end_line FROM node n JOIN file f ON f.id = n.file "
        "WHERE f.project = ? AND f.path = ? AND n.start_line >= ? AND n.end_line <= ? AND n.key <> ? "
        "AND n.kind IN ('function', 'method') ORDER BY n.start_line, n.key",
        (store.project_id, place.path, place.start_line, place.end_line, place.key),
    )
    return [
        Shown(path=place.path, start_line=start, end_line=end, key=key, name=qualname, text=place.text, rank=place.rank)
        for key, qualname, name, start, end in rows
        if name in place.text and (not place.lines or any(start <= line <= end for line in place.lines))
    ]
