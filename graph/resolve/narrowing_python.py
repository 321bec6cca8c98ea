"""Type tests: what a name or an attribute still can be on the lines that `isinstance` guards."""

from __future__ import annotations

from graph.extract.facts import Assign, Attribute, Expr, Name
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.values import Class, Constant, Elements, External, Function, Instance, Literal, Module, Value, Values
from graph.resolve.views import FileView

__all__ = ["NarrowingReader"]

_BUILT_IN = {
    "list": frozenset({"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection"}),
    "tuple": frozenset({"tuple", "Tuple", "Sequence", "Iterable", "Collection"}),
    "set": frozenset({"set", "Set", "frozenset", "Iterable", "Collection"}),
    "dict": frozenset({"dict", "Dict", "Mapping", "MutableMapping", "Iterable", "Collection"}),
    "iterator": frozenset({"Iterator", "Iterable", "Generator"}),
}
"""By the kind of a container: the classes of which it is an instance."""


class NarrowingReader(EvaluatorCore):
    """Applies the type tests that hold at a line."""

    def narrowed(self, view: FileView, scope: int, expr: Name | Attribute, line: int, values: Values) -> Values:
        """Return what is left of the values of an expression at a line."""
        name = expr.id if isinstance(expr, Name) else expr.name
        for number, test in view.tests_at(name, line):
            if self._is_about(view, scope, expr, line, number, test):
                classes = self._classes(view, number, test)
                if classes:
                    is_one = test.how.startswith("is:")
                    values = self._matching(values, classes) if is_one else self._others(values, classes)
        return values

    def _is_about(
        self, view: FileView, scope: int, expr: Name | Attribute, line: int, number: int, test: Assign
    ) -> bool:
        """Tell whether a test in scope `number` speaks of an expression, which has not been bound again since."""
        at = scope
        while at != number:
            facts = view.facts.scopes[at]
            if facts.kind not in ("comprehension", "lambda"):
                return False
            at = facts.parent
        if not _same(expr, test.target):
            return False
        root: Expr = expr
        while isinstance(root, Attribute):
            root = root.base
        if not isinstance(root, Name):
            return False
        found = self.find(view, scope, root.id)
        if found is None or self.find(view, number, root.id) != found:
            return scope == number and found is None
        bindings = view.bindings(found[0], root.id)
        return bindings is None or not bindings.rebound(test.line, line)

    def _classes(self, view: FileView, scope: int, test: Assign) -> Values:
        """Return the classes that are tested for; none unless all of them are known."""
        written = self.evaluate(view, scope, test.value, test.line)
        found = [self.elements(value) if isinstance(value, Literal) else (value,) for value in written]
        classes = union(found)
        return classes if all(isinstance(item, Class | External) for item in classes) else ()

    def _matching(self, values: Values, classes: Values) -> Values:
        kept = tuple(value for value in values if any(self._is_of(value, item) for item in classes))
        missing = [
            item for item in classes if not kept or (isinstance(item, Class) and self._is_below(item, values, kept))
        ]
        return union([kept, *(_instance_of(item) for item in missing)])

    def _is_below(self, owner: Class, values: Values, kept: Values) -> bool:
        """Tell whether a class narrows one of the values that no other class keeps."""
        if any(isinstance(value, Instance) and owner in self._line_of(value) for value in kept):
            return False
        above = self.ancestors(owner)
        return any(isinstance(value, Instance) and Class(value.path, value.index) in above for value in values)

    def _others(self, values: Values, classes: Values) -> Values:
        return tuple(value for value in values if not any(self._is_of(value, item) for item in classes))

    def _is_of(self, value: Value, owner: Value) -> bool:
        """Tell whether a value is surely an instance of a class."""
        last = owner.name.rsplit(".", 1)[-1] if isinstance(owner, External) else ""
        match value:
            case Instance():
                if isinstance(owner, Class):
                    return owner in self._line_of(value)
                return any(last == base.rsplit(".", 1)[-1] for base in self._outer_names(value))
            case Elements(kind=kind):
                return last in _BUILT_IN.get(kind, ())
            case Literal():
                _, _, written, _ = self.literal_of(value)
                return last in _BUILT_IN.get(written.type.partition(" ")[0], ())
            case Constant(type=kind):
                return last == kind
            case External(name=name):
                return isinstance(owner, External) and name == f"{owner.name}()"
            case Function() | Class() | Module():
                return False
            case _:
                return False

    def _line_of(self, value: Instance) -> tuple[Class, ...]:
        return self.ancestors(Class(value.path, value.index))

    def _outer_names(self, value: Instance) -> list[str]:
        """Return the names of the base classes outside the repository."""
        found: list[str] = []
        for owner in self._line_of(value):
            view = self.view(owner.path)
            definition = view.facts.definitions[owner.index]
            for base in definition.bases:
                values = self.evaluate(view, definition.owner, base, definition.start_line)
                found += [item.name for item in values if isinstance(item, External)]
        return found


def _instance_of(owner: Value) -> Values:
    if isinstance(owner, Class):
        return (Instance(owner.path, owner.index),)
    return (External(f"{owner.name}()"),) if isinstance(owner, External) else ()


def _same(one: Expr, other: Expr) -> bool:
    """Tell whether two chains of attributes read the same, wherever they stand."""
    while isinstance(one, Attribute) and isinstance(other, Attribute):
        if one.name != other.name:
            return False
        one, other = one.base, other.base
    return isinstance(one, Name) and one == other
