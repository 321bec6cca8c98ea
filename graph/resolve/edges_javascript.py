"""The edges of one JavaScript or TypeScript file, where they differ from those of other languages."""

# ruff: noqa: D102 - described once, in the class this one extends
from __future__ import annotations

from graph.resolve.edges import EdgeCollector
from graph.resolve.values import Function, Method, Value

__all__ = ["ScriptEdges"]


class ScriptEdges(EdgeCollector):
    """See `EdgeCollector`."""

    def target_of(self, value: Value) -> str | None:
        match value:
            case Method(owner=Function() as function, name=("call" | "apply")):
                return self.key_of(function)
            case _:
                return super().target_of(value)
