"""Members: class hierarchies, and what stands behind a dot."""

# ruff: noqa: D102 - the questions that a part answers for the others are described once, in `EvaluatorCore`
from __future__ import annotations

from functools import partial

from graph.extract.facts import Assign, CallExpr, Definition, Expr, Name
from graph.resolve.asked import CLASSES, of_file
from graph.resolve.core import EvaluatorCore, union
from graph.resolve.languages import rules_for
from graph.resolve.values import (
    Class,
    Constant,
    Elements,
    External,
    Function,
    Instance,
    Literal,
    Method,
    Module,
    Package,
    Super,
    TypeVariable,
    Value,
    Values,
)
from graph.resolve.views import FileView

__all__ = ["MemberLookup", "decorated_by"]

_MAX_ANCESTORS = 60
_MAX_DESCENDANTS = 200
"""Classes below a template that are asked for what it leaves out."""


def decorated_by(call: CallExpr) -> Expr | None:
    """Return what a chain of decorators is applied to in the end, None for a call that applies none."""
    inner: Expr | None = call
    while isinstance(inner, CallExpr):
        inner = inner.arguments[0] if not inner.line and len(inner.arguments) == 1 else None
    return inner


class MemberLookup(EvaluatorCore):
    """Method resolution order, instance attributes, bound methods."""

    def attribute(self, value: Value, name: str) -> Values:
        match value:
            case Instance():
                owner = Class(value.path, value.index)
                found = self.member(owner, name) or self._outside(owner, name) or self.member_below(owner, name)
                is_plain = len(found) == 1 and type(found[0]) is Function  # nearly always
                return (
                    self.bind(found[0], value, owner)
                    if is_plain
                    else self.seen_through(value, name, union(self.bind(item, value, owner) for item in found))
                )
            case Class():
                found = self.member(value, name) or self._outside(value, name) or self.metaclass_member(value, name)
                return union(self.bind(item, None, value) for item in found)
            case Module(path=path):
                return self.world_member(path, name)
            case Package(folder=folder):
                return self.package_member(folder, name)
            case Super(path=path, index=index, receiver=receiver):
                return self._behind(Class(path, index), receiver, name)
            case External(name=outer):
                return (External(f"{outer}.{name}"),)
            case Constant(type=kind) if kind != "none":
                return (External(f"builtins.{kind}.{name}"),)
            case Elements() | Literal():
                return (Method(value, name),)
            case Function():
                return self.hung(value, name) or self._through_decorators(value, name)
            case _:
                return self.variable_member(value, name) if isinstance(value, TypeVariable) else ()

    def seen_through(self, value: Instance, name: str, found: Values) -> Values:
        """Return the members of an instance that are no plain method, as the instance shows them."""
        del value, name
        return found

    def metaclass_member(self, value: Class, name: str) -> Values:
        """Return a member that a class has as an instance of its own class."""
        del value, name
        return ()

    def variable_member(self, value: TypeVariable, name: str) -> Values:
        """Return a member of a thing of which only its type variable is known."""
        del value, name
        return ()

    def world_member(self, path: str, name: str) -> Values:
        """Return a member of a module as other files see it."""
        rules = self.world.rules(path)
        return rules.module_member(self, path, name) if rules else ()

    def package_member(self, folder: str, name: str) -> Values:
        """Return a member of a folder without a file of its own."""
        rules = rules_for("python")
        return rules.package_member(self, folder, name) if rules else ()

    # -- hierarchy ------------------------------------------------------------------------------------------------

    def ancestors(self, owner: Class) -> tuple[Class, ...]:
        known = self._orders.get(owner)
        if known is None:
            self.guarded(("ancestors", owner), lambda: self._ordered(owner))
            known = self._orders.get(owner, (owner,))
        return known

    def _ordered(self, owner: Class) -> Values:
        # Kept beside the memory with its own type; in a cyclic hierarchy the outermost order wins in the end.
        order = self._orders[owner] = tuple(self._linearised(owner))
        return order

    def bases(self, owner: Class) -> tuple[Class, ...]:
        """Return the direct base classes that lie in the repository, in order."""
        found = self.guarded(("bases", owner), lambda: self._bases(owner))
        return tuple(item for item in found if isinstance(item, Class))

    def _bases(self, owner: Class) -> Values:
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        written = (*definition.bases, *definition.implements)
        values = union(self.evaluate(view, definition.owner, base, definition.start_line) for base in written)
        return tuple(value for value in values if isinstance(value, Class) and value != owner)

    def _linearised(self, owner: Class) -> list[Class]:
        """Return the C3 order; a hierarchy that has none is read depth first."""
        bases = self.bases(owner)
        if len(bases) <= 1:  # nearly always; then there is nothing to merge
            above = self.ancestors(bases[0]) if bases else ()
            return [owner, *(item for item in above if item != owner)][:_MAX_ANCESTORS]
        rows: list[list[Class]] = [list(self.ancestors(base)) for base in bases]
        rows = [row for row in [*rows, list(bases)] if row]
        order = [owner]
        while rows and len(order) < _MAX_ANCESTORS:
            head = next((row[0] for row in rows if not any(row[0] in other[1:] for other in rows)), rows[0][0])
            if head not in order:
                order.append(head)
            rows = [kept for row in rows if (kept := [item for item in row if item != head])]
        return order

    def _outside(self, owner: Class, name: str) -> Values:
        """Return a member that a base class outside the repository may define."""
        for ancestor in self.ancestors(owner):
            key = ("outside", ancestor)
            known = self._memory.get(key)
            for base in known if known is not None else self.guarded(key, partial(self._outer_bases, ancestor)):
                if isinstance(base, External):
                    return (External(f"{base.name}.{name}"),)
        return ()

    def _outer_bases(self, owner: Class) -> Values:
        view = self.view(owner.path)
        definition = view.facts.definitions[owner.index]
        values = union(self.evaluate(view, definition.owner, base, definition.start_line) for base in definition.bases)
        return tuple(value for value in values if isinstance(value, External) and value.name != "builtins.object")

    def _behind(self, owner: Class, receiver: Value, name: str) -> Values:
        start = Class(receiver.path, receiver.index) if isinstance(receiver, Instance | Class) else owner
        order = self.ancestors(start)
        behind = order[order.index(owner) + 1 :] if owner in order else self.ancestors(owner)[1:]
        for ancestor in behind:
            found = self.own_member(ancestor, name)
            if found:
                return union(self.bind(item, receiver, start) for item in found)
        return self._outside(owner, name)

    # -- members --------------------------------------------------------------------------------------------------

    def member(self, owner: Class, name: str) -> Values:
        """Return a member as the class or one of its bases defines it, unbound."""
        key = ("member", owner, name)
        known = self._memory.get(key)
        return known if known is not None else self.guarded(key, lambda: self._member(owner, name))

    def _member(self, owner: Class, name: str) -> Values:
        for ancestor in self.ancestors(owner):
            found = self.own_member(ancestor, name)
            if found:
                return found
        return ()

    def own_member(self, owner: Class, name: str) -> Values:
        """Return a member that this very class defines, in its body or through its methods' receiver."""
        key = ("own", owner, name)
        known = self._memory.get(key)
        return known if known is not None else self.guarded(key, lambda: self._own_member(owner, name))

    def _own_member(self, owner: Class, name: str) -> Values:
        view = self.view(owner.path)
        scope = view.facts.definitions[owner.index].scope
        view.asked.add(name)
        bindings = view.bindings(scope, name) if scope >= 0 else None
        through_methods = view.self_attributes.get(owner.index)
        assigns = through_methods.get(name, ()) if through_methods is not None else ()
        if bindings is None and not assigns:  # nearly always: a class is asked for the members of all its bases
            return self.hung(owner, name)
        declared = union(self.assigned(view, at, item) for at, item in assigns if item.how == "annotation")
        if declared:
            return declared
        in_body = self.bound(view, bindings, 0) if bindings else ()
        if any(isinstance(value, Function | Class | Instance) for value in in_body) and not assigns:
            return in_body
        if bindings and in_body and (bindings.declared or any(item.definition >= 0 for item in bindings.values)):
            return in_body
        through_self = union(self.assigned(view, at, item) for at, item in assigns)
        found = union([in_body, through_self])
        known = tuple(value for value in found if not isinstance(value, Constant))
        return known or self.hung(owner, name) or found

    def member_below(self, owner: Class, name: str) -> Values:
        """Return a member that only subclasses in the same file define: the class is a template for them."""
        view = self.view(owner.path)
        return self.guarded(("below", owner, name), lambda: self._member_below(view, owner, name))

    def _member_below(self, view: FileView, owner: Class, name: str) -> Values:
        return union(self.own_member(below, name) for below in self._descendants(view).get(owner.index, ()))

    def _descendants(self, view: FileView) -> dict[int, list[Class]]:
        """Return the classes of a file that inherit from each of its classes; asked for by every missing member."""
        self.guarded(("descendants", view.path), lambda: self._families_of(view))
        return self._families.get(view.path, {})

    def _families_of(self, view: FileView) -> Values:
        found: dict[int, list[Class]] = {}
        view.asked.add(of_file(CLASSES, view.path))
        for index, definition in enumerate(view.facts.definitions):
            below = Class(view.path, index)
            for above in self.ancestors(below)[1:] if definition.bases else ():
                known = found.setdefault(above.index, []) if above.path == view.path else []
                if len(known) < _MAX_DESCENDANTS:
                    known.append(below)
        self._families[view.path] = found
        return ()

    def hung(self, owner: Value, name: str) -> Values:
        """Return what the owner's own file assigns to an attribute of it from outside: `function.name = value`."""
        path = owner.path if isinstance(owner, Function | Class) else ""
        if not path:
            return ()
        view = self.view(path)
        view.asked.add(name)
        if name not in view.attributes:
            return ()
        return self.guarded(("hung", owner, name), lambda: self._hung(view, owner, name))

    def _hung(self, view: FileView, owner: Value, name: str) -> Values:
        self.guarded(("hangers", view.path, name), lambda: self._hung_by_owner(view, name))
        found = self._hangers.get((view.path, name), {})
        return union(self.assigned(view, scope, assign) for scope, assign in found.get(owner, ()))

    def _hung_by_owner(self, view: FileView, name: str) -> Values:
        """Keep by owner what a file assigns to an attribute: each of a thousand owners would read all of it."""
        found: dict[Value, list[tuple[int, Assign]]] = {}
        for scope, assign in view.attributes[name]:
            base = getattr(assign.target, "base", None)
            for owner in self.evaluate(view, scope, base, assign.line) if isinstance(base, Name) else ():
                found.setdefault(owner, []).append((scope, assign))
        self._hangers[view.path, name] = found
        return ()

    def _through_decorators(self, function: Function, name: str) -> Values:
        """Return a member of the object that a decorator has put in the place of a function: `command.main()`."""
        view = self.view(function.path)
        definition = view.definition_of(function.scope)
        if definition is None or not definition.decorators:
            return ()
        replaced = self.guarded(("decorated", function), lambda: self._decorated(view, definition))
        return union(self.attribute(value, name) for value in replaced if isinstance(value, Instance))

    def _decorated(self, view: FileView, definition: Definition) -> Values:
        applied = [call for call in view.facts.scopes[definition.owner].calls if not call.line]
        return union(
            self.evaluate(view, definition.owner, call, 0)
            for call in applied
            if call.function in definition.decorators and decorated_by(call) == Name(definition.name)
        )

    # -- binding --------------------------------------------------------------------------------------------------

    def bind(self, value: Value, receiver: Value | None, owner: Class) -> Values:
        """Return a member as seen through an instance (`receiver`) or, without one, through its class."""
        if isinstance(value, Elements) and value.kind == "property" and receiver is not None:
            getters = union(self.bind(item, receiver, owner) for item in value.items)
            return union(self.called(item, None, self.view(owner.path), 0) for item in getters)
        if not isinstance(value, Function) or value.receiver is not None:
            return (value,)
        view = self.view(value.path)
        definition = view.definition_of(value.scope)
        if definition is None or view.class_around(value.scope) < 0 or "static" in definition.modifiers:
            return (value,)
        if "classmethod" in definition.modifiers:
            return (Function(value.path, value.scope, owner),)
        if receiver is None:
            return (value,)
        bound = Function(value.path, value.scope, receiver)
        if "property" in definition.modifiers:
            return self.called(bound, None, view, value.scope)
        return (bound,)
