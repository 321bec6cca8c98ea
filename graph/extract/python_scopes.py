"""What one body collects while it is walked, and the words that the walkers share.

A `Body` becomes a `Scope` of the facts. It is the only mutable thing of an extraction.
"""

from __future__ import annotations

from graph.extract.facts import Assign, CallExpr, Expr, Parameter, Scope, Unknown

__all__ = ["BRANCH", "LOOP", "STRAIGHT", "UNKNOWN", "Body"]

STRAIGHT, BRANCH, LOOP = 0, 1, 2
"""How surely a statement runs when its body runs (see `Assign.flow`)."""

UNKNOWN = Unknown()


class Body:
    """One scope under construction, in source order."""

    __slots__ = (
        "assigns",
        "calls",
        "definition",
        "flow",
        "globals",
        "is_async",
        "is_generator",
        "kind",
        "nonlocals",
        "number",
        "parameters",
        "parent",
        "qualname",
        "references",
        "return_annotation",
        "returns",
        "variables",
        "yields",
    )

    def __init__(self, kind: str, number: int, parent: Body | None, qualname: str, definition: int = -1) -> None:
        self.kind = kind
        self.number = number
        self.parent = parent
        self.qualname = qualname
        """What stands before the names defined in here: empty for the module, else it ends in a dot."""
        self.definition = definition
        self.flow = STRAIGHT
        self.parameters: tuple[Parameter, ...] = ()
        self.assigns: list[Assign] = []
        self.calls: list[CallExpr] = []
        self.returns: list[Expr] = []
        self.yields: list[Expr] = []
        self.references: list[tuple[Expr, int]] = []
        self.globals: list[str] = []
        self.nonlocals: list[str] = []
        self.variables: set[str] = set()
        """Names that already have a variable definition here."""
        self.return_annotation: Expr | None = None
        self.is_generator = False
        self.is_async = False

    def scope(self) -> Scope:
        """Return the finished scope."""
        return Scope(
            kind=self.kind,
            parent=self.parent.number if self.parent else -1,
            definition=self.definition,
            parameters=self.parameters,
            assigns=tuple(self.assigns),
            calls=tuple(self.calls),
            returns=tuple(self.returns),
            yields=tuple(self.yields),
            references=tuple(self.references),
            globals=tuple(self.globals),
            nonlocals=tuple(self.nonlocals),
            return_annotation=self.return_annotation,
            is_generator=self.is_generator,
            is_async=self.is_async,
        )
