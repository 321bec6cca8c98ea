"""Heads of generic functions: the type parameters of a function are visible in its own parameters and results."""

from __future__ import annotations

from collections.abc import Iterator

from graph.extract.facts import Attribute, Collection, Expr, Name, Subscript, Union
from graph.resolve.core import union
from graph.resolve.evaluator import Evaluator
from graph.resolve.values import Function, Returning, Values
from graph.resolve.views import FileView

__all__ = ["GenericHeads", "names_of"]


class GenericHeads(Evaluator):
    """Reads the types of a head in the scope of the function where they name its type parameters."""

    def _parameter(self, view: FileView, scope: int, index: int) -> Values:
        parameter = view.parameters(scope)[index]
        if parameter.annotation is None or parameter.kind != "positional":
            return super()._parameter(view, scope, index)
        if not self._is_generic(view, scope, parameter.annotation):
            return super()._parameter(view, scope, index)
        declared = self.types(view, scope, parameter.annotation, 0)
        handed = self.flows.get((view.path, scope, index), ())
        is_signature = all(isinstance(value, Returning) for value in declared)
        return union([handed, declared]) if is_signature else declared

    def _returned(self, function: Function) -> Values:
        view = self.view(function.path)
        annotation = view.facts.scopes[function.scope].return_annotation
        if annotation is not None and self._is_generic(view, function.scope, annotation):
            declared = self.types(view, function.scope, annotation, 0)
            if declared:
                return declared
        return super()._returned(function)

    def _is_generic(self, view: FileView, scope: int, expr: Expr) -> bool:
        """Tell whether a type names a type parameter of the function."""
        assigns = view.facts.scopes[scope].assigns
        declared = {item.target.id for item in assigns if item.how == "type" and isinstance(item.target, Name)}
        return bool(declared) and any(name in declared for name in names_of(expr))


def names_of(expr: Expr) -> Iterator[str]:
    """Give the names at the roots of a type, in the order in which they are written."""
    open_types = [expr]
    while open_types:
        match open_types.pop():
            case Name(id=name):
                yield name
            case Attribute(base=base):
                open_types.append(base)
            case Subscript(base=base, index=index):
                open_types += (index, base)
            case Collection(values=values):
                open_types += reversed(values)
            case Union(options=options):
                open_types += reversed(options)
            case _:
                pass
