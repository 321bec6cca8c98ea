"""Packages that import each other in a circle: none of them can be understood, tested or moved alone.

Folders are few where symbols are many (900 for 2,800 files), so this is a graph to hold in memory, and networkx's to
analyse. Tests and candidates by name are left out.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from graph.lookup import GraphReader

__all__ = ["Circle", "import_circles"]


class Circle(Struct, frozen=True, kw_only=True):
    """Folders of which each reaches every other one by imports."""

    packages: tuple[str, ...]
    """In order of name; `.` is the root."""
    imports: int
    """Imports between files of different folders of the circle."""


def import_circles(store: GraphReader) -> tuple[Circle, ...]:
    """Return the circles, the largest first; each package is in at most one."""
    import networkx as nx  # 0.2 s to load, and only this question needs it

    counts = Counter((here, there) for here, there in _imports(store) if here != there)
    parts = nx.strongly_connected_components(nx.DiGraph(list(counts)))
    found = [
        Circle(
            packages=tuple(sorted(part)),
            imports=sum(number for (here, there), number in counts.items() if here in part and there in part),
        )
        for part in parts
        if len(part) > 1
    ]
    return tuple(sorted(found, key=lambda circle: (-len(circle.packages), circle.packages)))


def _imports(store: GraphReader) -> list[tuple[str, str]]:
    """Return the folders of both ends of each import, once for each pair of files."""
    rows = store.read().execute(
        "SELECT DISTINCT a.path, b.path FROM edge AS e JOIN node AS s ON s.id = e.src JOIN node AS d ON d.id = e.dst "
        "JOIN file AS a ON a.id = s.file JOIN file AS b ON b.id = d.file "
        "WHERE e.project = ? AND e.kind = 'imports' AND e.provenance <> 'inferred' "
        "AND s.is_test = 0 AND d.is_test = 0 ORDER BY 1, 2",
        (store.project_id,),
    )
    return [(_folder(here), _folder(there)) for here, there in rows]


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "."
