"""Which blocks of a crate implement what: `impl` blocks that stand apart from their type, and macros, by name."""

from __future__ import annotations

from graph.extract.facts import Attribute, Expr, Name, Subscript
from graph.model import NodeKind
from graph.resolve.world import World

__all__ = ["CrateIndex", "last_name"]


class CrateIndex:
    """The `impl` blocks and macros of the files of one crate."""

    def __init__(self, world: World, files: tuple[str, ...]) -> None:
        self.blocks: dict[str, list[tuple[str, int]]] = {}
        """The last name of a type as written -> (file, scope)."""
        self.macros: dict[str, list[tuple[str, int]]] = {}
        """The name of a macro -> (file, index of the definition)."""
        for path in files:
            facts = world.view(path).facts
            for number, scope in enumerate(facts.scopes):
                if scope.kind == "extension":
                    for assign in scope.assigns:
                        if assign.target == Name("Self"):
                            self.blocks.setdefault(last_name(assign.value), []).append((path, number))
            for index, definition in enumerate(facts.definitions):
                if definition.kind is NodeKind.MACRO:
                    self.macros.setdefault(definition.name, []).append((path, index))


def last_name(expr: Expr) -> str:
    """Return the last name of a type as it is written, empty when it has none."""
    named = expr.base if isinstance(expr, Subscript) else expr
    return named.name if isinstance(named, Attribute) else named.id if isinstance(named, Name) else ""
