"""The front of resolution: one file in, its edges and what they depend on out."""

from __future__ import annotations

from graph.resolve.asked import packed
from graph.resolve.families import collector_for, evaluator_for
from graph.resolve.flows import flow_arguments
from graph.resolve.source import RESOLVE_VERSION, Resolved, Source, UnresolvedCall
from graph.resolve.world import World

__all__ = ["RESOLVE_VERSION", "Resolved", "Resolver", "Source", "UnresolvedCall"]


class Resolver:
    """Resolves files one at a time, in any order, with the same result in every order."""

    def __init__(self, source: Source) -> None:
        self._world = World(source)

    def close(self) -> None:
        """Let go of the opened files; nothing can be resolved any more."""
        self._world.close()

    def resolve(self, path: str) -> Resolved:
        """Return the edges of an indexed file, its unresolved calls, and all that the two depend on.

        Resolve it again when its own blob changes, or when anything in `depends_on` appears, disappears or changes its
        interface behind a name that was `asked` for; for paths that appear or disappear see `graph.resolve.signals`.
        """
        language = self._world.language(path)
        evaluator = evaluator_for(language, self._world)
        view = evaluator.view(path)
        view.asked = set()  # what a file asks itself changes with its own bytes
        evaluator.allow(view)
        if self._world.rules(path) is not None:
            flow_arguments(evaluator, view)
        collector = collector_for(language, evaluator, view)
        edges, unresolved = collector.collect()
        evaluator.depends.discard(path)
        return Resolved(
            path,
            edges,
            unresolved,
            tuple(sorted(evaluator.depends)),
            tuple(sorted(collector.handed)),
            packed(evaluator.asked) if language == "python" else None,
        )
