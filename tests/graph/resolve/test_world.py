"""What a world holds, and for how long."""

from __future__ import annotations

import gc
import weakref

from graph.extract.facts import Facts
from graph.extract.registry import extract
from graph.resolve.world import World


class OneFile:
    def paths(self) -> list[str]:
        return ["m.py"]

    def language(self, path: str) -> str:
        return "python"

    def facts(self, path: str) -> Facts:
        return extract("python", b"def f(): pass\n")

    def config_text(self, path: str) -> str | None:
        return None


def test_what_is_closed_goes_without_a_search_for_cycles():
    """An index that holds its world would keep every opened file alive until the collector looks."""
    world = World(OneFile())
    assert world.view("m.py").facts.definitions
    world.index("of itself", lambda held: [held])
    gone = weakref.ref(world)
    gc.disable()
    try:
        world.close()
        del world
        assert gone() is None
    finally:
        gc.enable()
